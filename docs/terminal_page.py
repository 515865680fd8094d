"""Writes the page of commands as a terminal shows them, by running each of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from docs.sample_shop import run_command, sample_shop

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
    "Questions": (
        Step(("ask", "where", "is", "the", "tax", "added")),
        Step(("ask", "--name", "add_tax", "--want", "tests", "--more", "uses: Price")),
        Step(("ask", "--name", "tax.py:4-6"), folder=IN_SHOP),
        Step(("ask", "--name", "nothing_like_this")),
    ),
    "Hooks": (
        Step(("hook", "prompt", "why", "does", "add_tax", "fail")),
        Step(("hook", "prompt", "hello")),
        Step(("hook", "search", "def gross")),
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
        Step(("symbol", "add_tax")),
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


def page() -> str:
    """The whole page."""
    with sample_shop() as root:
        run_command(root, ["index"])
        lines = [_HEAD]
        for title, steps in SECTIONS.items():
            lines += [f"## {title}", ""]
            for step in steps:
                lines += ["```", *_shown(root, step), "```", ""]
    return "\n".join(lines).rstrip() + "\n"


def _shown(root: Path, step: Step) -> Iterator[str]:
    words = (f"'{word}'" if set(word) & set(" ()*!\\") else word for word in step.line)
    where = "" if step.folder == "." else f"~/shop/{step.folder}"
    yield f"{where}$ repo-mcp {' '.join(words)}{' | cat' if step.piped else ''}"
    code, out, err = run_command(root / step.folder, step.line, piped=step.piped, root=root)
    yield from out.splitlines()
    yield from (f"> {line}" for line in err.splitlines())
    if code:
        yield f"[{code}]"
