"""Measures what the past of a repository adds to ranked search, and whether names stay as they are.

    python -m bench.answers.evidence build --git FOLDER --keep FOLDER [--split test]
    python -m bench.answers.evidence run --keep FOLDER [--split test] [--record]
    python -m bench.answers.evidence issues --git FOLDER --keep FOLDER --texts FILE --only NAME

The tree is that of a commit with 300 others behind it, and the history is what came before. Queries
are the messages of those 300 as in `bench.answers`, up to 60 of a repository, and right are the
source files that a commit changed. Each is asked without the past, with it, and with a past whose
commits have the files of others: shuffled, and shuffled but trusted like a real one. Names must get
the same answers with the past as without. `issues` asks those of `bench.answers.issues` in the same
ways, each with the commits before its fix; it wants a folder of its own.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from bench import machine
from bench.answers import issues
from bench.answers.compare import interval
from bench.answers.figures import PASSAGES
from bench.answers.history import (
    History,
    commits,
    extract,
    histories,
    link_past,
    read_git,
    repository_folder,
)
from bench.answers.judge import kept_set, names_of, of_commits
from bench.ranking import metrics, trees
from bench.ranking.judgements import Judgement
from bench.ranking.metrics import Ranked
from bench.ranking.repositories import Repository
from index_format import Snapshot
from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.history import Histories
from repo_mcp.history.commit_index import CommitFiles, CommitIndex
from repo_mcp.history.past_changes import read_votes
from repo_mcp.search import RankedEngine, SearchOptions
from repo_mcp.services import Services, services
from repo_mcp.settings import Options

_PROCESSES: Final = 2
_PATIENT: Final = 86_400.0
_BEHIND: Final = 300
# of a short history, the share of its commits that is asked for
_MOST_SHARE: Final = 0.4
_COMMITS: Final = 60
_SYSTEMS: Final = ("words", "past", "shuffled", "shuffled, trusted")
_SHOWN: Final = ("ndcg@10", "first", "five", "recall@5")
_RESULT: Final = "history-evidence"
Rows = dict[str, list[dict[str, float]]]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=("build", "run", "issues"))
    parser.add_argument("--git", type=Path, help="bare repositories")
    parser.add_argument("--keep", type=Path, required=True, help="trees, sets, indexes")
    parser.add_argument("--split", choices=("train", "test"), default="train")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--texts", type=Path, help="texts of issues")
    parser.add_argument("--only", action="append", default=[], help="repositories of issues")
    args = parser.parse_args()
    if args.command != "run" and args.git is None:
        parser.error("this needs --git")
    if args.command == "issues":
        _keep(_issues(args), f"issues, {args.split}", record=args.record)
        return
    there = args.keep / "sets" if args.git is None else args.git
    listed = [item for item in histories(args.split) if (there / item.folder).is_dir()]
    with ProcessPoolExecutor(_PROCESSES) as pool:
        if args.command == "build":
            for line in pool.map(partial(_build, args.git, args.keep), listed):
                print(line, flush=True)
            return
        rows: Rows = {}
        for item, (part, line) in zip(
            listed, pool.map(partial(_run, args.keep), listed), strict=True
        ):
            print(f"{item.name}: {line}", flush=True)
            for system, found in part.items():
                rows.setdefault(system, []).extend(found)
    _keep(rows, args.split, record=args.record)


def _keep(rows: Rows, name: str, *, record: bool) -> None:
    figures = _figures(rows)
    for system, values in figures.items():
        print(f"{system:20} {values}")
    if record:
        machine.keep(_RESULT, {**machine.stored(_RESULT), name: figures})


def _issues(args: argparse.Namespace) -> Rows:
    """The figures of each issue by system."""
    listed = tomllib.loads(issues.LIST.read_text("utf-8"))["issue"]
    chosen = [row for row in listed if row["split"] == args.split]
    chosen = [row for row in chosen if not args.only or row["repository"] in args.only]
    told = json.loads(args.texts.read_text("utf-8"))
    texts = {key.lower(): text for key, text in told.items()}
    asked = issues.questions(args.git, args.keep, texts, chosen)
    rows: Rows = {}
    for row, (root, item, _) in zip(chosen, asked, strict=True):
        link_past(repository_folder(args.git, row["repository"]).resolve(), row["before"], root)
        with _trial(root, args.keep / "indexes" / root.name) as trial:
            for system, found in trial.rows([item] if item.places else []).items():
                rows.setdefault(system, []).extend(found)
    return rows


def _build(git: Path, keep: Path, listed: History) -> str:
    """Write the tree, a `.git` with what came before it, and the sets."""
    git_dir = repository_folder(git, listed.name).resolve()
    root = keep / "trees" / listed.folder
    history = History(listed.name, listed.split, _base(git_dir, listed.head), listed.head)
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    extract(git_dir, history.base, root)
    link_past(git_dir, history.base, root)
    texts = dict(trees.texts(root))
    repository = Repository(history.folder, history.split, ())
    sets = {
        "changes": of_commits(repository, texts, commits(git_dir, history), _COMMITS),
        "identifiers": names_of(repository, root, texts),
    }
    folder = keep / "sets" / history.folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, items in sets.items():
        (folder / f"{name}.txt").write_text("".join(f"{item.line()}\n" for item in items), "utf-8")
    return f"{history.name}: " + ", ".join(f"{len(items)} {name}" for name, items in sets.items())


def _base(git_dir: Path, head: str) -> str:
    """The nearest commit on the way of first parents that has so many others behind it."""

    def behind(*span: str) -> int:
        return int(read_git(git_dir, "rev-list", "--no-merges", "--count", *span))

    wanted = min(_BEHIND, int(behind(head) * _MOST_SHARE))
    chain = read_git(git_dir, "rev-list", "--first-parent", head).split()
    low, high = 0, len(chain) - 1
    while low < high:
        middle = (low + high) // 2
        if behind(f"{chain[middle]}..{head}") >= wanted:
            high = middle
        else:
            low = middle + 1
    return chain[low]


def _run(keep: Path, history: History) -> tuple[Rows, str]:
    """The figures of each query of a repository by system, and a line of what else was seen."""
    root, data = (keep / folder / history.folder for folder in ("trees", "indexes"))
    changes, names = (kept_set(keep, history.folder, name) for name in ("changes", "identifiers"))
    with _trial(root, data) as trial:
        return trial.rows(changes), trial.told(changes, names)


@contextmanager
def _trial(root: Path, data: Path) -> Iterator[_Trial]:
    """A repository whose files and commits are indexed."""
    parts = services(Options(str(root), str(data), watch=False, embeddings=False, workers=1))
    parts.manager.refresh(Budget())
    roots = Histories(parts.manager.parts, _PATIENT)
    try:
        roots.roots[""].open(Budget())
        yield _Trial(parts, roots)
    finally:
        roots.close()
        parts.manager.close()


class _ShuffledCommits(CommitIndex):
    """Commits of which each has the files of another one."""

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__(snapshot)
        places = (~self.table.is_merge).nonzero()[0].tolist()
        others = random.Random(1).sample(places, len(places))
        self._others = dict(zip(places, others, strict=True))

    def files(self, place: int) -> CommitFiles:
        return super().files(self._others.get(place, place))


class _Trial:
    """Queries to one repository."""

    def __init__(self, parts: Services, roots: Histories) -> None:
        snapshot = parts.manager.snapshot()
        commits = parts.manager.single.history.snapshot()
        if snapshot is None or commits is None:
            raise LookupError(parts.settings.root)
        self._snapshot = snapshot
        self._engine = RankedEngine(parts.sandbox, parts.languages)
        root = roots.roots[""]
        started = time.thread_time()
        real = read_votes(CommitIndex(commits), root.history, Budget())
        self._seconds = time.thread_time() - started
        shuffled = read_votes(_ShuffledCommits(commits), root.history, Budget(), keep_all=True)
        self._root, self._past = root.votes, roots.past
        self._votes = {
            "words": None,
            "past": real,
            "shuffled": shuffled if shuffled.trust else None,
            "shuffled, trusted": shuffled._replace(trust=1.0),
        }
        self._trust = real.trust, shuffled.trust

    def rows(self, items: Sequence[Judgement]) -> Rows:
        """The figures of each query by system."""
        found: Rows = {system: [] for system in _SYSTEMS}
        for item in items:
            for system in _SYSTEMS:
                figures = metrics.by_file(self._ask(system, item.query), item.places)
                figures["first"] = float(figures["mrr"] == 1)
                figures["five"] = float(figures["mrr"] >= 1 / 5)
                found[system].append(figures)
        return found

    def told(self, items: Sequence[Judgement], names: Sequence[Judgement]) -> str:
        """The trust in the past, names with other answers, and the time of a search."""
        other = sum(self._ask("words", it.query) != self._ask("past", it.query) for it in names)
        times = {system: self._milliseconds(system, items) for system in ("words", "past")}
        return (
            f"trust {self._trust[0]:.2f}, shuffled {self._trust[1]:.2f}; ready in"
            f" {self._seconds:.1f} s; {other} of {len(names)} names differ;"
            f" processor ms in the median {times['words']:.1f} without, {times['past']:.1f} with"
        )

    def _ask(self, system: str, query: str) -> list[Ranked]:
        self._root.use(self._votes[system])
        options = SearchOptions(past=self._past if self._votes[system] else None)
        try:
            found = self._engine.search(
                self._snapshot, query, PASSAGES, None, Budget(), options=options
            )
        except Problem:
            return []
        return [Ranked(hit.path, hit.start_line, hit.end_line) for hit in found.hits]

    def _milliseconds(self, system: str, items: Sequence[Judgement]) -> float:
        times = []
        for item in items:
            started = time.thread_time()
            self._ask(system, item.query)
            times.append(time.thread_time() - started)
        return statistics.median(times) * 1000


def _figures(rows: Rows) -> Mapping[str, Mapping[str, float | str]]:
    """The mean figures by system, and by how much each is above words alone."""
    found: dict[str, Mapping[str, float | str]] = {}
    for system, items in rows.items():
        means = {name: round(statistics.fmean(row[name] for row in items), 4) for name in _SHOWN}
        pairs = zip(rows["words"], items, strict=True)
        gains = [after["ndcg@10"] - before["ndcg@10"] for before, after in pairs]
        low, high = interval(gains)
        gain = f"{statistics.fmean(gains):+.4f} [{low:+.4f}, {high:+.4f}]"
        found[system] = {**means, "gain": gain, "queries": len(items)}
    return found


def _judgements(path: Path) -> Iterator[Judgement]:
    yield from map(Judgement.parse, path.read_text("utf-8").splitlines())


if __name__ == "__main__":
    main()
