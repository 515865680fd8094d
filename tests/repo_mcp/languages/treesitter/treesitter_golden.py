"""Compares golden files with what is made of their sources now, and writes them with `--write`.

Run as `python -m tests.repo_mcp.languages.treesitter.treesitter_golden [--write]`; look at every
difference.
"""

from __future__ import annotations

import difflib
import sys
from typing import Final

from repo_mcp.languages.treesitter.adapter import adapter
from tests.repo_mcp.languages.fact_dumps import GOLDEN, dump

SOURCES: Final = {
    "c": "c.c",
    "cpp": "cpp.cpp",
    "go": "go.go",
    "java": "java.java",
    "rust": "rust.rs",
}


def main(arguments: list[str]) -> int:
    """How many golden files differ."""
    different = 0
    for language, name in SOURCES.items():
        path = GOLDEN / f"{name}.facts"
        before = path.read_text("utf-8") if path.exists() else ""
        now = dump(adapter(language).facts(name, (GOLDEN / name).read_text("utf-8")))
        if now != before:
            different += 1
            lines = difflib.unified_diff(before.split("\n"), now.split("\n"), name, "now", n=0)
            sys.stdout.write("\n".join(lines) + "\n")
        if "--write" in arguments:
            path.write_text(now, "utf-8")
    return different


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
