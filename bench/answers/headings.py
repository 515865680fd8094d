"""Measures questions that documentation answers: its own headings, to the file that has them.

    python -m bench.answers.headings --keep FOLDER [--split test] [--set docs_described=.6]

FOLDER has what `python -m bench.answers build` has written. Headings have 4 to 14 words; up to 30
of a repository are questions, `asked`, and up to 12 are not, `titled`. Change logs are left out.
"""

from __future__ import annotations

import argparse
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Final

from bench.answers.figures import PASSAGES
from bench.answers.history import histories
from bench.ranking import metrics
from bench.ranking.judgements import Place
from bench.ranking.ours import ours

_ENDINGS: Final = frozenset({".md", ".mdx", ".rst"})
_CHANGES: Final = re.compile(r"changelog|changes|news|release|history", re.IGNORECASE)
_ASKED: Final = re.compile(
    r"(?:how|what|why|when|can|does|do|is|are|where|which|should)\b", re.IGNORECASE
)
_HASHES: Final = re.compile(r"#{1,5}\s+(.+?)\s*#*(?:\{.*\})?$")
_LINE_BELOW: Final = re.compile(r"([=\-~^*\"'`#+])\1{5,}")
_MARKUP: Final = re.compile(r"[`*_]{1,2}(?=\S)|(?<=\S)[`*]{1,2}|^\d+\.\s*")
_FEWEST, _MOST = 4, 14
_MOST_FILES: Final = 3
_DRAWN: Final = {"asked": 30, "titled": 12}


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keep", type=Path, required=True, help="trees and indexes")
    parser.add_argument("--split", choices=("train", "test"), default="train")
    parser.add_argument("--set", action="append", default=[], metavar="WEIGHT=VALUE")
    args = parser.parse_args()
    weights = {name: float(value) for name, _, value in (item.partition("=") for item in args.set)}
    measured: dict[tuple[str, str], list[float]] = defaultdict(list)
    for history in histories(args.split):
        root = args.keep / "trees" / history.folder
        if not root.is_dir():
            continue
        search = ours(root, args.keep / "indexes" / history.folder, weights)
        for form, text, paths in drawn_headings(root):
            found = metrics.by_file(search(text, PASSAGES), [Place(path) for path in paths])
            for name in ("ndcg@10", "recall@1"):
                measured[form, name].append(found[name])
    for (form, name), values in sorted(measured.items()):
        print(f"{form:8} {name:10} {mean(values):8.4f}  of {len(values)}")


def drawn_headings(root: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Form, text and files of some headings, always the same ones."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix.lower() in _ENDINGS and path.is_file() and not _CHANGES.search(name):
            for text in _headings(path.read_text("utf-8", "replace").split("\n")):
                found[text].add(name)
    left = dict(_DRAWN)
    for text in sorted(found, key=lambda text: hashlib.sha256(text.encode()).digest()):
        form = "asked" if _ASKED.match(text) else "titled"
        if left[form] and len(found[text]) <= _MOST_FILES:
            left[form] -= 1
            yield form, text, sorted(found[text])


def _headings(rows: list[str]) -> Iterator[str]:
    for row, below in zip(rows, [*rows[1:], ""], strict=True):
        match = _HASHES.match(row)
        text = match[1] if match else row.strip() if _LINE_BELOW.fullmatch(below.strip()) else ""
        text = _MARKUP.sub("", text)
        if _FEWEST <= len(re.findall(r"\w+", text)) <= _MOST:
            yield text


if __name__ == "__main__":
    main()
