"""A tour of a repository by the paths of one walk and the texts of a few manifests.

It needs no index: what it tells is there while the files are still being indexed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from code_graph import Languages
from code_graph.paths.path_kinds import DATA, DOCS, VENDORED, begins_program, is_test, path_kinds
from code_graph.projects.manifests import reader_of
from code_graph.projects.model import ManifestError
from index_format.tuples import NamedTuple
from repo_mcp.answers.tour import LanguageShare, Tour, TourCommand, TourEntry, TourPart, TourPlace
from repo_mcp.ask.manifest_commands import (
    ENTRY,
    ManifestEntry,
    ManifestText,
    declared_in,
    is_listed,
)
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.git import recent_files
from repo_mcp.indexing.keep.manager import Indexes
from repo_mcp.owners.codeowners import CODEOWNERS_PATHS, CodeOwners
from repo_mcp.owners.maintainers import MAINTAINERS
from repo_mcp.owners.model import ReadText
from repo_mcp.owners.owners_files import OWNERS
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.text.cutting import cut_words
from repo_mcp.text.files import decode
from repo_mcp.text.plurals import counted

# manifests that are read, those nearest to the root first
_MOST_MANIFESTS: Final = 40
_MOST_LANGUAGES: Final = 8
_MOST_PARTS: Final = 12
_MOST_ENTRIES: Final = 12
_MOST_PLACES: Final = 6
_MOST_OWNERS: Final = 8
# files of one name in sibling folders that are named apart
_FEW: Final = 2
# files that commits changed last
_MOST_RECENT: Final = 20
# a part with more of the files is shown by what is in it
_LARGE_PART: Final = 0.5
# of the files of a kind; a place with fewer is one of many small ones
_LEAST_SHARE: Final = 0.02
# names that are those of a program only where something else says so
_ALSO_PARTS: Final = frozenset({"index", "setup"})
_LONGEST_ABOUT: Final = 240
_README: Final = re.compile(r"readme(?:\.(?:md|markdown|rst|txt|adoc))?", re.IGNORECASE)
# of a README: what stands for itself, and no prose
_HTML: Final = re.compile(r"<!--.*?-->|<[^>]+>", re.DOTALL)
_FENCE: Final = re.compile(r"^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
_IMAGE: Final = re.compile(r"\[?!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])(?:\]\([^)]*\)|\]\[[^\]]*\])?")
_LINK: Final = re.compile(r"\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])|`([^`<]+) <[^`>]+>`_+")
_NO_PROSE: Final = re.compile(r"\s*(?:#|[=\-~*+|>^_]{3}|[-*+|>] |\.\. |\[[^\]]+\]:|:\w+:)")
_SENTENCE: Final = re.compile(r".*?[.!?](?=\s|$)", re.DOTALL)
_LEAST_WORDS: Final = 4
# what names of packages have before their own part
_LAST_NAME: Final = re.compile(r"[:/]")
_ASIDE: Final = frozenset({DOCS, DATA, VENDORED})


class TourFile(NamedTuple):
    """A file of the walk; `is_code` of code and tests, `is_own` of neither tests nor copies."""

    path: str
    size: int
    language: str
    is_code: bool
    is_test: bool
    is_own: bool


class _Tree(NamedTuple):
    """The files of a walk, by path."""

    files: Sequence[TourFile]
    paths: frozenset[str]
    complete: bool

    @property
    def code(self) -> Iterator[TourFile]:
        """The files of code, tests among them."""
        return (file for file in self.files if file.is_code)

    @property
    def own(self) -> list[str]:
        """The paths that are in no folder of tests, documents or copies."""
        return [file.path for file in self.files if file.is_own]


def take_tour(manager: Indexes, sandbox: Sandbox, budget: Budget) -> Tour:
    """Look at a repository as its files are now."""
    tree = _walk(manager, budget)

    def read_text(path: str) -> str | None:
        budget.check()
        try:
            text = decode(sandbox.read(path).data)
        except Problem:
            return None
        return None if text is None else text.content

    parts = _parts(tree)
    manifests = _manifests(tree, read_text)
    names = {_folder(item.path): name for item in reversed(manifests) if (name := _name_of(item))}
    declared = [(item.path, row) for item in manifests for row in declared_in(item)]
    shipped = [file.path for file in tree.files if not _is_foreign(_folder(file.path))]
    # folders that begin with a dot are of tools
    plain = [path for path in tree.own if not path.startswith(".") and "/." not in path]
    return Tour(
        about=_about(tree, read_text),
        files=len(tree.files),
        languages=_languages(tree),
        parts=[
            TourPart(path=path, files=count, language=language, project=names.get(path, ""))
            for path, count, language in parts
        ],
        entries=_entries(tree, declared),
        commands=_commands(declared),
        automation=_of_role(AUTOMATION, shipped),
        tests=_places(Counter(_test_folder(file.path) for file in tree.code if file.is_test)),
        settings=_of_role(SETTINGS, plain),
        routes=_of_role(ROUTES, plain),
        schema=_of_role(SCHEMA, plain),
        owners=_owners(tree, read_text),
        recent=_recent(manager, tree, [path for path, _, _ in parts]),
        complete=tree.complete,
    )


def _walk(manager: Indexes, budget: Budget) -> _Tree:
    files: list[TourFile] = []
    complete = True
    languages: Languages = manager.languages
    for path, reason, key in manager.discovery().candidates(budget):
        if budget.spent:
            complete = False
            break
        if reason or key is None:
            continue
        language, tested = languages.language_of(path) or "", is_test(path)
        is_code = bool(language) and not path_kinds(path) & _ASIDE
        is_own = not tested and not _is_foreign(_folder(path))
        files.append(TourFile(path, key.size, language, is_code, tested, is_own))
    files.sort()
    return _Tree(files, frozenset(file.path for file in files), complete)


def _languages(tree: _Tree) -> list[LanguageShare]:
    """The languages of code, tests among it, those with the most bytes first."""
    counts: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for file in tree.code:
        counts[file.language] += 1
        sizes[file.language] += file.size
    ordered = sorted(sizes.items(), key=lambda item: (-item[1], item[0]))
    return [
        LanguageShare(language=name, files=counts[name], size=size)
        for name, size in ordered[:_MOST_LANGUAGES]
    ]


def _parts(tree: _Tree) -> list[tuple[str, int, str]]:
    """Folders with their files and the language of most of their code, the fullest first.

    A folder that has much of the repository is shown by what is in it.
    """
    direct = Counter(_folder(file.path) for file in tree.files)
    counts: Counter[str] = Counter()
    inner: dict[str, set[str]] = {}
    for folder, count in direct.items():
        above = ""
        for around in _folders_around(f"{folder}/") if folder else ():
            counts[around] += count
            inner.setdefault(above, set()).add(around)
            above = around
    shown = set(inner.get("", ()))
    while len(shown) < _MOST_PARTS:
        large = max(
            (folder for folder in shown if inner.get(folder)),
            key=lambda folder: (counts[folder], folder),
            default="",
        )
        if not large or counts[large] < len(tree.files) * _LARGE_PART:
            break
        shown = shown - {large} | inner[large]
    written: Counter[tuple[str, str]] = Counter()
    for file in tree.code:
        written[_folder(file.path), file.language] += file.size
    languages: dict[str, Counter[str]] = {}
    for (folder, language), size in written.items():
        for around in shown.intersection(_folders_around(f"{folder}/")):
            languages.setdefault(around, Counter())[language] += size
    ordered = sorted(shown, key=lambda folder: (-counts[folder], folder))[:_MOST_PARTS]
    return [(folder, counts[folder], _most(languages.get(folder))) for folder in ordered]


def _most(counts: Counter[str] | None) -> str:
    return min(counts, key=lambda name: (-counts[name], name)) if counts else ""


def _folders_around(path: str) -> Iterator[str]:
    """The folders that a file is in, the outermost first."""
    at = path.find("/")
    while at >= 0:
        yield path[:at]
        at = path.find("/", at + 1)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


@lru_cache(maxsize=4096)
def _is_foreign(folder: str) -> bool:
    """True for a folder of copies, documents or tests, whose names of files say nothing."""
    inside = f"{folder}/x"
    return bool(folder) and (is_test(inside) or bool(path_kinds(inside) & {VENDORED, DOCS}))


def _manifests(tree: _Tree, read_text: ReadText) -> list[ManifestText]:
    """The manifests nearest to the root, with their texts."""
    listed = [path for path in tree.own if is_listed(path.rpartition("/")[2])]
    listed.sort(key=lambda path: (path.count("/"), path))
    listed = listed[:_MOST_MANIFESTS]
    beside: dict[str, set[str]] = {"": set(), **{_folder(path): set() for path in listed}}
    for path in tree.paths:
        if (folder := _folder(path)) in beside:
            beside[folder].add(path.rpartition("/")[2])
    found = []
    for path in listed:
        text = read_text(path)
        if text is not None:
            names = frozenset(beside[_folder(path)])
            found.append(ManifestText(path, text, names, frozenset(beside[""])))
    return found


def _name_of(manifest: ManifestText) -> str:
    """The name of the package that a manifest declares; empty if it is only that of its folder."""
    folder = _folder(manifest.path)
    entry = reader_of(manifest.name)
    try:
        name = "" if entry is None else entry[1](manifest.path, folder, manifest.text).name
    except ManifestError:
        return ""
    return "" if _LAST_NAME.split(name)[-1] == folder.rpartition("/")[2] else name


def _commands(declared: Iterable[tuple[str, ManifestEntry]]) -> list[TourCommand]:
    """The commands of manifests; one of an outer folder counts for those in it."""
    places: dict[ManifestEntry, list[str]] = {}
    found = []
    for path, row in declared:
        folder = _folder(path)
        above = ["", *_folders_around(path)]
        if row.purpose != ENTRY and not any(place in above for place in places.get(row, ())):
            places.setdefault(row, []).append(folder)
            found.append(TourCommand(purpose=row.purpose, command=row.text, manifest=path))
    return found


def _entries(tree: _Tree, declared: Iterable[tuple[str, ManifestEntry]]) -> list[TourEntry]:
    """Commands that manifests declare, then files that programs begin with, by their names.

    Of files of one name in sibling folders all are one entry.
    """
    entries = [
        TourEntry(name=row.text, path=path)
        for path, row in declared
        if row.purpose == ENTRY and row.text
    ]
    alike: dict[tuple[str, str], list[str]] = {}
    for file in tree.code:
        folder, _, name = file.path.rpartition("/")
        stem, _, ending = name.partition(".")
        is_plain = "." not in ending and stem not in _ALSO_PARTS
        if is_plain and file.is_own and begins_program(name):
            alike.setdefault((_folder(folder) if folder else name, name), []).append(file.path)
    named = [
        paths[0] if len(paths) <= _FEW else f"{f'{above}/' if above else ''}*/{name}"
        for (above, name), paths in alike.items()
    ]
    named.sort(key=lambda path: (path.count("/"), path))
    entries += [TourEntry(name=path, path=path) for path in named]
    return entries[:_MOST_ENTRIES]


def _test_folder(path: str) -> str:
    """The outermost folder of tests around a test, or the folder that it is in."""
    for folder in _folders_around(path):
        if is_test(f"{folder}/x"):
            return folder
    return _folder(path) or "."


def _of_role(role: FileRole, paths: Iterable[str]) -> list[TourPlace]:
    """Files of a role; of folders with several of them, the folder."""
    found = [path for path in paths if role.has(path)]
    counts = Counter(map(_folder, found))
    return _places(
        Counter(
            folder if counts[folder := _folder(path)] > 1 and folder else path for path in found
        )
    )


def _places(counts: Mapping[str, int]) -> list[TourPlace]:
    """The fullest first; what is in a folder that is named is counted there."""
    merged: Counter[str] = Counter()
    for path, count in counts.items():
        merged[next((above for above in _folders_around(path) if above in counts), path)] += count
    least = _LEAST_SHARE * sum(merged.values())
    kept = (item for item in merged.items() if item[1] >= least)
    ordered = sorted(kept, key=lambda item: (-item[1], item[0].count("/"), item[0]))
    return [TourPlace(path=path, files=count) for path, count in ordered[:_MOST_PLACES]]


def _owners(tree: _Tree, read_text: ReadText) -> list[str]:
    """The first rows of CODEOWNERS with owners, or the other files that name some."""
    path = next((path for path in CODEOWNERS_PATHS if path in tree.paths), "")
    if not path:
        folders = sum(file.path.rpartition("/")[2] == OWNERS for file in tree.files)
        listed = [MAINTAINERS] if MAINTAINERS in tree.paths else []
        return [*listed, *([f"{OWNERS} of {counted(folders, 'folder')}"] if folders else ())]
    claims = [claim for claim in CodeOwners(path, read_text(path) or "").every() if claim.owners]
    rows = [f"{claim.pattern} {' '.join(it.name for it in claim.owners)}" for claim in claims]
    more = len(rows) - _MOST_OWNERS
    return [*rows[:_MOST_OWNERS], *([f"{more} more in {path}"] if more > 0 else ())]


def _recent(manager: Indexes, tree: _Tree, parts: Sequence[str]) -> list[TourPlace]:
    """The parts whose files commits have changed last; of others their folder."""
    counts: Counter[str] = Counter()
    for prefix, part in manager.parts.items():
        for name in recent_files(part.root, _MOST_RECENT):
            path = prefix + name
            if path in tree.paths:
                around = [folder for folder in _folders_around(path) if folder in parts]
                counts[(around or [_folder(path) or path])[-1]] += 1
    return _places(counts)


def _about(tree: _Tree, read_text: ReadText) -> str:
    """The first sentence of prose in the README of the root."""
    names = sorted(path for path in tree.paths if "/" not in path and _README.fullmatch(path))
    return first_sentence((read_text(names[0]) or "") if names else "")


def first_sentence(text: str) -> str:
    """The first sentence of prose in a document: no heading, badge, list, table or code."""
    plain = _IMAGE.sub("", _FENCE.sub("", text))
    plain = _HTML.sub(" ", _LINK.sub(lambda link: link[1] or link[2] or "", plain))
    for paragraph in re.split(r"\n\s*\n", plain):
        rows = paragraph.split("\n")
        if any(map(_NO_PROSE.match, rows)):
            continue
        words = " ".join(" ".join(rows).replace("**", "").replace("`", "").split())
        if len(words.split()) >= _LEAST_WORDS:
            sentence = _SENTENCE.match(words)
            return cut_words(sentence[0] if sentence else words, _LONGEST_ABOUT)
    return ""


class FileRole(NamedTuple):
    """Files of one kind by conventions of frameworks and tools: by name, or by folder and name."""

    names: re.Pattern[str]
    folders: frozenset[str]
    inside: re.Pattern[str]

    def has(self, path: str) -> bool:
        """True if a file is of this kind."""
        folder, _, name = path.rpartition("/")
        if self.names.fullmatch(name):
            return True
        return not self.folders.isdisjoint(_names_of(folder)) and bool(self.inside.fullmatch(name))


def _declare(names: str, folders: str, inside: str = ".+") -> FileRole:
    return FileRole(re.compile(names), frozenset(folders.split()), re.compile(inside))


AUTOMATION: Final = _declare(
    r"\.(?:gitlab-ci|travis|drone|woodpecker)\.ya?ml|Jenkinsfile|azure-pipelines.*\.ya?ml"
    r"|appveyor\.yml|(?:.+\.)?Dockerfile(?:\..+)?|(?:docker-)?compose(?:\.[\w-]+)*\.ya?ml"
    r"|Chart\.yaml|.+\.tf",
    ".github/workflows .circleci .woodpecker .ci",
)
SETTINGS: Final = _declare(
    r"(?:settings|config|configuration|appsettings)(?:[.-]\w+)*"
    r"\.(?:py|rb|[cm]?[jt]s|json|ya?ml|toml|ini|properties|cs|php|exs|go|rs|java|kt)"
    r"|application(?:[.-]\w+)*\.(?:ya?ml|properties|json)"
    r"|\.env\.(?:example|sample|template|dist)|.+\.(?:conf|ini)(?:\.\w+)?",
    "settings config conf",
)
ROUTES: Final = _declare(
    r"urls\.py|routes?\.\w+|router\.\w+|[\w-]*[-_.](?:routes?|router|routing)\.\w+"
    r"|\w+(?:_controller\.rb|Controller\.(?:java|kt|cs|php|[jt]s))|page\.[jt]sx"
    r"|(?:openapi|swagger)[\w.-]*\.(?:ya?ml|json)|.+\.(?:proto|graphqls?)",
    "routes routers controllers endpoints",
)
SCHEMA: Final = _declare(
    r"(?:models|entities)\.(?:py|rb|[jt]s|go|rs|php|kt)|schema\.rb|.+\.(?:sql|prisma|dbml)",
    "migration migrations migrate alembic changelog models entities",
    r".+\.(?:py|rb|sql|cs|[jt]s|php|go|java|kt|rs|xml|ya?ml|exs?)",
)


@lru_cache(maxsize=4096)
def _names_of(folder: str) -> frozenset[str]:
    """The names of the folders of a path, alone and with the one above."""
    names = folder.lower().split("/")
    return frozenset((*names, *map("/".join, pairwise(names))))
