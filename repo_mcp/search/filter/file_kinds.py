"""The language and the kind of a file, by its path: what facets count and filters ask for."""

from __future__ import annotations

from collections.abc import Iterable

from code_graph import PROSE, Languages
from code_graph.paths.globs import literal_glob
from code_graph.paths.path_kinds import is_test
from repo_mcp.model import FILE_KINDS
from repo_mcp.search.query.tree import Filter

# the last one is also the language of files that no adapter reads
_CODE, TESTS, _DOCUMENTS, _OTHER = FILE_KINDS


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
