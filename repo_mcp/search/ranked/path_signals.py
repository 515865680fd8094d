"""Ranking signals of a path: its terms, what it is about, and whether it is rarely wanted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.search.dictionary.word_forms import stems
from repo_mcp.text.file_types import is_text_name
from repo_mcp.text.words import split_identifier, terms_of_word, terms_of_words

TESTS: Final = "tests"
DOCS: Final = "docs"
VENDORED: Final = "vendored"
DATA: Final = "data"

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
_GENERATED_NAME: Final = re.compile(r"(\.pb\.\w+|_pb2(_grpc)?\.pyi?|\.g\.\w+|\.generated\.\w+)$")
# minified files and lists of pinned versions, which have the extensions of code or configuration
_DATA_NAME: Final = re.compile(r"(\.min\.\w+|\.lock|[-.]lock\.\w+)$")
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
_STUBS: Final = (".d.ts", ".d.mts", ".d.cts", ".pyi")
_CONFIGURATION: Final = frozenset(
    {"json", "yaml", "yml", "toml", "ini", "cfg", "xml", "properties"}
)
# names that many files of a tree have, whatever they are about
_COMMON_NAMES: Final = frozenset(
    {"index", "init", "main", "mod", "lib", "types", "common", "util", "utils", "helper", "helpers"}
)
_SHORTEST_SUBJECT: Final = 3
_WORD: Final = re.compile(r"\w+")
_REMEMBERED: Final = 1 << 15
_EXTENSIONS: Final = 1 << 8
_NOTHING: Final[frozenset[str]] = frozenset()


class PathSignals(NamedTuple):
    """The terms of a file's name and of its folders, and what kind of file it is.

    Compiled code reads them by their places.
    """

    name: frozenset[str]
    folders: frozenset[str]
    kinds: frozenset[str]
    name_stems: frozenset[str]
    folder_stems: frozenset[str]
    # the name without extensions and words for tests, the same for a source and its tests; empty
    # for names that say little
    subject: str


class _Word(NamedTuple):
    """What a word of a path says by itself."""

    terms: tuple[str, ...]
    distinct: frozenset[str]
    stems: frozenset[str]
    # those of the kinds that its terms make a path one of
    kinds: frozenset[str]
    # its parts in small letters, without words for tests
    subject: str


class _Folders(NamedTuple):
    words: frozenset[str]
    kinds: frozenset[str]
    stems: frozenset[str]


@lru_cache(_REMEMBERED)
def path_signals(path: str) -> PathSignals:
    """The signals of a path."""
    folder, _, name = path.rpartition("/")
    folders, kinds, folder_stems = _folders(folder)
    written = _WORD.findall(name)
    words = [_word(word) for word in written]
    distinct, stems_of_name = _NOTHING, _NOTHING
    for word in words:
        distinct |= word.distinct
        stems_of_name |= word.stems
    # how many words are before the first extension
    first = name.find(".")
    count = len(written)
    if first >= 0:
        is_one = count > 0 and len(written[0]) == first
        count = 1 if is_one else len(_WORD.findall(name, 0, first))
    return PathSignals(
        distinct,
        folders,
        kinds | _kinds(words, name),
        stems_of_name,
        folder_stems,
        _subject(words[:count]),
    )


@lru_cache(_REMEMBERED)
def path_segments(path: str) -> frozenset[frozenset[str]]:
    """The terms of each folder of a path, and of its name without its extension."""
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0] or name
    return frozenset(frozenset(terms_of_words(part)) for part in (*(folders or [""]), stem))


@lru_cache(_REMEMBERED)
def _word(word: str) -> _Word:
    terms = terms_of_word(word)
    parts = terms if terms == (word,) else [part.lower() for part in split_identifier(word)]
    return _Word(
        terms,
        frozenset(terms),
        stems(terms),
        _kinds_of(terms),
        "".join(part for part in parts if part not in _WORDS[TESTS]),
    )


def _subject(words: Sequence[_Word]) -> str:
    subject = "".join([word.subject for word in words])
    return "" if len(subject) < _SHORTEST_SUBJECT or subject in _COMMON_NAMES else subject


@lru_cache(_REMEMBERED)
def _folders(folder: str) -> _Folders:
    words = frozenset(terms_of_words(folder))
    return _Folders(words, _kinds_of(words), stems(words))


def _kinds_of(words: Iterable[str]) -> frozenset[str]:
    if _KIND_WORDS.isdisjoint(words):
        return _NOTHING
    return frozenset(kind for kind, signs in _WORDS.items() if not signs.isdisjoint(words))


def _kinds(words: Sequence[_Word], name: str) -> frozenset[str]:
    stem, _, extension = name.rpartition(".")
    count, kinds = _of_extension(extension if stem else "")
    # the extension does not count here
    for word in words[: len(words) - count]:
        if word.kinds:
            kinds |= word.kinds
    if not (stem and extension) and not _ABOUT.isdisjoint(_first_term(words)):
        kinds |= {DOCS}
    if _DATA_NAME.search(name) or not is_text_name(name):
        kinds |= {DATA}
    return kinds | {VENDORED} if _is_generated(name) else kinds


def _first_term(words: Iterable[_Word]) -> tuple[str, ...]:
    return next((word.terms[:1] for word in words if word.terms), ())


@lru_cache(_EXTENSIONS)
def _of_extension(extension: str) -> tuple[int, frozenset[str]]:
    """The number of words in an extension, and the kinds of all files with it."""
    small = extension.lower()
    kinds = {
        DOCS: small in _PROSE or small in _SECTIONS,
        VENDORED: small in _CONFIGURATION,
    }
    return len(_WORD.findall(extension)), frozenset(kind for kind, are in kinds.items() if are)


def _is_generated(name: str) -> bool:
    return bool(_GENERATED_NAME.search(name)) or name.lower() in _GENERATED


def is_prose(path: str) -> bool:
    """True if a file is prose by its extension: what it declares are headings."""
    _, dot, extension = path.rpartition(".")
    return bool(dot) and DOCS in _of_extension(extension)[1]


def is_stub(path: str) -> bool:
    """True if a file declares what others define."""
    return path.endswith(_STUBS)


def requested_kinds(question: frozenset[str]) -> frozenset[str]:
    """The kinds of files that a query asks for."""
    return frozenset(kind for kind, words in _WORDS.items() if question & words)
