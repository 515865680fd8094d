"""Trains the order of files on commits, documentation and headings, and measures it.

    python -m bench.learned gather --keep FOLDER --split train [--git FOLDER [--texts FILE ...]]
    python -m bench.learned check --keep FOLDER
    python -m bench.learned train --keep FOLDER [--write] [--record]

FOLDER of `--keep` has what `python -m bench.answers build` has written; `gather` stores questions
with their evidence there. With `--git`, bare repositories, there are up to 120 commits of each, and
as many messages of several paragraphs, and what commits before them tell; with `--texts`, as
`bench.answers.issues` and `bench.exams` have them, issues, too.
`check` leaves out each fifth of the training repositories in turn, then each language, `train`
measures on the test split, which nothing was chosen on. Needs lightgbm.
"""

from __future__ import annotations

import argparse
import pickle
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Final

import numpy as np

from bench.answers import issues
from bench.answers.history import check_out, histories, repository_folder
from bench.exams.listed import listed_rows, read_all_texts
from bench.exams.rows import REPORTS
from bench.exams.texts import key_of
from bench.learned.evidence import Question, questions, reported
from bench.learned.training import fit, order_of
from bench.machine import keep
from bench.ranking.judgements import Judgement, Place
from bench.ranking.metrics import Ranked, by_file
from repo_mcp.search.ranked.learned_order import LEARNED_ORDER
from repo_mcp.search.ranked.trees import MODELS, parse_trees

_FOLDS: Final = 5
# splits of issues
_ISSUES: Final = {"train": ("train", "seen"), "test": ("test",)}


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=("gather", "check", "train"))
    parser.add_argument("--keep", type=Path, required=True, help="trees, sets, indexes")
    parser.add_argument("--git", type=Path, help="bare repositories")
    parser.add_argument("--texts", type=Path, action="append", default=[], help="texts of issues")
    parser.add_argument("--split", choices=("train", "test"), default="train")
    parser.add_argument("--record", action="store_true", help="store the figures")
    parser.add_argument("--write", action="store_true", help="store the trees in the program")
    args = parser.parse_args()
    if args.command == "gather":
        _gather(args.keep, args.git, args.split, args.texts)
    elif args.command == "check":
        _check(_read(args.keep, "train"))
    else:
        text = fit(_read(args.keep, "train"))
        trees = parse_trees(text)
        shown: dict[str, object] = {}
        for split in ("train", "test"):
            shown[split] = _show(split, _read(args.keep, split), partial(order_of, trees))
        if args.record:
            keep("learned-order", {"splits": shown})
        if args.write:
            Path(MODELS, LEARNED_ORDER).write_text(text, "utf-8")


def _gather(keep: Path, git: Path | None, split: str, texts: Sequence[Path]) -> None:
    listed = [item for item in histories(split) if (keep / "trees" / item.folder).is_dir()]
    with ProcessPoolExecutor(2) as pool:
        asked = partial(questions, keep=keep, git=git)
        found = [item for part in pool.map(asked, listed) for item in part]
    if git is not None and texts:
        folder = keep / "issues"
        found += reported(_issues(git, folder, split, texts), folder / "indexes", git)
    (keep / f"questions.{split}.pickle").write_bytes(pickle.dumps(found))


def _issues(
    git: Path, folder: Path, split: str, files: Sequence[Path]
) -> Iterator[tuple[Path, Judgement, str]]:
    """Each issue with its tree, which is written just before, and the commit of that."""
    texts: dict[str, str] = {}
    for file in files:
        texts |= issues.read_texts(file)
    # words of those that were seen have trained vectors, which is no harm in training
    rows = [row for each in _ISSUES[split] for row in issues.listed(git, each)]
    asked = issues.questions(git, folder, texts, rows, whole=True)
    for row, (root, item, _) in zip(rows, asked, strict=True):
        yield root, item, row["before"]
    texts = read_all_texts(git, [*files])
    for told in listed_rows(git, split, texts) if split == "train" else ():
        if told.kind == REPORTS:
            root = folder / "trees" / told.repository.replace("/", "+")
            check_out(repository_folder(git, told.repository).resolve(), told.before, root)
            places = tuple(Place(path) for path in told.right if (root / path).is_file())
            text = texts[key_of(told.repository, told.number)].replace("\t", " ")
            yield root, Judgement(told.repository, "issue", text, places), told.before


def _read(keep: Path, split: str) -> list[Question]:
    loaded: list[Question] = pickle.loads((keep / f"questions.{split}.pickle").read_bytes())  # noqa: S301 our own
    return loaded


def _check(found: Sequence[Question]) -> None:
    """The figures of repositories that were left out."""
    repositories = sorted({item.repository for item in found})
    folds = [repositories[at::_FOLDS] for at in range(_FOLDS)]
    sums: dict[int, np.ndarray] = {}
    for fold in folds:
        trees = parse_trees(fit([item for item in found if item.repository not in fold]))
        for item in found:
            if item.repository in fold:
                sums[id(item)] = order_of(trees, item)
    _show("left out", found, lambda item: sums[id(item)])


def _show(
    label: str, found: Iterable[Question], order: Callable[[Question], np.ndarray]
) -> dict[str, dict[str, float]]:
    """NDCG@10 and the share of right first files: by words, and learned."""
    shown: dict[str, dict[str, float]] = {}
    rows: dict[tuple[str, str], list[tuple[float, ...]]] = defaultdict(list)
    for item in found:
        learned = [item.files[at] for at in np.argsort(-order(item), kind="stable")]
        known = "past" if item.has_past else "meaning" if item.has_meaning else "words"
        rows[item.kind, known].append(
            tuple(value for files in (item.files, learned) for value in _figures(files, item))
        )
    for (kind, known), values in sorted(rows.items()):
        words, first, learned, learned_first = map(mean, zip(*values, strict=True))
        print(
            f"{label:9} {known:8} {kind:16} {len(values):5}"
            f"  NDCG@10 {words:.4f} -> {learned:.4f}  first {first:.4f} -> {learned_first:.4f}",
            flush=True,
        )
        shown[f"{kind}, {known}"] = {
            "questions": len(values),
            "ndcg before": round(words, 4),
            "ndcg learned": round(learned, 4),
            "first before": round(first, 4),
            "first learned": round(learned_first, 4),
        }
    return shown


def _figures(files: Sequence[str], item: Question) -> tuple[float, float]:
    figures = by_file([Ranked(path) for path in files], [Place(path) for path in item.right])
    return figures["ndcg@10"], figures["recall@1"]


if __name__ == "__main__":
    main()
