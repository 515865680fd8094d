"""Finds definitions and imports of the names that chosen code uses.

A name is bound to the only declaration in its file, in the file that it is imported from, or in the
repository. Ambiguous names are not bound.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from index_format import Snapshot
from repo_mcp.bundle.choose.choice import Choice
from repo_mcp.bundle.find.candidates import Candidate, Evidence
from repo_mcp.bundle.find.declarations import DeclarationLookup, Site
from repo_mcp.bundle.find.files import Files, is_test
from repo_mcp.bundle.find.paths import NamedPaths
from repo_mcp.bundle.model import SearchKind
from repo_mcp.bundle.reasons import Reason, ReasonCode
from repo_mcp.bundle.weights import DefinitionWeights as Weights
from repo_mcp.languages.facts import Import
from repo_mcp.text.words import terms_of_word

_GLOBAL_ROLES: Final = frozenset({"call", "base", "type"})
_SELF_NAMES: Final = frozenset({"self", "this", "cls", "Self", "super()"})
_LANGUAGE_FAMILIES: Final = {
    "cpp": "c",
    "tsx": "ecmascript",
    "typescript": "ecmascript",
    "javascript": "ecmascript",
}
_VARIABLES: Final = frozenset({"variable", "constant", "field", "parameter", "property"})


class NameUse(NamedTuple):
    """A name that chosen lines use, its worth, and the symbol that uses it."""

    path: str
    name: str
    qualifier: str
    roles: frozenset[str]
    worth: float
    user: str


class DefinitionFinder:
    """Finds definitions and imports for chosen excerpts."""

    def __init__(
        self,
        snapshot: Snapshot,
        files: Files,
        lookup: DeclarationLookup,
        choice: Choice,
        words: set[str],
    ) -> None:
        """`words` are the words of the prompt."""
        self._snapshot = snapshot
        self._files = files
        self._lookup = lookup
        self._choice = choice
        self._words = words

    def definitions(self) -> list[tuple[Candidate, tuple[Reason, ...]]]:
        """Definitions of used names that are not shown yet, best first."""
        found: dict[tuple[str, int], tuple[Candidate, tuple[Reason, ...]]] = {}
        others: set[str] = set()
        for use in self._uses():
            if len(found) == Weights.MOST_DEFINITIONS:
                break
            site = self._bind(use)
            if site is None or (is_test(site.path) and not is_test(use.path)):
                continue
            item = site.declaration
            if item.kind in _VARIABLES and site.holders:
                continue
            if self._choice.shows(site.path, item.name_line):
                continue
            if not self._choice.shown(site.path):
                if len(others | {site.path}) > Weights.MOST_FILES or not self._is_worth_a_file(use):
                    continue
                others.add(site.path)
            key = site.path, item.start_line
            candidate = Candidate(site.path, item.start_line, item.end_line, site.qualified)
            candidate.worths[Evidence(SearchKind.USE)] = use.worth
            reason = Reason(ReasonCode.DEFINES_USED, site.qualified, use.user or use.path)
            found.setdefault(key, (candidate, (reason,)))
        return list(found.values())

    def imports(self, path: str) -> list[int]:
        """Lines of a file that import names used in its chosen lines."""
        shown = self._choice.shown(path)
        used: set[str] = set()
        for item in self._files.references(path):
            if item.line in shown:
                used |= {item.name, _first_name(item.qualifier)}
        chosen = {excerpt.path for excerpt in self._choice.excerpts if excerpt.role == "definition"}
        lines = [
            item.line
            for item in self._files.imports(path)
            if (_binds(item) & used and not _is_named_in_use(item))
            or (not item.name and any(_names(item.module, p) for p in chosen))
        ]
        return sorted({line for line in lines if line not in shown})[: Weights.MOST_IMPORTS]

    def _uses(self) -> list[NameUse]:
        """The names that chosen lines use, best first."""
        found: dict[tuple[str, str, str], list[tuple[str, float, str]]] = {}
        for excerpt in self._choice.excerpts:
            if excerpt.role in {"imports", "outline"} or excerpt.stale:
                continue
            lines = {line.number for line in excerpt.lines}
            pointed_at = self._choice.pointed_at(excerpt.path)
            for item in self._files.references(excerpt.path):
                if (
                    item.line in lines
                    and len(item.name) >= Weights.SHORTEST
                    and item.role in Weights.ROLES
                ):
                    key = excerpt.path, item.name, item.qualifier
                    worth = min(excerpt.score, Weights.MOST_WORTH)
                    worth *= Weights.POINTED_AT if item.line in pointed_at else 1.0
                    found.setdefault(key, []).append((item.role, worth, excerpt.symbol))
        uses = [self._use(key, rows) for key, rows in found.items()]
        uses.sort(key=lambda use: (-use.worth, use.path, use.name, use.qualifier))
        return uses[: Weights.MOST_NAMES]

    def _use(self, key: tuple[str, str, str], rows: Sequence[tuple[str, float, str]]) -> NameUse:
        path, name, qualifier = key
        roles = frozenset(role for role, _, _ in rows)
        best = max(score for _, score, _ in rows)
        worth = best * max(Weights.ROLES[role] for role, _, _ in rows)
        worth *= math.sqrt(min(len(rows), Weights.MOST_TIMES))
        if self._words.intersection(terms_of_word(name)):
            worth *= Weights.IN_PROMPT
        user = max(rows, key=lambda row: row[1])[2]
        return NameUse(path, name, qualifier, roles, worth / self._commonness(name), user)

    def _is_worth_a_file(self, use: NameUse) -> bool:
        """Whether a name justifies another file: it is rare, or has words of the prompt."""
        in_prompt = self._words.intersection(terms_of_word(use.name))
        return self._commonness(use.name) < (
            Weights.COMMON_IN_PROMPT if in_prompt else Weights.COMMON
        )

    def _commonness(self, name: str) -> float:
        """The divisor for a name's frequency: 1 for a name that hardly occurs."""
        return 1.0 + math.log2(1 + self._files.count_passages(name)) / 2

    def _bind(self, use: NameUse) -> Site | None:
        """The declaration of a used name, None if there is none or it is ambiguous."""
        qualifier = use.qualifier
        if not qualifier or qualifier in _SELF_NAMES:
            return self._bind_in_file(use) or (None if qualifier else self._bind_elsewhere(use))
        return self._bind_import(use)

    def _bind_in_file(self, use: NameUse) -> Site | None:
        sites = self._lookup.definitions(use.path, use.name)
        if use.qualifier:
            holder = use.user.rpartition(".")[0] or use.user
            sites = [site for site in sites if ".".join(site.holders) in {holder, use.user}]
        else:
            sites = [site for site in sites if site.declaration.scope_kind == "module"]
        return sites[0] if len(sites) == 1 else None

    def _bind_elsewhere(self, use: NameUse) -> Site | None:
        """The imported declaration of a name, else the only one in the same language."""
        found = self._bind_import(use)
        if found is not None or any(
            use.name in _binds(item) for item in self._files.imports(use.path)
        ):
            return found
        if not use.roles & _GLOBAL_ROLES or self._lookup.in_file(use.path, use.name):
            return None
        language = self._language(use.path)
        if language == "python":  # names of other files must be imported
            return None
        sites = self._lookup.sites(use.name) or []
        sites = [site for site in sites if self._language(site.path) == language]
        sites = [site for site in sites if site.declaration.scope_kind == "module"]
        return sites[0] if len(sites) == 1 else None

    def _language(self, path: str) -> str:
        language = self._files.languages.language_of(path)
        return _LANGUAGE_FAMILIES.get(language, language)

    def _bind_import(self, use: NameUse) -> Site | None:
        """The declaration in the file that an import leads to."""
        first = _first_name(use.qualifier)
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
                sites = self._lookup.definitions(path, name)
                sites = [site for site in sites if not site.holders]
                if len(sites) == 1:
                    return sites[0]
        return None


