"""Answers about one commit, and about a file as it was in it."""

from __future__ import annotations

from typing import Final

from repo_mcp.answers.history import HistoryResult
from repo_mcp.answers.lines import NumberedLines
from repo_mcp.errors import Problem
from repo_mcp.git import FileChange, diff_lines
from repo_mcp.history.enclosing import declared_lines
from repo_mcp.history.model import ChangedLines, CommitHit
from repo_mcp.history.root_question import (
    AROUND,
    MOST_LINES,
    SHOWN_DIGITS,
    HistoryAnswer,
    RootQuestion,
    parse_lines,
    shown_text,
)
from repo_mcp.text.files import decode

# changed lines of a commit that is asked for by its name
_MOST_ROWS: Final = 400


def answer_file(root: RootQuestion) -> HistoryAnswer:
    """A file as it was in a commit."""
    asked = root.asked
    commit = root.history.named(asked.rev)
    version = root.history.version(commit, asked.path)
    if version is None:
        raise Problem("not_found", f"{asked.path} at {commit.identity.hex()[:SHOWN_DIGITS]}")
    text = decode(root.history.committed(version))
    if text is None:
        raise Problem("binary_file")
    rows = text.content.split("\n")
    rows = rows[:-1] if not rows[-1] else rows
    wanted = parse_lines(asked.lines) if asked.lines else (1, MOST_LINES)
    first, last = wanted[0], min(wanted[1], len(rows), wanted[0] + MOST_LINES - 1)
    shown: list[str] = []
    room = root.chars
    for row in rows[first - 1 : last]:
        room -= len(row) + 8
        if room < 0 and shown:
            break
        shown.append(shown_text(row.removesuffix("\r")))
    result = HistoryResult(
        path=f"{asked.path}@{commit.identity.hex()[:SHOWN_DIGITS]}",
        content=NumberedLines.of(shown, first),
        truncated=first + len(shown) - 1 < min(len(rows), wanted[1]),
    )
    return HistoryAnswer(result, shown=[f"{result.path}:{first}-{first + len(shown) - 1}"])


def answer_commit(root: RootQuestion) -> HistoryAnswer:
    """One commit: its message, its files and what it has changed."""
    commit = root.history.named(root.asked.rev)
    changes = root.history.reader.changes(commit, root.history.skip)
    wanted = root.asked.path.rstrip("/")
    if wanted:
        changes = [item for item in changes if _is_below(item, wanted)]
    hunks: list[ChangedLines] = []
    spans: list[tuple[int, int]] = []
    sources: dict[str, bytes] = {}
    rows = 0
    room = root.chars - len(commit.message)
    cut = False
    for change in changes:
        texts = root.history.texts(change)
        for hunk in () if texts is None else diff_lines(*texts, whole=True):
            shown = root.history.shown_hunk(change, hunk, texts or (b"", b""))
            size = sum(len(row) + 3 for row in shown.lines) + AROUND
            if hunks and (rows + len(shown.lines) > _MOST_ROWS or size > room):
                cut = True
                break
            room -= size
            rows += len(shown.lines)
            hunks.append(shown)
            is_gone = not change.new.is_there
            sources[shown.path] = texts[0 if is_gone else 1] if texts else b""
            spans.append((hunk.old + 1, hunk.old_end) if is_gone else (hunk.new + 1, hunk.new_end))
    declared = declared_lines(root.opened.manager, sources, root.budget)
    hunks = [
        item._replace(symbols=declared[item.path].names(*span)) if item.path in declared else item
        for item, span in zip(hunks, spans, strict=True)
    ]
    hit = CommitHit(commit, [item.path for item in changes][:MOST_LINES], hunks)
    message = commit.message.strip().partition("\n")[2].strip()
    result = HistoryResult(
        commits=[root.entry(hit)],
        message="\n".join(shown_text(row) for row in message.split("\n")),
        truncated=cut,
    )
    identity = commit.identity.hex()[:SHOWN_DIGITS]
    return HistoryAnswer(result, shown=[f"{path}@{identity}" for path in hit.files])


def _is_below(change: FileChange, path: str) -> bool:
    names = (change.old.path, change.new.path)
    return any(name == path or name.startswith(path + "/") for name in names)
