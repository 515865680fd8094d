"""Counts what a reader of the sources meets, for a tree of them.

    python -m bench.house [--tree CHECKOUT] [--record]

A stay is a file that a reader opens who follows one command from function to function, each read at
its first call; a return is a stay in a file that was read before. Files of searching count. The
commands `search` and `bundle` are followed on a small repository whose index is there. The other
figures are counted in the text: lines, short files, class names of two classes, files that name a
field of a hit, and files outside of its folder that name a language.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from bench.machine import keep

_PACKAGES: Final = ("index_format", "code_graph", "repo_mcp")
_SHORT: Final = 80
_FIELD: Final = "parts_only"
_LANGUAGE: Final = "kotlin"
_COMMANDS: Final = {
    "search": ("search", "how is the total of an order computed"),
    "bundle": ("bundle", "how does an order get from checkout to the total"),
}
# whose files count: what asks them and what they stand on is read by who changes that
_ROOMS: Final = ("repo_mcp/question/", "repo_mcp/search/", "repo_mcp/bundle/")
_FILES: Final = {
    "shop/orders.py": (
        "from shop.tax import add\n\n\ndef total(order):\n    return add(sum(order))\n"
    ),
    "shop/tax.py": "def add(net):\n    return net * 119 // 100\n",
    "shop/till.py": (
        "from shop.orders import total\n\n\ndef checkout(order):\n    return total(order)\n"
    ),
}
# run with a checkout in front of the path: prints the files of the first calls of its functions
_FOLLOW: Final = """
import json, os, sys
from repo_mcp.server import main
seen, files = set(), []
base = sys.argv.pop(1)
os._exit = sys.exit  # a command ends without ado
def enter(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(base) and code not in seen:
        seen.add(code)
        if not code.co_name.startswith("<"):
            files.append(os.path.relpath(code.co_filename, base))
sys.setprofile(enter)
try:
    main()
except SystemExit:
    pass
finally:
    sys.setprofile(None)
    sys.stdout = sys.stderr
    with open(os.environ["FOLLOWED"], "w") as file:
        json.dump(files, file)
"""


def main() -> None:
    """Print the figures of a tree, and keep them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tree", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--record", action="store_true")
    args = parser.parse_args()
    found = {**_counts(args.tree), **_stays(args.tree)}
    for name, value in found.items():
        print(f"{name}: {value}")
    if args.record:
        keep("house", found)


def _counts(tree: Path) -> dict[str, int]:
    texts = {path: path.read_text("utf-8") for path in _sources(tree, ".py")}
    lengths = [text.count("\n") for text in texts.values()]
    classes = Counter(
        node.name
        for text in texts.values()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    folder = f"/{_LANGUAGE}/"
    return {
        "lines of Python": sum(lengths),
        "files of Python": len(lengths),
        f"files below {_SHORT} lines": sum(length < _SHORT for length in lengths),
        "public class names of two classes": sum(count > 1 for count in classes.values()),
        "lines of C": sum(
            path.read_text("utf-8").count("\n") for path in _sources(tree, ".c", ".h")
        ),
        f"files that name the field {_FIELD}": sum(_FIELD in text for text in texts.values()),
        f"files that name {_LANGUAGE} outside of its folder": sum(
            _LANGUAGE in text.lower() and folder not in path.as_posix()
            for path, text in texts.items()
        ),
    }


def _sources(tree: Path, *endings: str) -> Iterator[Path]:
    for package in _PACKAGES:
        yield from (path for path in (tree / package).rglob("*") if path.suffix in endings)


def _stays(tree: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as made:
        root = Path(made, "root")
        for name, text in _FILES.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        for name, command in _COMMANDS.items():
            _follow(tree, root, command)  # builds what is not there
            followed = (file for file in _follow(tree, root, command) if file.startswith(_ROOMS))
            files = [file for file, _ in groupby(followed)]
            found[f"stays of {name}"] = len(files)
            found[f"returns of {name}"] = len(files) - len(set(files))
    return found


def _follow(tree: Path, root: Path, command: Sequence[str]) -> list[str]:
    """The files of the functions of a command, by their first calls."""
    followed = root.parent / "followed.json"
    base = f"{tree.resolve()}{os.sep}"
    given = [base, *command, "--repo-root", str(root), "--data-dir", str(root.parent / "data")]
    variables: dict[str, Any] = {"PYTHONPATH": base, "FOLLOWED": str(followed)}
    subprocess.run(
        [sys.executable, "-P", "-c", _FOLLOW, *given],
        env={**os.environ, **variables},
        cwd=root,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    found: list[str] = json.loads(followed.read_text("utf-8"))
    return found


if __name__ == "__main__":
    main()
