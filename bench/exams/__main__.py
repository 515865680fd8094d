"""Asks the product exams that were made by recipes of others.

    python -m bench.exams build --git FOLDER --keep FOLDER [--split test]
    python -m bench.exams run --git FOLDER --keep FOLDER [--texts FILE …] [--kind KIND]
                              [--split test] [--only OWNER/NAME] [--answers FOLDER] [--record]
    python -m bench.exams figures --git FOLDER --keep FOLDER [--answers FOLDER] [--record]

FOLDER of `--git` has bare repositories OWNER+NAME/repo; those that are not there are left out. For
`build` they are those of `bench/answers/repositories.toml`, and it writes which commits are asked.
Rows of `listed.toml` need texts, which `bench.exams.texts` says where to get. `--keep` gets trees,
indexes, and the answers to each row by kind and repository; figures are of all answers there, so a
run can be done in parts, and begins anew where `answers` is removed. Tools are asked as they are
served, each row in the tree and with the history before its fix. FOLDER of `--answers` is what
`python -m bench.answers build` has written: questions that nothing in a repository answers are
asked there, by `bench.answers.unanswerable`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from bench import machine
from bench.answers.history import histories, repository_folder
from bench.answers.unanswerable import refusals
from bench.exams.asked import SYSTEMS, Served
from bench.exams.figures import figures, means, ranks
from bench.exams.listed import listed_rows, read_all_texts
from bench.exams.rows import Row, rows_of

RESULT: Final = "exams"
UNANSWERABLE: Final = "unanswerable"
_SHOWN: Final = 20


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=("build", "run", "figures"))
    parser.add_argument("--git", type=Path, required=True, help="bare repositories")
    parser.add_argument("--keep", type=Path, required=True, help="rows, trees, indexes, answers")
    parser.add_argument("--texts", type=Path, action="append", default=[], help="texts of issues")
    parser.add_argument("--answers", type=Path, help="what bench.answers has built")
    parser.add_argument("--kind", action="append", default=[], choices=SYSTEMS)
    parser.add_argument("--split", choices=("train", "test"), default="test")
    parser.add_argument("--only", action="append", default=[], metavar="OWNER/NAME")
    parser.add_argument("--record", action="store_true", help="store the figures")
    args = parser.parse_args()
    if args.command == "build":
        build(args.git, args.keep, args.split)
        return
    if args.command == "run":
        run(args)
    told = measured(args.keep, args.split)
    if args.answers:
        told[UNANSWERABLE] = unanswerable(args.answers, args.split)
    for line in lines(told):
        print(line)
    if args.record:
        machine.keep(RESULT, {**machine.stored(RESULT), args.split: told})


def lines(told: Mapping[str, Any]) -> Iterator[str]:
    """The figures, a line for each system."""
    for kind, of_kind in told.items():
        for system, shares in of_kind.get("systems", of_kind).items():
            yield f"{kind:12} {system:18} " + " ".join(f"{k} {v}" for k, v in shares.items())


def build(git: Path, keep: Path, split: str) -> None:
    """Write the rows of each repository that are drawn from its commits."""
    for history in histories(split):
        git_dir = repository_folder(git, history.name)
        if git_dir.is_dir():
            rows = rows_of(git_dir, history)
            path = keep / "rows" / f"{history.folder}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"{row.line()}\n" for row in rows), "utf-8")
            counts = {kind: sum(row.kind == kind for row in rows) for kind in SYSTEMS}
            print(history.name, {kind: count for kind, count in counts.items() if count})


def run(args: argparse.Namespace) -> None:
    """Ask the rows, and keep the answers by kind and repository."""
    texts = read_all_texts(args.git, args.texts)
    by_repository: dict[str, list[Row]] = {}
    for row in _rows(args, texts):
        is_asked = not args.only or row.repository in args.only
        if is_asked and (not args.kind or row.kind in args.kind):
            by_repository.setdefault(row.repository, []).append(row)
    for name, rows in by_repository.items():
        served = Served(args.git, args.keep, name)
        for kind in {row.kind for row in rows}:
            _answers(args.keep, kind).mkdir(parents=True, exist_ok=True)
            _file(args.keep, kind, name).unlink(missing_ok=True)
        for row in served.in_time(rows):
            try:
                told = _answer(served, row, texts)
            except subprocess.CalledProcessError:  # a copy of the repository that lacks large files
                print(f"{name} {row.fix}: left out, its tree can't be written", file=sys.stderr)
                continue
            with _file(args.keep, row.kind, name).open("a", encoding="utf-8") as written:
                written.write(json.dumps(told) + "\n")
        print(f"{name}: {len(rows)} rows", flush=True)


def _rows(args: argparse.Namespace, texts: Mapping[str, str]) -> Iterator[Row]:
    for history in histories(args.split):
        path = args.keep / "rows" / f"{history.folder}.jsonl"
        if path.is_file():
            yield from map(Row.parse, path.read_text("utf-8").splitlines())
    yield from listed_rows(args.git, args.split, texts)


def _answers(keep: Path, kind: str) -> Path:
    return keep / "answers" / kind


def _file(keep: Path, kind: str, name: str) -> Path:
    return _answers(keep, kind) / f"{name.replace('/', '+')}.jsonl"


def _answer(served: Served, row: Row, texts: Mapping[str, str]) -> dict[str, Any]:
    """The answers of each system to a row; none for a change that is outside of functions."""
    question = served.question(row, texts)
    answers: dict[str, Any] = {}
    for system, ask in SYSTEMS[row.kind].items() if question.right else ():
        found = ask(question)
        told = [f"{it.path}:{it.first}-{it.last}" if it.last else it.path for it in found]
        answers[system] = {
            "figures": figures(found, question.right),
            "ranks": ranks(found, question.right),
            "found": told[:_SHOWN],
        }
    right = [*map(str, question.right)]
    asked = {"row": json.loads(row.line()), "text": question.text, "right": right}
    return {**asked, "answers": answers}


def measured(keep: Path, split: str) -> dict[str, Any]:
    """The figures of each kind by system, of all answers that are kept."""
    told: dict[str, Any] = {}
    for kind, systems in SYSTEMS.items():
        files = sorted(_answers(keep, kind).glob("*.jsonl"))
        rows = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
        rows = [row for row in rows if row["row"]["split"] == split and row["answers"]]
        if rows:
            told[kind] = {
                "repositories": len({row["row"]["repository"] for row in rows}),
                "systems": {
                    system: means([row["answers"][system]["figures"] for row in rows])
                    for system in systems
                },
            }
    return told


def unanswerable(answers: Path, split: str) -> dict[str, Any]:
    """The shares of questions whose answers say that they are none, by group."""
    refused, _ = refusals(answers, split)
    return {
        name: {"questions": len(items), "refused": round(fmean(items), 3)}
        for name, items in sorted(refused.items())
    }


if __name__ == "__main__":
    main()
