"""Ranking signals of a path: its terms, what it is about, and whether it is rarely wanted."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.search.dictionary.word_forms import stems
from repo_mcp.text.words import split_identifier, terms_of_words

TESTS: Final = "tests"
DOCS: Final = "docs"
VENDORED: Final = "vendored"

# words that make a path one of a kind, and words of a query that asks for files of that kind
_WORDS: Final = {
    TESTS: frozenset(
        {"test", "tests", "testing", "testsuite", "testsuites", "testdata", "selftest", "selftests"}
        | {"spec", "specs", "mock", "mocks", "fixture", "fixtures", "unittest", "unittests"}
        | {"conftest", "e2e", "bench", "benchmark", "benchmarks"}
    ),
    DOCS: frozenset(
        {"doc", "docs", "documentation", "example", "examples", "sample", "samples", "demo"}
        | {"demos", "tutorial", "tutorials", "changelog", "changes", "news", "readme"}
    ),
    VENDORED: frozenset(
        {"vendor", "vendored", "third_party", "thirdparty", "node_modules", "bower_components"}
        | {"generated", "gen", "dist", "minified", "external", "externals", "extern", "deps"}
        | {"contrib"}
    ),
}
_KIND_WORDS: Final = frozenset().union(*_WORDS.values())
_GENERATED_NAME: Final = re.compile(
    r"(\.min\.\w+|\.lock|\.pb\.\w+|_pb2(_grpc)?\.pyi?|[-.]lock\.\w+|\.g\.\w+|\.generated\.\w+|\.map)$"
)
# names of files that build systems generate or copy into a tree
_GENERATED: Final = frozenset(
    {"configure", "aclocal.m4", "ltmain.sh", "libtool.m4", "config.guess", "config.sub", "missing"}
    | {"install-sh", "depcomp", "compile", "test-driver", "mkinstalldirs", "py-compile", "ylwrap"}
    | {"makefile.in", "ltoptions.m4", "ltsugar.m4", "ltversion.m4", "config.rpath"}
)
# first words of names of prose files without an extension
_ABOUT: Final = frozenset(
    {"acknowledgments", "acknowledgements", "authors", "contributors", "copying", "copyright"}
    | {"credits", "history", "install", "license", "licence", "maintainers", "thanks", "todo"}
)
# extensions of manual pages
_SECTIONS: Final = frozenset("123456789")
_PROSE: Final = frozenset({"md", "rst", "txt", "adoc", "html", "htm", "tex", "po", "pot"})
_CONFIGURATION: Final = frozenset(
    {"json", "yaml", "yml", "toml", "ini", "cfg", "xml", "csv", "lock", "svg", "properties"}
)
# names that many files of a tree have, whatever they are about
_COMMON_NAMES: Final = frozenset(
    {"index", "init", "main", "mod", "lib", "types", "common", "util", "utils", "helper", "helpers"}
)
_SHORTEST_SUBJECT: Final = 3
_WORD: Final = re.compile(r"\w+")
_REMEMBERED: Final = 1 << 15
_EXTENSIONS: Final = 1 << 8


class PathSignals(NamedTuple):
    """The terms of a file's name and of its folders, and what kind of file it is."""

    name: frozenset[str]
    folders: frozenset[str]
    kinds: frozenset[str]
    name_stems: frozenset[str]
    folder_stems: frozenset[str]
    # those of the name and of the folders
    terms: frozenset[str]
    stems: frozenset[str]
    # the terms of each folder, and of the name without its extension
    segments: frozenset[frozenset[str]]
    # the name without extensions and words for tests, the same for a source and its tests; empty
    # for names that say little
    subject: str


class _Folders(NamedTuple):
    words: frozenset[str]
    kinds: frozenset[str]
    stems: frozenset[str]
    segments: frozenset[frozenset[str]]


@lru_cache(_REMEMBERED)
def path_signals(path: str) -> PathSignals:
    """The signals of a path."""
    folder, _, name = path.rpartition("/")
    stem, _, extension = name.rpartition(".")
    folders, kinds, folder_stems, segments = _folders(folder)
    words = terms_of_words(name)
    kinds |= _kinds(words, extension if stem else "", name)
    segments |= {frozenset(terms_of_words(stem or name))}
    of_name, stems_of_name = frozenset(words), stems(words)
    return PathSignals(
        of_name,
        folders,
        kinds,
        stems_of_name,
        folder_stems,
        of_name | folders,
        stems_of_name | folder_stems,
        segments,
        _subject(name),
    )


def _subject(name: str) -> str:
    words = [
        part.lower()
        for word in _WORD.findall(name.partition(".")[0])
        for part in split_identifier(word)
    ]
    subject = "".join(word for word in words if word not in _WORDS[TESTS])
    return "" if len(subject) < _SHORTEST_SUBJECT or subject in _COMMON_NAMES else subject


@lru_cache(_REMEMBERED)
def _folders(folder: str) -> _Folders:
    segments = [terms_of_words(part) for part in folder.split("/")]
    words = frozenset().union(*segments)
    kinds = frozenset(kind for kind, signs in _WORDS.items() if words & signs)
    return _Folders(words, kinds, stems(words), frozenset(map(frozenset, segments)))


def _kinds(words: list[str], extension: str, name: str) -> frozenset[str]:
    count, kinds = _of_extension(extension)
    # the extension does not count here
    stem_words = words[: len(words) - count] if count else words
    if not _KIND_WORDS.isdisjoint(stem_words):
        kinds |= {kind for kind, signs in _WORDS.items() if not signs.isdisjoint(stem_words)}
    if not extension and not _ABOUT.isdisjoint(words[:1]):
        kinds |= {DOCS}
    return kinds | {VENDORED} if _is_generated(name) else kinds


@lru_cache(_EXTENSIONS)
def _of_extension(extension: str) -> tuple[int, frozenset[str]]:
    """The number of terms in an extension, and the kinds of all files with it."""
    small = extension.lower()
    kinds = {
        DOCS: small in _PROSE or small in _SECTIONS,
        VENDORED: small in _CONFIGURATION,
    }
    return len(terms_of_words(extension)), frozenset(kind for kind, are in kinds.items() if are)


def _is_generated(name: str) -> bool:
    return bool(_GENERATED_NAME.search(name)) or name.lower() in _GENERATED


def requested_kinds(question: frozenset[str]) -> frozenset[str]:
    """The kinds of files that a query asks for."""
    return frozenset(kind for kind, words in _WORDS.items() if question & words)
