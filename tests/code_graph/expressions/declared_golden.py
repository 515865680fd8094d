"""Golden sources of C#, Java, Kotlin, Go, PHP and Lua, and their symbolic code as text.

`python -m tests.code_graph.expressions.declared_golden [--write]` shows what differs from the
golden files, and writes them; look at every difference.
"""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import Final

from code_graph.treesitter.adapter import adapter
from tests.code_graph.expressions.code_checks import parsed
from tests.code_graph.expressions.code_dump import dump

GOLDEN: Final = Path(__file__).with_name("golden") / "declared"
LANGUAGES: Final = {
    ".cs": "csharp",
    ".java": "java",
    ".kt": "kotlin",
    ".go": "go",
    ".php": "php",
    ".lua": "lua",
}


def sources() -> list[Path]:
    """The golden sources."""
    return sorted(path for path in GOLDEN.iterdir() if path.suffix in LANGUAGES)


def expected_of(path: Path) -> Path:
    """The file with the expected code."""
    return path.with_name(f"{path.name}.code")


def read_golden(path: Path) -> tuple[str, str]:
    """The current and the expected code of a golden source."""
    expected = expected_of(path)
    before = expected.read_text("utf-8") if expected.exists() else ""
    found = parsed(adapter(LANGUAGES[path.suffix]), path.name, path.read_text("utf-8"))
    return dump(found), before


def main() -> None:
    """Show what differs, and write it if asked."""
    for path in sources():
        now, before = read_golden(path)
        rows = before.splitlines(keepends=True), now.splitlines(keepends=True)
        sys.stdout.writelines(difflib.unified_diff(*rows, path.name, "now"))
        if "--write" in sys.argv:
            expected_of(path).write_text(now, "utf-8")


if __name__ == "__main__":
    main()
