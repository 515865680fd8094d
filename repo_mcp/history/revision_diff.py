"""The declarations that differ between two revisions."""

from __future__ import annotations

from collections.abc import Callable

from code_graph import Languages
from code_graph.facts import FAILED, Facts
from repo_mcp.answers.history import DeclaredEntry, DiffResult
from repo_mcp.git import Version, changed_files, with_renames
from repo_mcp.history.declared_changes import (
    REMOVED,
    DeclaredChange,
    FileVersions,
    declared_changes,
)
from repo_mcp.history.model import Check
from repo_mcp.history.repository_history import RepositoryHistory
from repo_mcp.text.files import decode

# the facts of a text at a path; None where its language is not known
Parse = Callable[[str, str], Facts | None]
Source = tuple[str, Facts]


def diff_revisions(
    history: RepositoryHistory,
    old_name: str,
    new_name: str,
    parse: Parse,
    check: Check,
    prefix: str = "",
) -> DiffResult:
    """The declarations that differ, of files that may be shown; wrong names are a `Problem`."""
    old, new = history.named(old_name), history.named(new_name)
    changes = history.reader.allowed(
        with_renames(changed_files(history.objects, old.tree, new.tree), history.reader.content)
    )
    files: list[FileVersions] = []
    unread: list[str] = []
    for change in changes:
        check()
        sides = [_source(history, version, parse) for version in change]
        if sides == [None, None]:
            unread.append(change.path)
        else:
            files.append(FileVersions(change.old.path, change.new.path, *sides))
    found = declared_changes(files, check)
    return DiffResult(
        old=old.identity.hex(),
        new=new.identity.hex(),
        declarations=[_entry(change, prefix) for change in found],
        files=len(changes),
        unread=[prefix + path for path in unread],
    )


def _source(history: RepositoryHistory, version: Version, parse: Parse) -> Source | None:
    if not version.is_regular:
        return None
    text = decode(history.reader.content(version.identity))
    facts = None if text is None else parse(version.path, text.content)
    if text is None or facts is None or facts.status == FAILED:
        return None
    return text.content, facts


def _entry(change: DeclaredChange, prefix: str) -> DeclaredEntry:
    is_gone = change.kind == REMOVED
    path = change.old_path if is_gone else change.path
    entry = DeclaredEntry(
        kind=change.kind,
        declaration=change.what,
        name=change.name,
        path=prefix + path,
        line=change.old_line if is_gone else change.line,
        signature=change.old_signature if is_gone else change.signature,
    )
    if change.old_name:
        entry.old_name = change.old_name
    if change.old_path not in {"", path}:
        entry.old_path = prefix + change.old_path
    if change.old_signature not in {"", entry.signature}:
        entry.old_signature = change.old_signature
    return entry


def parser_of(languages: Languages) -> Parse:
    """Parses texts by the languages of a repository."""
    from repo_mcp.indexing.build.builder import make_facts  # noqa: PLC0415 few compare revisions

    return lambda path, text: make_facts(languages, path, text)
