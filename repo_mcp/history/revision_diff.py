"""The declarations that differ between two revisions, or since one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from code_graph import Languages
from code_graph.brackets import split_at_commas
from code_graph.facts import FAILED, Declaration, Facts
from index_format.tuples import NamedTuple
from repo_mcp.answers.history import DeclaredEntry, DiffResult
from repo_mcp.git import Commit, FileChange, Version, gaps_text
from repo_mcp.history.declared_changes import (
    DeclaredChange,
    FileVersions,
    compare_declarations,
)
from repo_mcp.history.model import Check
from repo_mcp.history.repository_history import GAP, RepositoryHistory
from repo_mcp.history.working_tree import Checkout, working_changes
from repo_mcp.text.files import decode

# signatures of more characters have the parameters alone that differ
_LONG: Final = 160
# bytes of files that are parsed: of others no declarations are known
_MOST_BYTES: Final = 64 << 20

Source = tuple[str, Facts]


class DiffSides(NamedTuple):
    """The revisions that are compared; without a second one, the files as they are now."""

    old: str = ""
    new: str | None = None
    # from the last commit that both have before them
    from_base: bool = False


class RevisionDiff:
    """Compares revisions of one root, and its files as they are now."""

    def __init__(
        self, history: RepositoryHistory, languages: Languages, check: Check, prefix: str = ""
    ) -> None:
        """Keep the arguments; paths are shown behind the prefix."""
        self._history = history
        self._languages = languages
        self._check = check
        self._prefix = prefix

    def of(self, sides: DiffSides, checkout: Checkout) -> DiffResult:
        """The declarations that differ, of files that may be shown; wrong names are a `Problem`."""
        history = self._history
        old = history.named(sides.old)
        if sides.new is None:
            found = working_changes(history, old, checkout, self._check)
            return self._result(old, "", found.changes, found.contents)
        new = history.named(sides.new)
        if sides.from_base:
            old = history.common(old, new)
        found_changes = history.changes_between(old.tree, new.tree)
        return self._result(old, new.identity.hex(), found_changes, {})

    def _result(
        self,
        old: Commit,
        new: str,
        changes: Sequence[FileChange],
        contents: Mapping[bytes, bytes],
    ) -> DiffResult:
        allowed = self._history.reader.allowed(changes)
        files: list[FileVersions] = []
        unread: list[str] = []
        held = 0
        for change in allowed:
            self._check()
            if held > _MOST_BYTES:
                unread.append(change.path)
                continue
            texts = [
                self._history.text_of(item, contents) if item.is_regular else b"" for item in change
            ]
            held += sum(len(text or b"") for text in texts)
            before, behind = map(self._source, change, texts)
            if None in texts or (before is None and behind is None):
                unread.append(change.path)
            else:
                paths = change.old.path, change.new.path
                files.append(
                    FileVersions(*paths, before, behind, self._languages.language_of(change.path))
                )
        found = compare_declarations(files, self._check)
        return DiffResult(
            old=old.identity.hex(),
            new=new,
            declarations=[declared_entry(change, self._prefix) for change in found],
            files=len(allowed),
            unread=[self._prefix + path for path in unread],
            notes=[text for text in [gaps_text(self._history.gaps)] if text],
        )

    def _source(self, version: Version, data: bytes | None) -> Source | None:
        text = decode(data) if version.is_regular and data is not None else None
        from repo_mcp.indexing.build.builder import make_facts  # noqa: PLC0415 few compare revisions

        facts = None if text is None else make_facts(self._languages, version.path, text.content)
        if text is None or facts is None or facts.status == FAILED:
            return None
        return text.content, facts


def declared_entry(change: DeclaredChange, prefix: str = "") -> DeclaredEntry:
    """A declaration that differs, as answers have it; paths are shown behind the prefix."""
    is_gone = change.kind == "removed"
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
        if max(len(entry.signature), len(entry.old_signature)) > _LONG:
            _shorten(entry, change)
    return entry


def _shorten(entry: DeclaredEntry, change: DeclaredChange) -> None:
    """Leave only the parameters in two long signatures that differ."""
    if change.before is None or change.behind is None:
        return
    old, new = (_parts(item.parameters) for item in (change.before, change.behind))
    if [*old] == [*new] or not old or not new:
        return
    entry.old_signature = _differing(change.before, old, new)
    entry.signature = _differing(change.behind, new, old)


def _parts(parameters: str) -> list[str]:
    """The parameters of a list, which is cut off where it is very long."""
    is_whole = parameters.endswith(")")
    parts = split_at_commas(parameters[1:-1] if is_whole else parameters[1:])
    return parts if is_whole else [*parts[:-1], GAP]


def _differing(declared: Declaration, own: Sequence[str], other: Sequence[str]) -> str:
    kept = [part if part not in other else GAP for part in own]
    rows = [part for at, part in enumerate(kept) if part != GAP or kept[at - 1 : at] != [GAP]]
    returns = f" → {declared.returns}" if declared.returns else ""
    return f"{declared.name}({', '.join(rows)}){returns}"
