"""Writes anew what a Python file with every construct in it is said to hold.

    python -m tests.code_graph.languages.python.python_golden --write    (from the top folder)

A change of the answers is a change of the adapter's version: see what has changed, then keep it.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from code_graph.facts import Declaration, Facts
from code_graph.languages.python.adapter import adapter

GOLDEN = Path(__file__).parent / "golden" / "python"
SOURCE = GOLDEN / "constructs.py.txt"
OUTLINE = GOLDEN / "outline.json"
FACTS = GOLDEN / "facts.json"


def source() -> str:
    """The file with every construct."""
    return SOURCE.read_bytes().decode()


def outline() -> str:
    """The declarations, one on each line."""
    found = adapter().outline("constructs.py", source())
    return _rows([_told(item) for item in found])


def facts() -> str:
    """The uses and imports, one fact on each line."""
    found: Facts = adapter().facts("constructs.py", source())
    rows = [*found.uses, *found.imports, ["cuts", *found.cuts]]
    return _rows([list(row) for row in rows])


def _told(item: Declaration) -> object:
    shown = asdict(item) | {"modifiers": sorted(item.modifiers)}
    return {key: value for key, value in shown.items() if value not in ("", [], (), 0, False)}


def _rows(rows: list[object]) -> str:
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f"[\n{lines}\n]\n"


def main() -> int:
    """Write everything, if told to."""
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    OUTLINE.write_text(outline(), encoding="utf-8", newline="\n")
    FACTS.write_text(facts(), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
