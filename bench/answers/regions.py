"""Reads the lines that changes touch, as they stand in the tree before them.

    python -m bench.answers.regions --git FOLDER --keep FOLDER [--split test]

Writes the set `regions` beside `changes` of `bench.answers`: the same queries, and the lines that
each commit removes or that are beside what it adds, as far as they occur once in their file of the
tree; queries of which no such line is found are left out. `functions` finds the declarations
around such lines, as an index has them.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from bench.answers.history import History, histories, read_git, repository_folder
from bench.answers.judge import is_source, kept_set
from bench.ranking import messages, trees
from bench.ranking.judgements import Judgement, Place
from bench.ranking.patches import Patch
from code_graph.facts import decode_declarations
from code_graph.store.schema import FACTS
from index_format import Snapshot

SET: Final = "regions"
FUNCTIONS: Final = frozenset(
    {"function", "method", "constructor", "test", "macro", "getter", "setter"}
)
_ENTRY, _PART = "\x01", "\x02"
_SIDE: Final = re.compile(r"^--- a/(.+)$|^@@ -(\d+)(?:,(\d+))? ", re.MULTILINE)
# a shorter line says too little to be found again
_SHORTEST: Final = 5
Changed = dict[str, list[tuple[int, str]]]


def trees_with_regions(keep: Path, split: str, only: Sequence[str]) -> list[str]:
    """The folders of the repositories of a split that have such a set, of those named if any."""
    names = [item.folder for item in histories(split)]
    there = [name for name in names if (keep / "sets" / name / f"{SET}.txt").is_file()]
    return [name for name in there if not only or name in only]


def main() -> None:
    """Write the sets of a split."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--git", type=Path, required=True, help="bare repositories")
    parser.add_argument("--keep", type=Path, required=True, help="trees and sets")
    parser.add_argument("--split", choices=("train", "test"), default="train")
    args = parser.parse_args()
    for history in histories(args.split):
        folder = args.keep / "sets" / history.folder
        if (folder / "changes.txt").is_file():
            root = args.keep / "trees" / history.folder
            asked = {item.query: item for item in kept_set(args.keep, history.folder, "changes")}
            found = list(_judged(repository_folder(args.git, history.name), history, root, asked))
            text = "".join(f"{item.line()}\n" for item in found)
            (folder / f"{SET}.txt").write_text(text, "utf-8")
            print(f"{history.name}: {len(found)} of {len(asked)}", flush=True)


def _judged(
    git_dir: Path, history: History, root: Path, asked: Mapping[str, Judgement]
) -> Iterator[Judgement]:
    texts = dict(trees.texts(root))
    known = messages.parts(texts)
    left = dict(asked)
    for patch, changed in _patches(git_dir, history):
        query = " ".join(messages.message(patch, known)).strip()
        item = left.get(query)
        if item is None:
            continue
        lines = [
            Place(path, line, line)
            for path, rows in changed.items()
            if path in texts and is_source(path) and " " not in path
            for line in sorted(_found_again(texts[path].split("\n"), rows))
        ]
        if lines:
            del left[query]
            yield Judgement(item.repository, item.form, query, tuple(lines))


def _patches(git_dir: Path, history: History) -> Iterator[tuple[Patch, Changed]]:
    """The commits after the base, newest first, with the lines that each changes."""
    form = f"--format={_ENTRY}%B{_PART}"
    span = f"{history.base}..{history.head}"
    log = ("-c", "core.quotepath=off", "log", "--no-merges", "--no-renames", "-p", "-U1")
    shown = read_git(git_dir, *log, form, span)
    for entry in shown.split(_ENTRY)[1:]:
        message, _, diff = entry.partition(_PART)
        changed = read_diff(diff)
        yield Patch.of_commit(message, changed), changed


def read_diff(diff: str) -> Changed:
    """By path, the old lines of a diff with one line of context that it removes or adds beside."""
    found: Changed = {}
    path = ""
    line = 0
    added = False
    for row in diff.split("\n"):
        if row.startswith("diff --git "):
            path = ""
        elif row.startswith("--- a/") and not line_is_open(line):
            path = row[6:]
        elif (hunk := _SIDE.match(row)) and hunk[2]:
            line, added = int(hunk[2]), False
        elif path and line and row[:1] in {"-", " ", "+"}:
            if row[0] == "+":
                added = True
                continue
            rows = found.setdefault(path, [])
            if row[0] == "-" or added:
                rows.append((line, row[1:]))
            line += 1
            added = False
        if row.startswith("diff --git "):
            line = 0
    return {name: rows for name, rows in found.items() if rows}


def line_is_open(line: int) -> bool:
    """True within a hunk, where a removed line may begin like a header."""
    return line > 0


def _found_again(rows: Sequence[str], changed: Iterable[tuple[int, str]]) -> set[int]:
    """The numbers of changed lines that are once in a file."""
    plain = [row.strip() for row in rows]
    counts = Counter(plain)
    places = {row: at for at, row in enumerate(plain, 1)}
    told = (row.strip() for _, row in changed)
    return {places[row] for row in told if len(row) >= _SHORTEST and counts.get(row) == 1}


def functions(snapshot: Snapshot, places: Iterable[Place]) -> list[Place]:
    """The innermost functions around lines, one place each."""
    by_path: dict[str, list[int]] = {}
    for place in places:
        by_path.setdefault(place.path, []).append(place.first)
    found: dict[Place, None] = {}
    for path, lines in by_path.items():
        file = snapshot.file(path)
        data = b"" if file is None else snapshot.attachment_of(file.first_chunk, FACTS)
        declared = decode_declarations(data).declarations if data else ()
        spans = [
            Place(path, item.start_line, item.end_line)
            for item in declared
            if item.kind in FUNCTIONS
        ]
        for line in lines:
            around = [span for span in spans if span.first <= line <= span.last]
            if around:
                found[min(around, key=lambda span: span.last - span.first)] = None
    return list(found)


if __name__ == "__main__":
    main()
