"""What chosen code needs to be understood: definitions of names it uses, and its imports.

A name is bound only where there is no doubt: to the one declaration of the same file, of the file
that it is imported from, or of the repository. Anything else is left alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from index_format import Snapshot
from repo_mcp.bundle.choose.choice import Choice
from repo_mcp.bundle.find.declarations import DeclarationLookup, Site
from repo_mcp.bundle.find.files import Files
from repo_mcp.bundle.find.hits import Candidate, Evidence
from repo_mcp.bundle.find.named_paths import NamedPaths
from repo_mcp.bundle.find.test_paths import is_test
from repo_mcp.bundle.model import SearchKind
from repo_mcp.bundle.reasons import Reason, ReasonCode
from repo_mcp.bundle.weights import DefinitionWeights
from repo_mcp.languages.facts.model import Import
from repo_mcp.stored import BODY
from repo_mcp.text.words import terms_of_word

_EVERYWHERE: Final = frozenset({"call", "base", "type"})
_OF_ITSELF: Final = frozenset({"self", "this", "cls", "Self", "super()"})
_KIN: Final = {
    "cpp": "c",
    "tsx": "ecmascript",
    "typescript": "ecmascript",
    "javascript": "ecmascript",
}
_VARIABLES: Final = frozenset({"variable", "constant", "field", "parameter", "property"})


class Use(NamedTuple):
    """A name that chosen lines use, and where."""

    path: str
    name: str
    qualifier: str
    roles: frozenset[str]
    worth: float
    user: str


class DefinitionFinder:
    """Finds what the chosen excerpts need."""

    def __init__(
        self,
        snapshot: Snapshot,
        files: Files,
        declared: DeclarationLookup,
        choice: Choice,
        said: set[str],
    ) -> None:
        """`said` are the words of the prompt."""
        self._snapshot = snapshot
        self._files = files
        self._declared = declared
        self._choice = choice
        self._said = said

    def definitions(self) -> list[tuple[Candidate, tuple[Reason, ...]]]:
        """Definitions of used names that are not shown yet, the most useful first; and why."""
        found: dict[tuple[str, int], tuple[Candidate, tuple[Reason, ...]]] = {}
        others: set[str] = set()
        for use in self._uses():
            if len(found) == DefinitionWeights.MOST_DEFINITIONS:
                break
            site = self._bound(use)
            if site is None or (is_test(site.path) and not is_test(use.path)):
                continue
            item = site.declaration
            if item.kind in _VARIABLES and site.holders:
                continue
            if self._choice.shows(site.path, item.name_line):
                continue
            if not self._choice.shown(site.path):
                if len(others | {site.path}) > DefinitionWeights.MOST_FILES or not self._is_telling(
                    use
                ):
                    continue
                others.add(site.path)
            key = site.path, item.start_line
            candidate = Candidate(site.path, item.start_line, item.end_line, site.qualified)
            candidate.worths[Evidence(SearchKind.USE)] = use.worth
            reason = Reason(ReasonCode.DEFINES_USED, site.qualified, use.user or use.path)
            found.setdefault(key, (candidate, (reason,)))
        return list(found.values())

    def imports(self, path: str) -> list[int]:
        """Lines that import names which the chosen lines of a file use."""
        shown = self._choice.shown(path)
        used: set[str] = set()
        for item in self._files.references(path):
            if item.line in shown:
                used |= {item.name, item.qualifier.partition(".")[0].partition("::")[0]}
        chosen = {excerpt.path for excerpt in self._choice.excerpts if excerpt.role == "definition"}
        lines = [
            item.line
            for item in self._files.imports(path)
            if (_binds(item) & used and not _says_itself(item))
            or (not item.name and any(_names(item.module, p) for p in chosen))
        ]
        return sorted({line for line in lines if line not in shown})[
            : DefinitionWeights.MOST_IMPORTS
        ]

    def _uses(self) -> list[Use]:
        """The names that chosen lines use, the most useful first."""
        found: dict[tuple[str, str, str], list[tuple[str, float, str]]] = {}
        for excerpt in self._choice.excerpts:
            if excerpt.role in {"imports", "outline"} or excerpt.stale:
                continue
            lines = {line.number for line in excerpt.lines}
            pointed_at = self._choice.pointed_at(excerpt.path)
            for item in self._files.references(excerpt.path):
                if (
                    item.line in lines
                    and len(item.name) >= DefinitionWeights.SHORTEST
                    and item.role in DefinitionWeights.ROLES
                ):
                    key = excerpt.path, item.name, item.qualifier
                    worth = min(excerpt.score, DefinitionWeights.MOST_WORTH)
                    worth *= DefinitionWeights.POINTED_AT if item.line in pointed_at else 1.0
                    found.setdefault(key, []).append((item.role, worth, excerpt.symbol))
        uses = [self._use(key, rows) for key, rows in found.items()]
        uses.sort(key=lambda use: (-use.worth, use.path, use.name, use.qualifier))
        return uses[: DefinitionWeights.MOST_NAMES]

    def _use(self, key: tuple[str, str, str], rows: Sequence[tuple[str, float, str]]) -> Use:
        path, name, qualifier = key
        roles = frozenset(role for role, _, _ in rows)
        best = max(score for _, score, _ in rows)
        worth = best * max(DefinitionWeights.ROLES[role] for role, _, _ in rows)
        worth *= math.sqrt(min(len(rows), DefinitionWeights.MOST_TIMES))
        if self._said.intersection(terms_of_word(name)):
            worth *= DefinitionWeights.IN_PROMPT
        user = max(rows, key=lambda row: row[1])[2]
        return Use(path, name, qualifier, roles, worth / self._commonness(name), user)

    def _is_telling(self, use: Use) -> bool:
        """Whether a name is worth another file: few use it, or the prompt has words of it."""
        said = self._said.intersection(terms_of_word(use.name))
        return self._commonness(use.name) < (
            DefinitionWeights.COMMON_IN_PROMPT if said else DefinitionWeights.COMMON
        )

    def _commonness(self, name: str) -> float:
        """1 for a name that hardly occurs, more for those that everybody knows."""
        terms = terms_of_word(name)
        number = self._snapshot.schema.number(BODY)
        if not terms or number is None:
            return 1.0
        lists = self._snapshot.postings(number, terms[0].encode("utf-8", "surrogatepass"))
        return 1.0 + math.log2(1 + self._snapshot.counts(lists)[0]) / 2

    def _bound(self, use: Use) -> Site | None:
        """The declaration that a name means, None where that is in doubt."""
        qualifier = use.qualifier
        if not qualifier or qualifier in _OF_ITSELF:
            return self._of_file(use) or (None if qualifier else self._elsewhere(use))
        return self._imported(use)

    def _of_file(self, use: Use) -> Site | None:
        sites = self._declared.defining(use.path, use.name)
        if use.qualifier:
            holder = use.user.rpartition(".")[0] or use.user
            sites = [site for site in sites if ".".join(site.holders) in {holder, use.user}]
        else:
            sites = [site for site in sites if site.declaration.scope_kind == "module"]
        return sites[0] if len(sites) == 1 else None

    def _elsewhere(self, use: Use) -> Site | None:
        """What is imported by this name; else the only one of the repository in this language."""
        found = self._imported(use)
        if found is not None or any(
            use.name in _binds(item) for item in self._files.imports(use.path)
        ):
            return found
        if not use.roles & _EVERYWHERE or self._declared.in_file(use.path, use.name):
            return None
        language = self._language(use.path)
        if language == "python":  # a name that is not imported is not of another file
            return None
        sites = self._declared.sites(use.name) or []
        sites = [site for site in sites if self._language(site.path) == language]
        sites = [site for site in sites if site.declaration.scope_kind == "module"]
        return sites[0] if len(sites) == 1 else None

    def _language(self, path: str) -> str:
        language = self._files.languages.language_of(path)
        return _KIN.get(language, language)

    def _imported(self, use: Use) -> Site | None:
        """The declaration in the file that an import of this file names."""
        first = use.qualifier.partition(".")[0].partition("::")[0]
        for item in self._files.imports(use.path):
            bound = item.alias or item.name
            if not use.qualifier and use.name == bound:
                name, modules = item.name, [item.module]
            elif use.qualifier and first in _binds(item):
                joined = f"{item.module}.{item.name}" if item.name else item.module
                name, modules = use.name, [joined, item.module]
            else:
                continue
            for path in _module_paths(self._snapshot, use.path, modules):
                sites = self._declared.defining(path, name)
                sites = [site for site in sites if not site.holders]
                if len(sites) == 1:
                    return sites[0]
        return None


def _binds(item: Import) -> set[str]:
    """The names that an import makes known in its file."""
    if item.alias:
        return {item.alias}
    if item.name and item.name != "*":
        return {item.name}
    plain = item.module.strip("\"'<>")
    last = plain.replace("::", ".").replace("/", ".").rstrip(".").rpartition(".")[2]
    return {plain.partition(".")[0], last} - {"", "h"}


def _says_itself(item: Import) -> bool:
    """Whether the use of what is imported names the module: `import os` tells nothing of `os.x`."""
    plain = item.module.strip("\"'<>")
    return not item.name and item.alias in {"", plain} and plain.isidentifier()


def _names(module: str, path: str) -> bool:
    plain = module.strip("\"'<>")
    return "/" in plain and (path == plain or path.endswith("/" + plain))


def _module_paths(snapshot: Snapshot, user: str, modules: Sequence[str]) -> Iterator[str]:
    """Files that a module may be, as the languages write modules."""
    folder = user.rpartition("/")[0]
    for module in modules:
        plain = module.strip("\"'<>")
        if plain.startswith(("./", "../")):
            yield from _exact(snapshot, _joined(folder, plain))
            continue
        dots = len(plain) - len(plain.lstrip("."))
        names = plain.lstrip(".").replace("::", "/").replace(".", "/")
        names = names.removeprefix("crate/").removeprefix("super/")
        if dots:
            base = folder.split("/")[: len(folder.split("/")) - dots + 1]
            yield from _exact(snapshot, "/".join([*filter(None, base), names]).rstrip("/"))
        elif names:
            yield from _exact(snapshot, names)
            yield from NamedPaths(snapshot, [names]).get(names).files


def _joined(folder: str, relative: str) -> str:
    names = folder.split("/") if folder else []
    for part in relative.split("/"):
        if part == "..":
            names = names[:-1]
        elif part != ".":
            names.append(part)
    return "/".join(names)


_ENDINGS: Final = (
    "",
    ".py",
    "/__init__.py",
    ".ts",
    ".tsx",
    ".js",
    ".jsx",
    ".mjs",
    "/index.ts",
    "/index.js",
    ".rs",
    "/mod.rs",
    ".java",
    ".go",
    ".h",
    ".hpp",
)


def _exact(snapshot: Snapshot, stem: str) -> Iterator[str]:
    for ending in _ENDINGS:
        if snapshot.file(stem + ending) is not None:
            yield stem + ending
