"""Kinds of files by their paths: tests, documents, vendored and data; code has no kind.

A name means a declaration in code before one in stubs, samples and vendored files, tests, and
prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from code_graph.paths.file_types import is_text_name
from index_format.analysis.words import terms_of_word, terms_of_words

TESTS: Final = "tests"
DOCS: Final = "docs"
VENDORED: Final = "vendored"
DATA: Final = "data"

# words that make a path one of a kind, and words of a query that asks for files of that kind
KIND_WORDS: Final = {
    TESTS: frozenset(
        {"test", "tests", "testing", "testsuite", "testsuites", "testdata", "selftest", "selftests"}
        | {"spec", "specs", "mock", "mocks", "fixture", "fixtures", "unittest", "unittests"}
        | {"conftest", "e2e", "cypress", "bench", "benches", "benchmark", "benchmarks"}
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
# as a whole name they say what a file is about, and not that it is a test
_ALONE: Final = frozenset({"spec", "specs", "mock", "mocks", "fixture", "fixtures"})
_ALL_WORDS: Final = frozenset().union(*KIND_WORDS.values())
_GENERATED_NAME: Final = re.compile(
    r"(\.pb\.\w+|_pb2(_grpc)?\.pyi?|_pb\.(?:d\.)?[jt]s|\.(?:g|gen|generated)\.\w+)$"
)
# minified files and lists of pinned versions, which have the extensions of code or configuration
_DATA_NAME: Final = re.compile(r"(\.min\.\w+|\.lock|[-.]lock\.\w+)$")
# texts in other languages: by their extension, or as data in a folder for them
_TRANSLATED: Final = frozenset({"po", "pot", "xlf", "xliff", "arb", "strings", "stringsdict"})
_MESSAGES: Final = frozenset({"json", "json5", "yaml", "yml", "properties", "ini", "toml", "xml"})
_OF_LANGUAGES: Final = frozenset(
    {"i18n", "l10n", "lang", "langs", "locale", "locales", "translation", "translations"}
)
_SNAPSHOT_NAME: Final = re.compile(r"\.(?:snap|ambr|approved\.\w+|verified\.\w+)$")
# words that ask for files that programs keep
_OF_PROGRAMS: Final = _OF_LANGUAGES | {
    *("translate", "translated", "translator", "locked", "lock", "lockfile", "pinned"),
    *("generate", "generated", "minified", "snapshot", "snapshots"),
}
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
_PROSE: Final = frozenset(
    {"md", "markdown", "mdx", "rst", "rest", "adoc", "asciidoc", "ipynb", "txt", "html", "htm"}
    | {"tex", "po", "pot"}
)
_STUBS: Final = (".d.ts", ".d.mts", ".d.cts", ".pyi")
_CONFIGURATION: Final = frozenset(
    {"json", "yaml", "yml", "toml", "ini", "cfg", "xml", "properties"}
)
# ranks of paths as places of a declaration, the likeliest first
CODE, STUB, ASIDE, TEST, PROSE = range(5)
_WORD: Final = re.compile(r"\w+")
_REMEMBERED: Final = 1 << 15
_EXTENSIONS: Final = 1 << 8
# a question looks at the same files several times, and at few that the last one did not
_PATHS: Final = 1 << 12
_NOTHING: Final[frozenset[str]] = frozenset()
# stricter than what lowers a rank in searches: these files are left out, or are tests for sure
_TEST_FOLDERS: Final = frozenset(
    {"testing", "__tests__", "testsuite", "testsuites", "testdata", "testcases", "unittests"}
    | {"selftest", "selftests", "e2e", "cypress", "spec", "specs", "fixtures"}
)
_TEST_FOLDER: Final = re.compile(r"(?:^|[-_.])tests?$")
# names that say what a file is about, unless another word stands beside them
_TOPIC: Final = re.compile(r"(?:spec|specs)\.\w+$", re.IGNORECASE)
_TEST_NAME: Final = re.compile(
    r"(?:^|[-_.])(?:test|tests|spec|specs|unittest|conftest|selftest|kunit)(?:[-_.]|$)",
    re.IGNORECASE,
)
# `src/shop/test.py` and `shop/testing.py`, which their package ships
_SHIPPED: Final = re.compile(r"(?:(?:^|/)src/.+/test|./testing)\.pyi?$")
# FooTest.java, FooTests.swift, TestFoo.java
_CAMEL: Final = re.compile(r"^(?:Test[A-Z]\w*|\w*[a-z0-9](?:Test|Tests|TestCase|Spec|IT))\.\w+$")

# names of files that programs begin with, without their extension
_BEGINS: Final = frozenset(
    {"__main__", "main", "Main", "Program", "index", "app", "App", "server", "cli", "manage"}
    | {"wsgi", "asgi", "setup", "AppDelegate"}
)


def begins_program(path: str) -> bool:
    """True if programs usually begin with a file of this name."""
    return path.rpartition("/")[2].partition(".")[0] in _BEGINS


@lru_cache(_PATHS)
def path_kinds(path: str) -> frozenset[str]:
    """The kinds of a path, by its folders, its name and its extension."""
    folder, _, name = path.rpartition("/")
    stem, _, extension = name.rpartition(".")
    written = _WORD.findall(name)
    count, kinds = _of_extension(extension if stem else "")
    kinds |= _of_folder(folder)
    # the extension does not count here
    words = written[: len(written) - count]
    if len(words) != 1 or not (words[0].lower() in _ALONE or is_shipped(path)):
        for word in words:
            kinds |= _of_terms(terms_of_word(word))
    if not (stem and extension) and not _ABOUT.isdisjoint(_first_term(written)):
        kinds |= {DOCS}
    if _DATA_NAME.search(name) or not is_text_name(name):
        kinds |= {DATA}
    return kinds | {VENDORED} if _is_generated(name) else kinds


def is_kept_by_programs(path: str) -> bool:
    """True for translations, pinned versions, snapshots, and what is generated or minified.

    Their words are those of other files, or of no code.
    """
    folder, _, name = path.rpartition("/")
    extension = name.rpartition(".")[2].lower()
    if extension in _TRANSLATED or _SNAPSHOT_NAME.search(name) or _DATA_NAME.search(name):
        return True
    is_translated = extension in _MESSAGES and not _OF_LANGUAGES.isdisjoint(
        folder.lower().split("/")
    )
    return is_translated or _is_generated(name)


def asks_for_kept(question: frozenset[str]) -> bool:
    """True if a query asks for files that programs keep."""
    return not _OF_PROGRAMS.isdisjoint(question)


def rank_path(path: str, requested: frozenset[str] = _NOTHING) -> int:
    """One of the ranks; files of kinds that are asked for rank as code."""
    if _is_prose(path):
        return PROSE
    kinds = path_kinds(path) - requested
    if kinds:
        return TEST if TESTS in kinds else ASIDE
    return STUB if path.endswith(_STUBS) else CODE


def requested_kinds(question: frozenset[str]) -> frozenset[str]:
    """The kinds of files that a query asks for."""
    return frozenset(kind for kind, words in KIND_WORDS.items() if question & words)


def _of_terms(terms: Iterable[str]) -> frozenset[str]:
    if _ALL_WORDS.isdisjoint(terms):
        return _NOTHING
    return frozenset(kind for kind, signs in KIND_WORDS.items() if not signs.isdisjoint(terms))


@lru_cache(_REMEMBERED)
def _of_folder(folder: str) -> frozenset[str]:
    return _of_terms(terms_of_words(folder))


def _first_term(words: Iterable[str]) -> tuple[str, ...]:
    return next((terms[:1] for terms in map(terms_of_word, words) if terms), ())


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


def _is_prose(path: str) -> bool:
    """True if a file is prose by its extension: what it declares are headings."""
    _, dot, extension = path.rpartition(".")
    return bool(dot) and DOCS in _of_extension(extension)[1]


def is_test(path: str) -> bool:
    """True if a path is a test or a file for tests."""
    folder, _, name = path.rpartition("/")
    if folder and _is_in_tests(folder):
        return True
    if _TOPIC.match(name) or is_shipped(path):
        return False
    return _TEST_NAME.search(name) is not None or _CAMEL.match(name) is not None


def is_shipped(path: str) -> bool:
    """True for a Python module about tests that a package ships, by its name alone.

    These are `testing.py` in a folder, and `test.py` in a package below `src`: elsewhere `test.py`
    has the tests of what is beside it, as `tests.py` always has.
    """
    return _SHIPPED.search(path) is not None


# a tree has many files in few folders
@lru_cache(maxsize=4096)
def _is_in_tests(folder: str) -> bool:
    names = folder.lower().split("/")
    return any(name in _TEST_FOLDERS or _TEST_FOLDER.search(name) is not None for name in names)
