"""Builds judgement sets from public repositories with their history, and measures answers on them.

    python -m bench.answers build --git FOLDER --keep FOLDER [--split train]
    python -m bench.answers run --keep FOLDER [--split test] [--set tests=.4] [--vectors]
    python -m bench.answers run --keep FOLDER --baseline

FOLDER of `--git` has a bare repository OWNER+NAME/repo for each entry of repositories.toml, with
the commits from `base` to `head`; entries without one are left out. `--keep` gets trees, sets and
indexes. Weights are chosen on the training split alone. `--baseline` measures whole files by BM25
(tantivy) on the same queries.
"""

from __future__ import annotations

import argparse
import shutil
from collections import defaultdict
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Final

from bench.answers.figures import MOST_PASSAGES, PASSAGES, figures
from bench.answers.history import History, commits, extract, histories, repository_folder
from bench.answers.judge import SETS, judged, kept_set
from bench.ranking import trees
from bench.ranking.metrics import Ranked
from bench.ranking.ours import open_tree, ours
from bench.ranking.repositories import Repository
from bench.ranking.tantivy_files import tantivy_files

_PROCESSES: Final = 2
Measured = dict[tuple[str, str, str], list[float]]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=("build", "run"))
    parser.add_argument("--git", type=Path, help="bare repositories")
    parser.add_argument("--keep", type=Path, required=True, help="trees, sets, indexes")
    parser.add_argument("--split", choices=("train", "test"), default="train")
    parser.add_argument("--set", action="append", default=[], metavar="WEIGHT=VALUE")
    parser.add_argument("--baseline", action="store_true")
    parser.add_argument(
        "--vectors", action="store_true", help="search with vectors, as is the default"
    )
    args = parser.parse_args()
    if args.command == "build" and args.git is None:
        parser.error("build needs --git")
    there = args.keep / "sets" if args.git is None else args.git
    listed = [item for item in histories(args.split) if (there / item.folder).is_dir()]
    with ProcessPoolExecutor(_PROCESSES) as pool:
        if args.command == "build":
            for line in pool.map(partial(_build, args.git, args.keep), listed):
                print(line, flush=True)
            return
        overrides = {
            name: float(value) for name, _, value in (item.partition("=") for item in args.set)
        }
        measured: Measured = defaultdict(list)
        work = partial(_run, args.keep, None if args.baseline else overrides, vectors=args.vectors)
        for part in pool.map(work, listed):
            for key, values in part.items():
                measured[key] += values
    for (name, form, metric), values in sorted(measured.items()):
        print(f"{name:12} {form:10} {metric:16} {mean(values):8.4f}  of {len(values)}")


def _build(git: Path, keep: Path, history: History) -> str:
    git_dir = repository_folder(git, history.name)
    root = keep / "trees" / history.folder
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    extract(git_dir, history.base, root)
    repository = Repository(history.folder, history.split, ())
    texts = dict(trees.texts(root))
    found = judged(repository, root, texts, commits(git_dir, history))
    trees.blank(root, [item.removed for item in found["documented"] if item.removed])
    for name, items in found.items():
        path = _path(keep, history, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{item.line()}\n" for item in items), "utf-8")
    return f"{history.name}: " + ", ".join(f"{len(items)} {name}" for name, items in found.items())


def _run(
    keep: Path, overrides: Mapping[str, float] | None, history: History, *, vectors: bool = False
) -> Measured:
    """The figures of a repository; without `overrides`, those of whole files."""
    root = keep / "trees" / history.folder
    search: Callable[[str, int], list[Ranked]]
    if overrides is None:
        search = tantivy_files(root)
    elif vectors:
        search = open_tree(root, keep / "vectors" / history.folder, "", light=True)(overrides)
    else:
        search = ours(root, keep / "indexes" / history.folder, overrides)
    measured: Measured = defaultdict(list)
    for name in SETS:
        limit = MOST_PASSAGES if name == "documented" else PASSAGES
        for item in kept_set(keep, history.folder, name):
            for metric, value in figures(name, search(item.query, limit), item).items():
                measured[name, "all", metric].append(value)
                if name == "identifiers":
                    measured[name, item.form, metric].append(value)
    return dict(measured)


def _path(keep: Path, history: History, name: str) -> Path:
    return keep / "sets" / history.folder / f"{name}.txt"


if __name__ == "__main__":
    main()
