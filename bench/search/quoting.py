"""Measures ranked search for questions of people that hold what could be syntax.

    python -m bench.search.quoting GIT=TREE... [--questions 40] [--keep FOLDER] [--missed]

GIT is a git directory, TREE a folder with the files of its newest commit. Questions are subjects
and first paragraphs of commits that quote several words, name `file:line:column` or have a word
that begins with a dash, always the same ones for a repository; right are the files that a commit
changed and that still exist. Printed are NDCG@10 and how many questions have no hit: of the
questions as they are, and `cleaned` of all marks.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from bench.ranking.judgements import Place
from bench.ranking.metrics import Ranked, by_file
from bench.ranking.ours import ours

_ENTRY, _PART = "\x01", "\x02"
_MARKED: Final = re.compile(r'(?<!\S)"[^"]+\s[^"]+"(?=[\s)]|$)|(?<=\s)-[A-Za-z]{3}|\w:\d+:\d+')
_CHANGELOG: Final = re.compile(r"(^|/)(changelog|changes|news|history)", re.IGNORECASE)
_FEWEST_WORDS: Final = 6
_LONGEST: Final = 400
_MOST_FILES: Final = 8
_TOP: Final = 10


class Question(NamedTuple):
    """A question, and the files that answer it."""

    text: str
    paths: tuple[str, ...]

    @property
    def cleaned(self) -> str:
        """The question without what could be syntax."""
        return " ".join(re.findall(r"\w+", self.text))


def questions(git: Path, tree: Path, count: int) -> list[Question]:
    """Some commits' messages, drawn by chance, but always the same."""
    found = {item.text: item for item in _commits(git, tree)}
    drawn = sorted(found, key=lambda text: hashlib.sha256(text.encode()).digest())
    return [found[text] for text in drawn[:count]]


def _commits(git: Path, tree: Path) -> Iterator[Question]:
    form = f"--format={_ENTRY}%B{_PART}"
    command = ["git", f"--git-dir={git}", "log", "--no-merges", "--name-only", form]
    done = subprocess.run(command, capture_output=True, check=True)
    for entry in done.stdout.decode("utf-8", "replace").split(_ENTRY)[1:]:
        message, _, names = entry.partition(_PART)
        subject, *paragraphs = (" ".join(part.split()) for part in message.strip().split("\n\n"))
        paths = [name for name in names.strip().split("\n") if name]
        there = tuple(
            name for name in paths if not _CHANGELOG.search(name) and (tree / name).is_file()
        )
        if not 0 < len(there) <= len(paths) <= _MOST_FILES:
            continue
        for text in (subject, *paragraphs[:1]):
            fits = len(text) <= _LONGEST and len(text.split()) >= _FEWEST_WORDS
            if fits and _MARKED.search(text):
                yield Question(text, there)
                break


def judge(search: Callable[[str, int], list[Ranked]], item: Question, text: str) -> float | None:
    """NDCG@10 by files; None where nothing is found."""
    answers = search(text, _TOP)
    if not answers:
        return None
    return by_file(answers, [Place(path) for path in item.paths])["ndcg@10"]


def measure(
    git: Path, tree: Path, data: Path, count: int, *, missed: bool
) -> list[tuple[float | None, float | None]]:
    """By question, the figures as it is and cleaned."""
    search = ours(tree, data, {})
    found = []
    for item in questions(git, tree, count):
        scores = judge(search, item, item.text), judge(search, item, item.cleaned)
        found.append(scores)
        if missed and (scores[0] or 0.0) < (scores[1] or 0.0):
            print(f"  {scores[0]} < {scores[1]:.3f} {item.text}")
    return found


def _mean(scores: Sequence[float | None]) -> float:
    return round(sum(score or 0.0 for score in scores) / max(len(scores), 1), 3)


def main() -> None:
    """Print the figures of each repository, and of all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("repositories", nargs="+", metavar="GIT=TREE")
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--keep", type=Path, help="indexes, for later runs")
    parser.add_argument("--missed", action="store_true", help="print what is better when cleaned")
    args = parser.parse_args()
    every: list[tuple[float | None, float | None]] = []
    with tempfile.TemporaryDirectory() as made:
        for repository in args.repositories:
            git, _, folder = repository.partition("=")
            tree = Path(folder).resolve()
            data = (args.keep or Path(made)) / tree.name
            found = measure(Path(git), tree, data, args.questions, missed=args.missed)
            every += found
            _print(tree.name, found)
    _print("all", every)


def _print(name: str, found: Sequence[tuple[float | None, float | None]]) -> None:
    figures = {
        "tree": name,
        "questions": len(found),
        "without_hits": sum(score is None for score, _ in found),
        "ndcg@10": _mean([score for score, _ in found]),
        "cleaned": _mean([score for _, score in found]),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
