"""Measures whether a printed message finds the line that formats it.

    python -m bench.search.messages TREE=DATA… [--messages 60] [--seed 5]

DATA is the data folder of a finished index of TREE. Messages are drawn from the string literals of
Python (f-strings) and Go (`%`-formats) outside of tests that have five constant words or more;
values are put into them as programs print them. Printed is how often the line is in the first hit,
and in one of the first three, with the constant parts of a message sought as phrases and without.
A message that several lines format counts for the one it was drawn from alone.

To conclude: the difference of the two rows, on trees that nobody tuned on.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple
from unittest import mock

from code_graph.paths.path_kinds import is_test
from repo_mcp.budget import Budget
from repo_mcp.search import RankedEngine
from repo_mcp.services import services
from repo_mcp.settings import Options

_VALUES: Final = ('"a.com"', "42", "/etc/x.pem", "foo_bar", "10.0.0.1:8080", "b'abc'", "HTTP/1.1")
_FEWEST_WORDS: Final = 5
_SHOWN: Final = 3
_PHRASES: Final = "repo_mcp.question.syntax.printed_message.constant_phrases"
_GO_TEXT: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_GO_VALUE: Final = re.compile(r"%[-+#0-9.]*[a-zA-Z]")


class Message(NamedTuple):
    """A message as it is printed, and the lines that format it."""

    path: str
    first: int
    last: int
    text: str


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("trees", nargs="+", metavar="TREE=DATA")
    parser.add_argument("--messages", type=int, default=60)
    parser.add_argument("--seed", type=int, default=5)
    args = parser.parse_args()
    for tree in args.trees:
        root, _, data = tree.partition("=")
        chance = random.Random(args.seed)
        drawn = sorted({*_messages(Path(root), chance)})
        chance.shuffle(drawn)
        chosen = drawn[: args.messages]
        first, among = _found(root, data, chosen)
        print(f"{root}: of {len(chosen)} messages {first} in the first hit, {among} among three")
        with mock.patch(_PHRASES, return_value=()):
            first, among = _found(root, data, chosen)
        print(f"{root}: without phrases {first} in the first hit, {among} among three")


def _messages(root: Path, chance: random.Random) -> Iterator[Message]:
    readers: dict[str, Callable[[str], Iterator[tuple[int, int, list[str | None]]]]] = {
        ".py": _in_python,
        ".go": _in_go,
    }
    for file in sorted(root.rglob("*")):
        path = file.relative_to(root).as_posix()
        read = readers.get(file.suffix)
        if read is None or is_test(path) or not file.is_file():
            continue
        for first, last, parts in read(file.read_text("utf-8", "replace")):
            words = sum(len(part.split()) for part in parts if part)
            if None in parts and words >= _FEWEST_WORDS:
                printed = [chance.choice(_VALUES) if part is None else part for part in parts]
                yield Message(path, first, last, " ".join("".join(printed).split()))


def _in_python(text: str) -> Iterator[tuple[int, int, list[str | None]]]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            values = [
                item.value if isinstance(item, ast.Constant) else None for item in node.values
            ]
            parts = [None if value is None else str(value) for value in values]
            yield node.lineno, node.end_lineno or node.lineno, parts


def _in_go(text: str) -> Iterator[tuple[int, int, list[str | None]]]:
    for number, line in enumerate(text.splitlines(), 1):
        for found in _GO_TEXT.finditer(line):
            constant = _GO_VALUE.split(found[1].replace("\\n", " "))
            parts: list[str | None] = [constant[0]]
            for part in constant[1:]:
                parts += [None, part]
            yield number, number, parts


def _found(root: str, data: str, messages: list[Message]) -> tuple[int, int]:
    """Numbers of messages with their line in the first hit, and in one of the first three."""
    opened = services(Options(root, data, watch=False))
    snapshot = opened.manager.snapshot()
    assert snapshot is not None, f"index {root} first"
    engine = RankedEngine(opened.sandbox, opened.languages)
    first = among = 0
    for message in messages:
        hits = engine.search(snapshot, message.text[:1_500], _SHOWN, None, Budget()).hits
        right = [
            hit.path == message.path
            and hit.start_line <= message.last
            and message.first <= hit.end_line
            for hit in hits
        ]
        first += right[:1] == [True]
        among += any(right)
    return first, among


if __name__ == "__main__":
    main()
