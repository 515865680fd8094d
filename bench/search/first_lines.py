r"""Measures first pages of lines: how many are of production code, and calls over several lines.

    python -m bench.search.first_lines TREE DATA [TREE DATA …] [--names 60]

DATA holds a tree's index, or is made. Names are functions of production code that tests or
documents have, too, drawn by a fixed seed from those in three files or more. Each is asked for as a
literal, twelve lines a page, and with `(`, `\s*` and a letter behind it, fifty lines. `code` is the
share of the first page's lines in production code, `first` the share of pages that begin with one.
Calls that go on in the next line are counted by Python's engine in the files themselves; `across`
is the share of these that the answer has, of expressions with fewer than fifty matches. Time is
processor time of the process that answers.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from bench.bundles.client import SEARCH, Client
from code_graph.paths.path_kinds import CODE, is_test, rank_path

_ENDINGS: Final = frozenset({".c", ".go", ".java", ".js", ".py", ".rs", ".ts", ".tsx"})
_DECLARED: Final = re.compile(r"\b(?:def|func|fn|function)\s+(?:\([^()]*\)\s*)?(\w{5,})\s*\(")
_WORD: Final = re.compile(r"\w{5,}")
_SEED: Final = 5
_PAGE: Final = 12
_MOST: Final = 50
_FEWEST: Final = 3


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("trees", nargs="+", type=Path, metavar="TREE DATA")
    parser.add_argument("--names", type=int, default=60)
    args = parser.parse_args()
    for root, data in zip(args.trees[::2], args.trees[1::2], strict=True):
        texts = dict(_texts(root))
        names = _names(texts, args.names)
        print(root.name, _figures(Client(root, data), names, texts), flush=True)


def _figures(client: Client, names: list[str], texts: Mapping[str, str]) -> dict[str, float]:
    shares: list[float] = []
    first: list[bool] = []
    across: list[float] = []
    seconds: list[float] = []
    for name in names:
        page = client(SEARCH, query=name, mode="literal", whole_word=True, top_k=_PAGE)
        paths = [path for path, _ in _lines(page.result)]
        shares.append(fmean(map(_is_code, paths)))
        first.append(_is_code(paths[0]))
        expression = rf"\b{name}\(\s*\w"
        answer = client(SEARCH, query=expression, mode="regex", top_k=_MOST, max_chars=40_000)
        seconds += [page.seconds, answer.seconds]
        right = set(_continued(expression, texts))
        if right and len([*_lines(answer.result)]) < _MOST:
            across.append(len(right & {*_lines(answer.result)}) / len(right))
    return {
        "names": len(names),
        "code": round(fmean(shares), 3),
        "first": round(fmean(first), 3),
        "expressions": len(across),
        "across": round(fmean(across), 3) if across else 0.0,
        "milliseconds": round(1000 * fmean(seconds), 1),
    }


def _lines(result: dict[str, Any]) -> Iterator[tuple[str, int]]:
    """The lines that match, without those around them."""
    for file in result.get("files", ()):
        for row in file.get("lines", "").split("\n"):
            found = re.match(r"(\d+): ", row)
            if found:
                yield file["path"], int(found[1])


def _continued(expression: str, texts: Mapping[str, str]) -> Iterator[tuple[str, int]]:
    """The lines in which a match over several begins."""
    for path, text in texts.items():
        for found in re.finditer(expression, text):
            if "\n" in found[0]:
                yield path, text.count("\n", 0, found.start()) + 1


def _names(texts: Mapping[str, str], most: int) -> list[str]:
    """Names that production code declares, and tests or documents have."""
    declared: set[str] = set()
    files: dict[str, set[str]] = defaultdict(set)
    for path, text in texts.items():
        for word in set(_WORD.findall(text)):
            files[word].add(path)
        if _is_code(path):
            declared.update(_DECLARED.findall(text))
    fit = [name for name in sorted(declared) if _is_wide(files[name])]
    return random.Random(_SEED).sample(fit, min(most, len(fit)))


def _is_wide(paths: set[str]) -> bool:
    return len(paths) >= _FEWEST and not all(map(_is_code, paths))


def _is_code(path: str) -> bool:
    return rank_path(path) == CODE and not is_test(path)


def _texts(root: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        is_hidden = any(part.startswith(".") for part in inside.parts)
        if path.suffix in {*_ENDINGS, ".md", ".rst"} and path.is_file() and not is_hidden:
            yield inside.as_posix(), path.read_text("utf-8", "replace")


if __name__ == "__main__":
    main()
