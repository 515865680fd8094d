"""Writes the page of commands as a terminal shows them, by running each of them."""

from __future__ import annotations

import io
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from repo_mcp import server

FILES = {
    "README.md": "# Shop\n\nPrices with tax.\n\n## Tax\n\nThe rate is two.\n",
    ".gitignore": "*.log\n",
    ".env": "TOKEN=hidden\n",
    "debug.log": "noise\n",
    "logo.png": "no text",
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
SHOWN = "/home/you/shop"
# a folder of the repository in which the following commands are typed
IN_SHOP = "shop"


class Step(NamedTuple):
    """A command, where it is typed, and whether its output goes into a pipe."""

    line: tuple[str, ...]
    folder: str = "."
    piped: bool = False


SECTIONS: dict[str, tuple[Step, ...]] = {
    "Search": (
        Step(("search", "where", "is", "the", "tax", "added")),
        Step(("search", "addTax")),
        Step(("search", "total", "prices", "-k", "1")),
        Step(("search", "tax", "tests/")),
        Step(("search", "-F", "price.gross()")),
        Step(("search", "-F", "price.gross()"), piped=True),
        Step(("search", "-e", r"def \w+\(self", "-C1")),
        Step(("search", "-w", "tax", "-i", "-c")),
        Step(("search", "-l", "Price"), piped=True),
        Step(("search", "tax", "-m", "1", "-g", "!tests/**", "-t", "py")),
        Step(("search", "-F", "RATE", "-M", "32")),
        Step(("search", "-F", "-e", "RATE", "-e", "two")),
        Step(("search", "-o", r"def \w+", "shop"), piped=True),
        Step(("search", "-v", "-e", ".", "-c"), piped=True),
        Step(("search", "--files-without-match", "tax"), piped=True),
        Step(("search", "-F", "tax"), folder=IN_SHOP),
        Step(("search", "-F", "Tax", ".."), folder=IN_SHOP),
        Step(("search", "-F", "add_tax", "--json", "-k", "1"), piped=True),
        Step(("search", "nothing_like_this")),
        Step(("search", "-F", "sum", "of", "prices")),
    ),
    "Files": (
        Step(("files",)),
        Step(("search", "--files", "-t", "md")),
        Step(("outline", "shop/prices.py")),
        Step(("outline", "prices.py", "--kind", "class"), folder=IN_SHOP),
        Step(("open", "shop/tax.py:4-6")),
        Step(("open", "shop/tax.py:4-6"), piped=True),
        Step(("open", ".env")),
    ),
    "Symbols": (
        Step(("symbols", "price")),
        Step(("callers", "add_tax")),
        Step(("callers", "add_tax", "--depth", "3")),
        Step(("callees", "shop.prices.total")),
        Step(("refs", "Price")),
        Step(("callers", "tax.py:add_tax"), folder=IN_SHOP),
        Step(("dependencies", "shop/prices.py")),
        Step(("dependents", "shop/tax.py")),
        Step(("dependents", "Price", "--edge-type", "calls"), piped=True),
        Step(("similar", "shop.prices.total")),
        Step(("research", "what", "calls", "add_tax", "--depth", "3")),
        Step(("research", "price.gross", "--json"), piped=True),
        Step(("impact", "add_tax")),
        Step(("path", "test_total", "add_tax")),
    ),
    "The index": (
        Step(("index",)),
        Step(("status",)),
        Step(("status", "--left-out")),
        Step(("check",)),
        Step(("compact",)),
    ),
    "Mistakes": (
        Step(("searchh", "tax")),
        Step(("tax",)),
        Step(("search", "-P", "tax(?=es)")),
        Step(("search", "tax", "--globb", "*.py")),
        Step(("search", "tax", "--mode", "litteraal")),
        Step(("search", "tax", "-t", "pythonn")),
        Step(("callers", "add_tx")),
        Step(("search", "tax", "-t", "pythonn", "--json"), piped=True),
    ),
}
_HEAD = """# At a terminal

Written by `make docs`, which runs each of these commands in a small repository; a test runs them
again. Answers are on standard output, what is said of them on standard error: after `>` below.
Lines that begin with `[` are exit codes other than 0. On a terminal files stand above their lines,
and paths are links; in a pipe (`| cat`) each line has its file, as ripgrep writes it.
"""
# what differs from run to run, and what is shown instead
_MASKS = (
    (re.compile(r"in \d+\.\d\d s"), "in 0.10 s"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "2026-01-31T09:30:00Z"),
    (re.compile(r"on disk: .*"), "on disk: 30.0 KB"),
    (re.compile(r"(?m)^.*, took \d+:\d\d\n"), ""),
)


class _Terminal(io.StringIO):
    """Takes what is printed, and says that it is a terminal."""

    def isatty(self) -> bool:
        """True, as of a terminal."""
        return True


def page() -> str:
    """The whole page."""
    with _repository() as root:
        _run(root, Step(("index",)))
        lines = [_HEAD]
        for title, steps in SECTIONS.items():
            lines += [f"## {title}", ""]
            for step in steps:
                lines += ["```", *_shown(root, step), "```", ""]
    return "\n".join(lines).rstrip() + "\n"


@contextmanager
def _repository() -> Iterator[Path]:
    """A small repository, and an environment in which nothing is set."""
    with tempfile.TemporaryDirectory(prefix="repo-mcp-docs-") as folder:
        root = Path(os.path.realpath(folder), "shop")
        for name, text in FILES.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        (root / ".git").mkdir()
        plain = {"HOME": folder, "PATH": os.environ.get("PATH", ""), "NO_COLOR": "1"}
        with mock.patch.dict(os.environ, plain, clear=True):
            yield root


def _shown(root: Path, step: Step) -> Iterator[str]:
    words = (f"'{word}'" if set(word) & set(" ()*!\\") else word for word in step.line)
    where = "" if step.folder == "." else f"~/shop/{step.folder}"
    yield f"{where}$ repo-mcp {' '.join(words)}{' | cat' if step.piped else ''}"
    code, out, err = _run(root, step)
    yield from out.splitlines()
    yield from (f"> {line}" for line in err.splitlines())
    if code:
        yield f"[{code}]"


def _run(root: Path, step: Step) -> tuple[int, str, str]:
    """Exit code, output and errors of a command, in this process."""
    out = io.StringIO() if step.piped else _Terminal()
    err = io.StringIO()
    line = ["repo-mcp", *step.line]
    typed = mock.patch.object(sys, "argv", line)
    with chdir(root / step.folder), typed, redirect_stdout(out), redirect_stderr(err):
        try:
            code = server.run(lambda: 1.0e9)
        except SystemExit as end:
            code = int(end.code or 0)
    return code, _masked(out.getvalue(), root), _masked(err.getvalue(), root)


def _masked(text: str, root: Path) -> str:
    text = text.replace(str(root), SHOWN)
    for pattern, shown in _MASKS:
        text = pattern.sub(shown, text)
    return re.sub(r"(?m)^(looking for changes|merging)\n", "", text)
