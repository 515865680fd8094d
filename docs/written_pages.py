"""Fills in what pages written by hand leave to be generated: figures, and outputs of commands.

A block marked `console` holds commands after `$ `. Those of a page are run one after the other in
one sample repository, in the order of the page, and what they print replaces what stood below them.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from docs import figures
from docs.sample_shop import run_command, sample_shop

# pages that may hold figures and commands, beside README.md
PAGES: Final = (
    "index",
    "quickstart",
    "troubleshooting",
    "comparison",
    "disk-and-memory",
    "python",
    "upgrading",
    "faq",
    "cluster",
    "index_format",
    "releasing",
    "hooks",
    "http",
    "scale",
    "web",
)
CONSOLE: Final = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMPT: Final = "$ "
_PROGRAM: Final = "repo-mcp"


def written_pages(root: Path) -> list[Path]:
    """README and the pages written by hand."""
    return [root / "README.md", *(root / "docs" / f"{name}.md" for name in PAGES)]


def filled_pages(root: Path) -> Iterator[tuple[Path, str]]:
    """Each page as it should be."""
    for file in written_pages(root):
        text = figures.fill(file.read_text(encoding="utf-8"))
        yield file, _fill_console(text) if CONSOLE.search(text) else text


def _fill_console(text: str) -> str:
    with sample_shop() as root:
        return CONSOLE.sub(lambda found: _answered(found[1], root), text)


def _answered(block: str, root: Path) -> str:
    commands = [line for line in block.splitlines() if line.startswith(PROMPT)]
    lines = [line for command in commands for line in (command, *_outputs(command, root))]
    return "\n".join(["```console", *lines, "```"])


def _outputs(command: str, root: Path) -> Iterator[str]:
    """The block's printed output, and its exit code if that is not 0."""
    words = shlex.split(command.removeprefix(PROMPT), comments=True)
    if words[0] != _PROGRAM:
        raise ValueError(command)
    output = run_command(root, words[1:])
    yield from output.out.splitlines()
    yield from (f"> {line}" for line in output.err.splitlines())
    if output.code:
        yield f"[{output.code}]"
