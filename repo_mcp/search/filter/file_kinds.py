"""The language and the kind of a file, by its path: what facets count and filters ask for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from code_graph import PROSE, Languages
from code_graph.paths.globs import literal_glob
from code_graph.paths.path_kinds import (
    DATA,
    DOCS,
    STUB,
    is_kept_by_programs,
    is_test,
    path_kinds,
    rank_path,
)
from repo_mcp.model import FILE_KINDS
from repo_mcp.question.syntax.tree import Filter

# the last one is also the language of files that no adapter reads
_CODE, TESTS, _DOCUMENTS, _OTHER = FILE_KINDS
RANK_OF_TESTS: Final = 2
# folders of code of others
_VENDORED: Final = re.compile(
    r"(?:^|/)(?:vendor|vendored|third_party|thirdparty|node_modules|bower_components)/"
)
# pages of a site and templates, unless a folder says that they are documents
_MARKUP: Final = (".html", ".htm")


def language_name(path: str, languages: Languages) -> str:
    """The language of a file."""
    return languages.language_of(path) or _OTHER


def kind_of(path: str, languages: Languages) -> str:
    """One of the kinds."""
    return TESTS if is_test(path) else kind_of_language(language_name(path, languages))


def kind_of_language(name: str) -> str:
    """The kind of files of a language that are no tests."""
    if name == _OTHER:
        return _OTHER
    return _DOCUMENTS if name in PROSE else _CODE


def reading_rank(path: str, languages: Languages) -> int:
    """The place of a file's kind in lists of lines: lower numbers are more likely to be wanted.

    Code that runs comes before configuration, templates and examples; tests follow, then prose,
    what is vendored, translations, and files that no person writes.
    """
    if is_test(path):
        return RANK_OF_TESTS
    kind = kind_of(path, languages)
    if _VENDORED.search(path):
        return RANK_OF_TESTS + 1
    if kind == _CODE:
        return 0 if rank_path(path) <= STUB and not is_kept_by_programs(path) else 1
    stem, dot, _ = path.rpartition(".")
    is_prose = kind == _DOCUMENTS and not path.endswith(_MARKUP)
    is_last = is_prose or is_kept_by_programs(path) or DATA in path_kinds(path)
    return RANK_OF_TESTS + 1 if is_last or DOCS in path_kinds(stem if dot else path) else 1


def facet_filters(language: str | None, kind: str | None) -> tuple[Filter, ...]:
    """The filters for values of facets, as far as any are chosen."""
    by_language = (Filter("language", language),) if language else ()
    return (*by_language, Filter("kind", kind)) if kind else by_language


def path_filters(folder: str, extensions: str = "", path_filter: str = "") -> tuple[Filter, ...]:
    """The filters for files in a folder, with one of some endings, and of a glob."""
    found = [Filter("glob", f"{literal_glob(folder)}/**")] if folder else []
    if path_filter.strip():
        found.append(Filter("glob", path_filter.strip()))
    names = (name.strip().lstrip("*.") for name in extensions.split(","))
    return (*found, *(Filter("ext", name) for name in names if name))


def has_values(path: str, filters: Iterable[Filter], languages: Languages) -> bool:
    """True if a path has the values of such filters."""
    return all(
        item.text == (language_name if item.kind == "language" else kind_of)(path, languages)
        for item in filters
    )
