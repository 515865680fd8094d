"""Measures words people typed into a web search, whose answer is one Python function.

    python -m bench.answers.web --git FOLDER --keep FOLDER [--split test]

The queries are those of CoSQA that people judged to be answered by a function, as the repository
microsoft/CodeXGLUE has them (its development part, the one that is small enough for a snapshot of
it). FOLDER of `--git` has it as microsoft+CodeXGLUE/repo. Each function is a file, beside the
functions of its other set of web queries; the first digit of the hash of its text decides whether
it is to train on or to test with. A function whose documentation the word vectors were trained on
is left out, given the folder of that training. Texts are not stored here.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from bench.answers.compare import compare
from bench.ranking.judgements import Judgement, Place

_REPOSITORY: Final = "microsoft+CodeXGLUE/repo"
_FOLDER: Final = "Text-Code/NL-code-search-WebQuery"
_SPLITS: Final = ("train", "test")
_DOCUMENTATION: Final = re.compile(r"(\"\"\"|''')(.*?)\1", re.DOTALL)
# new lines became blanks in one of the files; its indentation is of four
_LINE: Final = re.compile(r" ((?: {4})+)(?=\S)")
_COMPARED: Final = 60


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--git", type=Path, required=True, help="bare repositories")
    parser.add_argument("--keep", type=Path, required=True, help="tree and index")
    parser.add_argument("--split", choices=_SPLITS, default="train")
    parser.add_argument("--pairs", type=Path, help="what word vectors were trained on")
    args = parser.parse_args()
    trained = _trained(args.pairs) if args.pairs else frozenset()
    root = args.keep / "trees" / f"web-{args.split}"
    root.mkdir(parents=True, exist_ok=True)
    places: dict[str, list[Place]] = {}
    for query, code, is_right in _pairs(args.git / _REPOSITORY):
        digest = hashlib.sha256(code.encode()).hexdigest()
        if _SPLITS[int(digest[0], 16) % 2] != args.split or _documentation(code) in trained:
            continue
        place = Place(f"f{digest[:10]}.py")
        (root / place.path).write_text(f"{code}\n", "utf-8")
        if is_right and place not in places.setdefault(query, []):
            places[query].append(place)
    items = [Judgement("web", "web", query, tuple(found)) for query, found in places.items()]
    print(compare(((root, item) for item in items), args.keep / "indexes"))


def _pairs(git_dir: Path) -> Iterator[tuple[str, str, bool]]:
    """Queries and functions, and whether people said that one answers the other."""
    for item in _read(git_dir, "CoSQA/cosqa-dev.json"):
        yield " ".join(item["doc"].split()), item["code"], int(item["label"]) == 1
    for item in _read(git_dir, "data/test_webquery.json"):
        code = item["code"]
        yield item["doc"], code if "\n" in code else _LINE.sub(r"\n\1", code), False


def _read(git_dir: Path, name: str) -> list[dict[str, Any]]:
    command = ["git", f"--git-dir={git_dir}", "show", f"HEAD:{_FOLDER}/{name}"]
    found: list[dict[str, Any]] = json.loads(
        subprocess.run(command, capture_output=True, check=True).stdout
    )
    return found


def _documentation(code: str) -> str:
    """The beginning of the first paragraph of a function's documentation."""
    found = _DOCUMENTATION.search(code)
    return _beginning(found[2].split("\n\n")[0]) if found else "-"


def _trained(pairs: Path) -> frozenset[str]:
    """The beginnings of all texts that ask, in the pairs of `bench.vectors`."""
    found: set[str] = set()
    for path in sorted(pairs.glob("*.gz")):
        with gzip.open(path, "rt") as rows:
            found.update(_beginning(json.loads(row)[1]) for row in rows)
    return frozenset(found)


def _beginning(text: str) -> str:
    return " ".join(text.lower().split())[:_COMPARED]


if __name__ == "__main__":
    main()
