"""Counts the lines and the constants of ranked search.

    python -m bench.ranking.size [--tree CHECKOUT] [--list]

A line counts unless it is blank or only a comment. A constant is a number that somebody chose: a
field of the weights, or a name of a module that is given numbers alone; counts, digits and sizes of
caches count, too. `--list` names each one. The trees of learned orders are data, and not counted.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_ROOM: Final = "repo_mcp/search/ranked"


def main() -> None:
    """Print the figures of a tree."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tree", type=Path, default=Path(__file__).parents[2])
    parser.add_argument("--list", action="store_true", help="name each constant")
    args = parser.parse_args()
    lines, numbers = 0, 0
    for path in sorted((args.tree / _ROOM).rglob("*.py")):
        text = path.read_text("utf-8")
        own, names = count_lines(text), list(constants(text))
        lines, numbers = lines + own, numbers + len(names)
        if args.list:
            print(f"{own:5} {path.name}: {', '.join(names)}")
    print(f"lines: {lines}")
    print(f"constants: {numbers}")


def count_lines(text: str) -> int:
    """Number of lines that are neither blank nor only a comment."""
    return sum(bool(row.strip()) and not row.lstrip().startswith("#") for row in text.splitlines())


def constants(text: str) -> Iterator[str]:
    """The constants of a module, by their names."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            held = node.value.elts if isinstance(node.value, ast.Tuple) else []
            for target, value in zip(node.targets[0].elts, held, strict=False):
                yield from _named([target], value)
        elif isinstance(node, ast.ClassDef) and node.name.endswith("Weights"):
            yield from (name for item in node.body for name in _assigned(item))
        else:
            yield from _assigned(node)


def _assigned(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        yield from _named([node.target], node.value)
    elif isinstance(node, ast.Assign):
        yield from _named(node.targets, node.value)


def _named(targets: list[ast.expr], value: ast.expr) -> Iterator[str]:
    if _is_number(value):
        yield from (item.id for item in targets if isinstance(item, ast.Name))


def _is_number(value: ast.expr) -> bool:
    """True for numbers, and what is computed or listed of numbers alone."""
    if isinstance(value, ast.Constant):
        return isinstance(value.value, int | float) and not isinstance(value.value, bool)
    if isinstance(value, ast.UnaryOp):
        return _is_number(value.operand)
    if isinstance(value, ast.BinOp):
        return _is_number(value.left) and _is_number(value.right)
    return isinstance(value, ast.Tuple) and bool(value.elts) and all(map(_is_number, value.elts))


if __name__ == "__main__":
    main()
