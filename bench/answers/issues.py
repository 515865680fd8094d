"""Measures what people report: titles and first paragraphs of issues, to the files of their fixes.

    python -m bench.answers.issues --git FOLDER --keep FOLDER --texts FILE [--split test]
    python -m bench.answers.issues … --ranks [--whole] [--past] [--record]

FILE is `RustForger/data/rb_all_bug_report.json` of the repository GhabiX/Rust-SWE-Bench: texts of
issues by repository and the pull request that closed them. `issues.toml` has repository, pull
request, the commit before it and a hash of the question, no text. Right are the source files that
the pull request changed or deleted, and each question is asked in the tree before it. FOLDER of
`--git` has bare repositories OWNER+NAME/repo. Word vectors were trained on those of the split
`seen`, which weights were chosen on besides those of `train`.

Without `--ranks`, words alone are compared with words and meaning. With it, the product is asked as
it is served, and the figures are shares of issues: those whose changed files are all among the
first one, five and ten, or at least one of them is, and those whose changed functions are all, or
at least one, among ten functions. `--whole` asks the text of an issue as it was written. With
`--past`, commits before the fix are known, as a server indexes them; trees then have links to the
objects of the bare repositories.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from pathlib import Path
from statistics import mean
from typing import Any, Final

from bench.answers import regions
from bench.answers.compare import compare
from bench.answers.history import check_out, known_past, read_git, repository_folder
from bench.answers.judge import is_source
from bench.machine import keep
from bench.ranking import messages
from bench.ranking.judgements import Judgement, Place
from bench.ranking.ours import open_tree, opened
from repo_mcp.answers.lines import FILE, FUNCTION
from repo_mcp.search import PastChanges

LIST: Final = Path(__file__).with_name("issues.toml")
_DEPTHS: Final = (1, 5, 10)
_SPLITS: Final = ("train", "seen", "test")
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_CODE: Final = re.compile(r"^\s*```.*?(^\s*```|\Z)", re.DOTALL | re.MULTILINE)
# headings, check lists, tables, quotes, pictures
_NO_PROSE: Final = ("#", "- [", "* [", "<", "|", ">", "![")
_FEWEST_WORDS, _MOST_WORDS = 8, 80


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--git", type=Path, required=True, help="bare repositories")
    parser.add_argument("--keep", type=Path, required=True, help="trees and indexes")
    parser.add_argument("--texts", type=Path, required=True, help="texts of issues")
    parser.add_argument("--split", choices=_SPLITS, default="train")
    parser.add_argument("--ranks", action="store_true", help="places of right files, as served")
    parser.add_argument("--whole", action="store_true", help="ask the whole text of an issue")
    parser.add_argument("--past", action="store_true", help="with what earlier commits tell")
    parser.add_argument("--record", action="store_true", help="store the figures")
    args = parser.parse_args()
    rows = listed(args.git, args.split)
    asked = questions(args.git, args.keep, read_texts(args.texts), rows, whole=args.whole)
    indexes = args.keep / "indexes"
    if not args.ranks:
        print(compare(((root, item) for root, item, _ in asked if item.places), indexes))
        return
    pasts = [(args.git, row["before"]) if args.past else None for row in rows]
    measured = ranks(zip(asked, pasts, strict=True), indexes)
    for name, figures in measured.items():
        print(name, " ".join(f"{key} {share:.3f}" for key, share in figures.items()))
    if args.record:
        name = "reports-past" if args.past else "reports"
        keep(name, {"split": args.split, "whole": args.whole, "shares": measured})


def listed(git: Path, split: str) -> list[dict[str, Any]]:
    """The issues of a split whose repositories are there."""
    rows: list[dict[str, Any]] = tomllib.loads(LIST.read_text("utf-8"))["issue"]
    chosen = [row for row in rows if row["split"] == split]
    return [row for row in chosen if repository_folder(git, row["repository"]).is_dir()]


def read_texts(file: Path) -> dict[str, str]:
    """Texts of issues by repository and pull request."""
    return {key.lower(): text for key, text in json.loads(file.read_text("utf-8")).items()}


def ranks(
    asked: Iterable[tuple[tuple[Path, Judgement, list[Place]], tuple[Path, str] | None]],
    indexes: Path,
) -> dict[str, dict[str, float]]:
    """Shares of issues by how early their places come, of all and where one file was changed.

    With each question may be the bare repositories and the commit up to which the past is known.
    """
    measured: dict[str, list[dict[str, float]]] = {"all": [], "one file": []}
    for (root, item, lines), commit in asked:
        if not item.places:
            continue
        index = indexes / root.name
        parts, snapshot = opened(root, index, "")
        with known_past(parts, root, item.repository, commit) as past:
            row = _file_ranks(root, index, item, past)
            right = regions.functions(snapshot, lines)
            row.update(_function_ranks(root, index, item, right, past) if right else {})
        measured["all"].append(row)
        if len(item.places) == 1:
            measured["one file"].append(row)
    return {name: _shares(rows) for name, rows in measured.items() if rows}


def _shares(rows: list[dict[str, float]]) -> dict[str, float]:
    """The mean of each figure, over the issues that have it."""
    told = {key: [row[key] for row in rows if key in row] for key in dict.fromkeys(chain(*rows))}
    return {"issues": float(len(rows)), **{key: mean(values) for key, values in told.items()}}


def _file_ranks(
    root: Path, index: Path, item: Judgement, past: PastChanges | None
) -> dict[str, float]:
    search = open_tree(root, index, "", light=True, level=FILE, past=past)({})
    found = [answer.path for answer in search(item.query, _DEPTHS[-1])]
    right = {place.path for place in item.places}
    return {
        **{f"@{depth}": float(right <= set(found[:depth])) for depth in _DEPTHS},
        **{f"any @{depth}": float(not right.isdisjoint(found[:depth])) for depth in _DEPTHS},
    }


def _function_ranks(
    root: Path, index: Path, item: Judgement, right: Collection[Place], past: PastChanges | None
) -> dict[str, float]:
    """Figures of functions."""
    search = open_tree(root, index, "", light=True, level=FUNCTION, past=past)({})
    hits = search(item.query, _DEPTHS[-1])
    told: dict[str, float] = {}
    for depth in _DEPTHS:
        # of a long function a hit may be a part
        found = {
            place
            for hit in hits[:depth]
            for place in right
            if hit.path == place.path and place.first <= hit.last and hit.first <= place.last
        }
        told[f"a function @{depth}"] = float(bool(found))
        told[f"functions @{depth}"] = float(found == {*right})
    return told


def questions(
    git: Path, keep: Path, texts: dict[str, str], rows: list[dict[str, Any]], *, whole: bool = False
) -> Iterator[tuple[Path, Judgement, list[Place]]]:
    """Each question with its tree, which is written just before, and the lines of its change.

    One whose tree can't be written has no places.
    """
    for row in rows:
        folder = row["repository"].replace("/", "+")
        root, git_dir = keep / "trees" / folder, repository_folder(git, row["repository"])
        changed = read_git(git_dir, "diff", *_DIFF, row["before"], row["fix"]).split("\n")
        key = f"{row['repository'].replace('/', '__')}-{row['pull']}".lower()
        text = question(texts[key], frozenset(messages.parts(filter(None, changed))))
        if hashlib.sha256(text.encode()).hexdigest()[:16] != row["question"]:
            raise SystemExit(f"{key}: another text")
        try:
            check_out(git_dir, row["before"], root)
        except subprocess.CalledProcessError:  # a copy of the repository that lacks large files
            print(f"{key}: left out, its tree can't be written", file=sys.stderr, flush=True)
            yield root, Judgement(row["repository"], "issue", "", ()), []
            continue
        right = [path for path in changed if path and is_source(path) and " " not in path]
        places = tuple(Place(path) for path in right if (root / path).is_file())
        asked = texts[key] if whole else text
        item = Judgement(row["repository"], "issue", asked.replace("\t", " "), places)
        kept = [place.path for place in places]
        yield root, item, changed_lines(git_dir, row["before"], row["fix"], *kept)


def changed_lines(git_dir: Path, before: str, fix: str, *paths: str) -> list[Place]:
    """The lines of some files that a change removes, or writes beside."""
    diff = read_git(git_dir, "diff", *_LINES, before, fix, "--", *paths)
    told = regions.read_diff(diff)
    return [Place(path, line, line) for path, rows in told.items() for line, _ in rows]


_LINES: Final = ("--no-renames", "-U1")
_DIFF: Final = ("--no-renames", "--name-only", "--diff-filter=MD")


def question(text: str, known: frozenset[str]) -> str:
    """The title of an issue and the first paragraph of prose that adds to it."""
    text = _CODE.sub("\n\n", _COMMENT.sub("", text.replace("\r", "")))
    title, *rows = text.split("\n")
    title = messages.plain(title, known)
    for paragraph in _paragraphs(rows):
        told = messages.plain(paragraph, known)
        words = messages.WORD.findall(told)
        if len(words) >= _FEWEST_WORDS and not set(words) <= set(messages.WORD.findall(title)):
            return " ".join(f"{title} {told}".split()[:_MOST_WORDS])
    return " ".join(title.split())


def _paragraphs(rows: list[str]) -> Iterator[str]:
    held: list[str] = []
    for row in [*map(str.strip, rows), ""]:
        if row and not row.startswith(_NO_PROSE):
            held.append(row)
        elif held:
            yield " ".join(held)
            held = []


if __name__ == "__main__":
    main()
