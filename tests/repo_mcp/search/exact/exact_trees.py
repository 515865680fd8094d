"""A tree of difficult files for exact search, and an engine on its index."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from index_format import Snapshot
from index_format.analysis.words import MAX_WORD
from repo_mcp.safety.sandbox import Content, Sandbox
from repo_mcp.search.exact.engine import ExactAnswer, ExactEngine, ExactQuery
from tests.repo_mcp.trees import FOREVER, served, write

LONG = "Long" + "0123456789abcdef" * 8
WORDS = (
    *("foo", "Foo", "FOO", "fooBar", "FooBar", "foo_bar", "FOO_BAR", "_foo", "foo_", "__foo__"),
    *("parseHTTPHeader", "HTTPServer", "getUTF8", "xX_Yy", "A_B", "ABc", "aBC", "x1y2", "0x1f"),
    *("alloc_pages_node", "__alloc_pages", "kmalloc", "xkmalloc2", "Kmalloc", "i", "_", "__"),
    *("größe", "GRÖSSE", "Straße_x", "çafoo", "fooé", "éfoo", "foo_é_bar", "中文", "foo中文bar"),
    *("\u017ftart", "re\u017ftart", "\u212aelvin", "\u0130stanbul", "ΟΔΟΣ", "οδος", "ΟΔΟΣΑ"),
    *("x²", "²x", "\u0661\u0662", "a\u0301b", "foo\u200dbar", "\u24d0b", "b\u0345a"),
    *(
        LONG,
        LONG.upper(),
        f"foo_{LONG}",
        "x" * MAX_WORD,
        "x" * (MAX_WORD + 1),
        "é" * (MAX_WORD + 6),
        "_" * (MAX_WORD + 6),
    ),
)
GAPS = (" ", "  ", "\t", ".", "(", ")", "->", "-", "::", ", ", "\u00a0", "…", "'", '"', "$", "\\")


class Engine(NamedTuple):
    """A search over one snapshot."""

    exact: ExactEngine
    snapshot: Snapshot
    sandbox: Sandbox

    def find(self, pattern: str, **options: object) -> ExactAnswer:
        options.setdefault("limit", None)
        query = ExactQuery((pattern,), **options)  # type: ignore[arg-type]
        return self.exact.find(self.snapshot, query, FOREVER)


class PlainReads:
    """A sandbox that reads files one by one, as where nothing is compiled; counts them."""

    def __init__(self, inner: Sandbox) -> None:
        self._inner = inner
        self.read_files = 0

    def read(self, path: str, *, follow: bool = True) -> Content:
        self.read_files += 1
        return self._inner.read(path, follow=follow)

    def scan(self, paths: Sequence[str], _: object) -> list[None]:
        return [None] * len(paths)


def without_compiled(tree: Engine) -> Engine:
    """The same, but without compiled reading."""
    return tree._replace(exact=ExactEngine(PlainReads(tree.sandbox)))  # type: ignore[arg-type]


def engine(root: Path, data: Path) -> Engine:
    """The index of a tree, and a search on it."""
    services = served(root, data)
    services.manager.refresh(FOREVER)
    snapshot = services.manager.snapshot()
    assert snapshot is not None
    return Engine(ExactEngine(services.sandbox), snapshot, services.sandbox)


def places(answer: ExactAnswer) -> list[tuple[str, int]]:
    return [(match.path, match.line) for match in answer.matches]


def line(chance: random.Random) -> str:
    """A line of some words and separators."""
    pieces: list[str] = []
    for _ in range(chance.randrange(8)):
        pieces += [chance.choice(WORDS), chance.choice(GAPS) * chance.randrange(2)]
    return "".join(pieces)


def hard_tree(*, seed: int, for_ripgrep: bool) -> dict[str, bytes]:
    """Files in all encodings and with all line ends; for ripgrep, those that both read alike."""
    chance = random.Random(seed)
    encodings = ["utf-8", "utf-8-sig", "utf-16"]
    ends = ["\n"] if for_ripgrep else ["\n", "\r\n"]
    files: dict[str, bytes] = {}
    for number in range(30 if for_ripgrep else 50):
        end = chance.choice(ends)
        text = end.join(line(chance) for _ in range(chance.choice([1, 3, 40, 160])))
        text += chance.choice(["", end])
        encoding = chance.choice(encodings) if number % 3 == 0 else "utf-8"
        files[f"d{chance.randrange(5)}/{number}.txt"] = text.encode(encoding)
    if not for_ripgrep:
        files["latin.txt"] = "Straße_x größe\nçafoo²\r\nfoo\n".encode("latin-1")
        files["odd_ends.txt"] = b"foo\r\r\nbar\rfoo\n\r"
        files["empty.txt"] = b""
        files["binary.txt"] = b"foo\x00bar\n"
    files["only_ends.txt"] = b"\n\n\n"
    return files


def made(folder: Path, files: dict[str, bytes]) -> Engine:
    """The tree on disk, indexed."""
    root = write(folder / "root", dict(files))
    return engine(root, folder / "data")
