"""Answers about one commit, and about a file as it was in it."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from itertools import islice
from typing import Final

from code_graph.paths.path_kinds import rank_path
from index_format.tuples import NamedTuple
from repo_mcp.answers.history import HistoryResult
from repo_mcp.answers.lines import NumberedLines
from repo_mcp.errors import Problem
from repo_mcp.git import FileChange, diff_lines
from repo_mcp.history.commit_index import path_filter
from repo_mcp.history.enclosing import declared_lines
from repo_mcp.history.model import ChangedLines, CommitHit
from repo_mcp.history.root_question import (
    AROUND,
    MOST_LINES,
    SHOWN_DIGITS,
    HistoryAnswer,
    RootQuestion,
    cut_message,
    message_rest,
    parse_lines,
    shown_text,
)
from repo_mcp.text.files import decode
from repo_mcp.text.plurals import counted

# changed lines of a commit that is asked for by its name
_MOST_ROWS: Final = 400
# bytes of both sides of its files: others are named
_MOST_BYTES: Final = 32 << 20
# the message of a commit and its changed lines share the room
_SHARES: Final = 2
# characters of the row of a file with its declarations
_NAMED: Final = 90


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
    content = text.content
    count = content.count("\n") + (content[-1:] not in {"", "\n"})
    wanted = parse_lines(asked.lines) if asked.lines else (1, MOST_LINES)
    first, last = wanted[0], min(wanted[1], count, wanted[0] + MOST_LINES - 1)
    shown: list[str] = []
    room = root.chars
    for line in islice(StringIO(content, newline="\n"), first - 1, last):
        row = line.removesuffix("\n").removesuffix("\r")
        room -= len(row) + 8
        if room < 0 and shown:
            break
        shown.append(shown_text(row))
    result = HistoryResult(
        path=f"{asked.path}@{commit.identity.hex()[:SHOWN_DIGITS]}",
        content=NumberedLines.of(shown, first),
        truncated=first + len(shown) - 1 < min(count, wanted[1]),
    )
    return HistoryAnswer(result, shown=[f"{result.path}:{first}-{first + len(shown) - 1}"])


def answer_commit(root: RootQuestion) -> HistoryAnswer:
    """One commit: its message, its files and what it has changed.

    Of files whose lines do not fit, the changed declarations are named.
    """
    commit = root.history.named(root.asked.rev)
    changes = wanted_changes(root, root.history.reader.changes(commit, root.history.skip))
    hunks: list[ChangedLines] = []
    spans: list[tuple[int, int]] = []
    left: dict[str, _LeftOut] = {}
    sources: dict[str, bytes] = {}
    rows = 0
    # files whose lines do not fit are named, too
    whole_message = message_rest(commit)
    message = cut_message(whole_message, root.chars // _SHARES)
    room = root.chars - len(message) - _NAMED * len(changes)
    held = 0
    for change in changes:
        root.budget.check()
        if held > _MOST_BYTES:
            break
        texts = root.history.texts(change)
        held += sum(map(len, texts or ()))
        for hunk in () if texts is None else diff_lines(*texts, whole=True):
            sides = hunk.old_end - hunk.old, hunk.new_end - hunk.new
            old, new = (range(min(side, _MOST_ROWS)) for side in sides)
            shown = root.history.shown_hunk(change, hunk, texts or (b"", b""), (old, new))
            is_gone = not change.new.is_there
            span = (hunk.old + 1, hunk.old_end) if is_gone else (hunk.new + 1, hunk.new_end)
            sources[shown.path] = texts[0 if is_gone else 1] if texts else b""
            size = sum(len(row) + 3 for row in shown.lines) + AROUND
            if shown.path in left or (
                hunks and (rows + len(shown.lines) > _MOST_ROWS or size > room)
            ):
                left.setdefault(shown.path, _LeftOut(shown, [])).spans.append(span)
                continue
            room -= size
            rows += len(shown.lines)
            hunks.append(shown)
            spans.append(span)
    # code is parsed before files that are generated, tests and prose
    sources = {path: sources[path] for path in sorted(sources, key=rank_path)}
    declared = declared_lines(root.opened.manager, sources, root.budget)
    hunks = [
        item._replace(symbols=declared[item.path].names(*span)) if item.path in declared else item
        for item, span in zip(hunks, spans, strict=True)
    ]
    hunks += [
        item.shown._replace(lines=(), symbols=declared[path].all_names(item.spans))
        for path, item in left.items()
        if path in declared
    ]
    hit = CommitHit(commit, [item.path for item in changes][:MOST_LINES], hunks)
    entry = root.entry(hit)
    entry.message = message
    is_cut = message != whole_message
    result = HistoryResult(commits=[entry], truncated=bool(left) or is_cut or held > _MOST_BYTES)
    identity = commit.identity.hex()[:SHOWN_DIGITS]
    return HistoryAnswer(result, shown=[f"{path}@{identity}" for path in hit.files])


class _LeftOut(NamedTuple):
    """The first hunk of a file whose lines do not fit, and the lines of all of these."""

    shown: ChangedLines
    spans: list[tuple[int, int]]


def wanted_changes(root: RootQuestion, changes: Sequence[FileChange]) -> Sequence[FileChange]:
    """The changes of files that the path means; a `Problem` where it means none of them."""
    path = root.asked.path
    is_wanted = path_filter(path)
    found = [item for item in changes if is_wanted(item.new.path) or is_wanted(item.old.path)]
    if changes and not found:
        one = f"{path} among the {counted(len(changes), 'file')} that this commit has changed"
        raise Problem("not_found", one)
    return found
