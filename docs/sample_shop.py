"""The small repository of the examples in the documentation, and commands that are run in it."""

from __future__ import annotations

import hashlib
import io
import os
import re
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Final, NamedTuple
from unittest import mock

from repo_mcp import dispatch

FILES: Final = {
    "README.md": "# Shop\n\nPrices with tax.\n\n## Tax\n\nThe rate is two.\n",
    ".gitignore": "*.log\n",
    ".env": "TOKEN=hidden\n",
    "debug.log": "noise\n",
    "logo.png": "no text\0",
    "shop/__init__.py": "",
    "shop/prices.py": (
        "from shop.tax import add_tax\n\n\n"
        "class Price:\n"
        '    """What something costs."""\n\n'
        "    def __init__(self, net: int) -> None:\n"
        "        self.net = net\n\n"
        "    def gross(self) -> int:\n"
        '        """The price with tax."""\n'
        "        return add_tax(self.net)\n\n\n"
        "def total(prices: list[Price]) -> int:\n"
        "    return sum(price.gross() for price in prices)\n"
    ),
    "shop/tax.py": (
        "RATE = 2\n\n\n"
        "def add_tax(net: int) -> int:\n"
        '    """The sum with tax; the rate is RATE."""\n'
        "    return net * RATE\n"
    ),
    "tests/test_prices.py": (
        "from shop.prices import Price, total\n\n\n"
        "def test_total() -> None:\n"
        "    assert total([Price(1), Price(2)]) == 6\n"
    ),
}
HOME: Final = "/home/you"
SHOWN: Final = f"{HOME}/shop"
# what differs from run to run, and what is shown instead
_MASKS: Final = (
    (re.compile(r"in (?:\d+\.\d\d s|\d+ ms)"), "in 100 ms"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "2026-01-31T09:30:00Z"),
    (re.compile(r"on disk: .*"), "on disk: 30.0 KB"),
    (re.compile(r"(?m)^.*, took \d+:\d\d\n"), ""),
)


class Output(NamedTuple):
    """The output of a command."""

    code: int
    out: str
    err: str


class _Terminal(io.StringIO):
    """Takes what is printed, and says that it is a terminal."""

    def isatty(self) -> bool:
        """True, as of a terminal."""
        return True


@contextmanager
def sample_shop() -> Iterator[Path]:
    """The repository, and an environment in which nothing is set."""
    with tempfile.TemporaryDirectory(prefix="repo-mcp-docs-") as folder:
        root = Path(os.path.realpath(folder), "shop")
        for name, text in FILES.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        commit_files(root)
        plain = {"HOME": folder, "PATH": os.environ.get("PATH", ""), "NO_COLOR": "1"}
        with mock.patch.dict(os.environ, plain, clear=True):
            yield root


def commit_files(root: Path) -> None:
    """Make it a checkout of git with one commit, as git writes it."""
    git = root / ".git"

    def put(kind: str, data: bytes) -> str:
        whole = f"{kind} {len(data)}\0".encode() + data
        name = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
        path = git / "objects" / name[:2] / name[2:]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(zlib.compress(whole))
        return name

    def tree(folder: Path) -> str:
        rows = []
        for path in folder.iterdir():
            if path == git:
                continue
            inside = path.is_dir()
            name = tree(path) if inside else put("blob", path.read_bytes())
            head = f"{'40000' if inside else '100644'} {path.name}\0".encode()
            rows.append((path.name + "/" * inside, head + bytes.fromhex(name)))
        return put("tree", b"".join(row for _, row in sorted(rows)))

    person = "Ada Lovelace <ada@example.org> 1735689600 +0000"
    head = f"tree {tree(root)}\nauthor {person}\ncommitter {person}\n"
    commit = put("commit", f"{head}\na shop that counts what is in the cart\n".encode())
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "refs" / "heads").mkdir(parents=True, exist_ok=True)
    (git / "refs" / "heads" / "main").write_text(f"{commit}\n")


def run_command(
    folder: Path, words: Sequence[str], *, piped: bool = False, root: Path | None = None
) -> Output:
    """Run `repo-mcp` in this process, in a folder of the repository."""
    out = io.StringIO() if piped else _Terminal()
    err = io.StringIO()
    typed = mock.patch.object(sys, "argv", ["repo-mcp", *words])
    with chdir(folder), typed, redirect_stdout(out), redirect_stderr(err):
        try:
            code = dispatch.run(lambda: 1.0e9)
        except SystemExit as end:
            code = int(end.code or 0)
    top = root or folder
    return Output(code, _masked(out.getvalue(), top), _masked(err.getvalue(), top))


def _masked(text: str, root: Path) -> str:
    text = text.replace(str(root), SHOWN).replace(str(root.parent), HOME)
    for pattern, shown in _MASKS:
        text = pattern.sub(shown, text)
    return re.sub(r"(?m)^(looking for changes|merging)\n", "", text)