def _first_name(qualifier: str) -> str:
    return qualifier.partition(".")[0].partition("::")[0]


def _binds(item: Import) -> set[str]:
    """The names that an import binds in its file."""
    if item.alias:
        return {item.alias}
    if item.name and item.name != "*":
        return {item.name}
    plain = item.module.strip("\"'<>")
    last = plain.replace("::", ".").replace("/", ".").rstrip(".").rpartition(".")[2]
    return {plain.partition(".")[0], last} - {"", "h"}


def _is_named_in_use(item: Import) -> bool:
    """Whether uses repeat the module's name: `import os` adds nothing to `os.path`."""
    plain = item.module.strip("\"'<>")
    return not item.name and item.alias in {"", plain} and plain.isidentifier()


def _names(module: str, path: str) -> bool:
    plain = module.strip("\"'<>")
    return "/" in plain and (path == plain or path.endswith("/" + plain))


def _module_paths(snapshot: Snapshot, user: str, modules: Sequence[str]) -> Iterator[str]:
    """Files that a module may refer to, by the rules of the languages."""
    folder = user.rpartition("/")[0]
    for module in modules:
        plain = module.strip("\"'<>")
        if plain.startswith(("./", "../")):
            yield from _existing(snapshot, _joined(folder, plain))
            continue
        dots = len(plain) - len(plain.lstrip("."))
        names = plain.lstrip(".").replace("::", "/").replace(".", "/")
        names = names.removeprefix("crate/").removeprefix("super/")
        if dots:
            base = folder.split("/")[: len(folder.split("/")) - dots + 1]
            yield from _existing(snapshot, "/".join([*filter(None, base), names]).rstrip("/"))
        elif names:
            yield from _existing(snapshot, names)
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


def _existing(snapshot: Snapshot, stem: str) -> Iterator[str]:
    for ending in _ENDINGS:
        if snapshot.file(stem + ending) is not None:
            yield stem + ending
