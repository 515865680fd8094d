"""Checks, shows and sums up all indexes of a repository, as the list in `stored` has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from code_graph.store.schema import ANSWERS_PATH, GraphProgress
from index_format import (
    DiskUse,
    Finding,
    Index,
    IndexFormatError,
    IndexMissingError,
    InvalidInputError,
    Severity,
    Snapshot,
    check,
    dump,
)
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.derived_index import DerivedIndex, damage_of
from repo_mcp.stored import GRAPH_INDEX, STORED_KINDS, TEXT_INDEX, StoredKind


class IndexSummary(NamedTuple):
    """An index that is made from another one, as it is on the disk.

    `problem` says why it can't be opened. `is_current`: complete, and of the current text; None
    for an index that does not say what it is of.
    """

    kind: StoredKind
    snapshot: Snapshot | None
    files: int = 0
    is_current: bool | None = False
    problem: str = ""


def disk_use(recipe: Recipe) -> DiskUse:
    """How much room all indexes take; reads no segment."""
    found = [
        Index(recipe.store(kind, create=False), kind.schema).disk_use() for kind in STORED_KINDS
    ]
    return DiskUse(*map(sum, zip(*found, strict=True)))


def check_indexes(recipe: Recipe) -> Iterator[Finding]:
    """What is wrong with any index; files of others than the text index have their folder."""
    for kind in STORED_KINDS:
        for finding in check(recipe.store(kind, create=False)):
            yield replace(finding, file=_label(kind, finding.file))


def drop_damaged(recipe: Recipe, indexes: Iterable[DerivedIndex]) -> None:
    """Remove those whose readers fail, or would answer wrongly; reads all of them."""
    for index in indexes:
        findings = check(recipe.store(index.kind, create=False))
        if any(finding.severity == Severity.ERROR for finding in findings):
            index.drop(damage_of(index.kind))


def open_derived(recipe: Recipe, text: Snapshot | None) -> Iterator[IndexSummary]:
    """The indexes beside the text index that are there, opened and not read."""
    for kind in STORED_KINDS:
        store = recipe.store(kind, create=False)
        if kind is TEXT_INDEX or not store.names():
            continue
        try:
            found = Index(store, kind.schema).snapshot()
        except IndexMissingError:
            continue
        except IndexFormatError as error:
            yield IndexSummary(kind, None, problem=str(error))
            continue
        is_current: bool | None = None
        if kind is GRAPH_INDEX:
            progress = GraphProgress.of(found)
            is_current = progress.complete and text is not None and progress.is_of(text)
        files = found.file_count - (found.find(ANSWERS_PATH) is not None)
        yield IndexSummary(kind, found, files, is_current)


def derived_indexes(recipe: Recipe) -> Iterator[Index]:
    """The same to be merged."""
    for kind in STORED_KINDS:
        store = recipe.store(kind, create=False)
        if kind is not TEXT_INDEX and store.names():
            yield Index(store, kind.schema)


def dump_files(recipe: Recipe, name: str | None, section: str | None, limit: int) -> Iterator[str]:
    """The content of an index file as text; without a name, the list of index files."""
    return list_files(recipe) if name is None else dump_file(recipe, name, section, limit)


def list_files(recipe: Recipe) -> Iterator[str]:
    """Names of the files of all indexes, with their folders as in `check_indexes`."""
    for kind in STORED_KINDS:
        names = recipe.store(kind, create=False).names()
        yield from (_label(kind, name) for name in sorted(names))


def dump_file(recipe: Recipe, label: str, section: str | None, limit: int) -> Iterator[str]:
    """The content of an index file as text, by its name as `list_files` gives it."""
    folder, _, name = label.rpartition("/")
    kinds = [kind for kind in STORED_KINDS if kind.folder == folder]
    kind = kinds[0] if kinds else TEXT_INDEX
    try:
        yield from dump(recipe.store(kind), name if kinds else label, section, limit)
    except InvalidInputError as error:
        raise Problem("argument_invalid", str(error)) from error


def _label(kind: StoredKind, name: str) -> str:
    return name if kind is TEXT_INDEX else f"{kind.folder}/{name}"
