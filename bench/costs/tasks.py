"""Sixty tasks on a tree of Python: where a name is defined, where it is used, where X is done.

Definitions and uses are taken from the tree itself: names that are declared once, chosen by a hash
of the name. The answer to a question is a function named in questions.toml.
"""

from __future__ import annotations

import io
import re
import tokenize
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

EACH: Final = 20
_DECLARED: Final = re.compile(r"^[ \t]*(?:async def|def|class) (\w{7,})\b", re.MULTILINE)
_WORD: Final = re.compile(r"\w{7,}")
_LEAST_USES: Final = 3
_MOST_USES: Final = 25
_QUESTIONS: Final = Path(__file__).with_name("questions.toml")

Place = tuple[str, int]


class Task(NamedTuple):
    """A kind (definition, uses, question), what is asked for, and the lines that answer it."""

    kind: str
    text: str
    lines: frozenset[Place]


class Tree(NamedTuple):
    """The Python files of a folder, by path."""

    root: Path
    texts: dict[str, str]

    @classmethod
    def read(cls, root: Path) -> Tree:
        """Read all of them; those that are not UTF-8 are left out."""
        texts = {}
        for path in sorted(root.rglob("*.py")):
            try:
                texts[path.relative_to(root).as_posix()] = path.read_text("utf-8")
            except UnicodeDecodeError:
                continue
        return cls(root, texts)


def tasks_of(tree: Tree) -> list[Task]:
    """Twenty of each kind."""
    declared: dict[str, list[Place]] = defaultdict(list)
    counts: Counter[str] = Counter()
    for path, text in tree.texts.items():
        counts.update(_WORD.findall(text))
        for found in _DECLARED.finditer(text):
            line = text.count("\n", 0, found.start(1)) + 1
            declared[found[1]].append((path, line))
    names = [
        name
        for name, places in declared.items()
        if len(places) == 1
        and not places[0][0].startswith(("test/", "idlelib/", "lib2to3/"))
        and _LEAST_USES < counts[name] <= _MOST_USES
    ]
    names.sort(key=lambda name: blake2b(name.encode()).digest())
    definitions = [Task("definition", name, frozenset(declared[name])) for name in names[:EACH]]
    uses: list[Task] = []
    for name in names[EACH:]:
        lines = frozenset(_uses(tree, name)) - frozenset(declared[name])
        if len(lines) >= _LEAST_USES:
            uses.append(Task("uses", name, lines))
        if len(uses) == EACH:
            break
    return [*definitions, *uses, *_questions(tree)]


def _uses(tree: Tree, name: str) -> Iterator[Place]:
    for path, text in tree.texts.items():
        if name not in text:
            continue
        try:
            for token in tokenize.generate_tokens(io.StringIO(text).readline):
                if token.type == tokenize.NAME and token.string == name:
                    yield path, token.start[0]
        except (tokenize.TokenError, SyntaxError):
            continue


def _questions(tree: Tree) -> Iterator[Task]:
    for item in tomllib.loads(_QUESTIONS.read_text("utf-8"))["question"]:
        path, name = item["answer"].split(" ")
        rows = tree.texts[path].split("\n")
        start = next(at for at, row in enumerate(rows) if re.match(rf"\s*def {name}\b", row))
        indent = len(rows[start]) - len(rows[start].lstrip())
        end = start + 1
        while end < len(rows) and (
            not rows[end].strip() or len(rows[end]) - len(rows[end].lstrip()) > indent
        ):
            end += 1
        lines = frozenset((path, line) for line in range(start + 1, end + 1))
        yield Task("question", item["text"], lines)
