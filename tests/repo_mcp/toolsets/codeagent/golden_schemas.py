"""Compares what clients are told of each tool with its golden file, and writes it with `--write`.

Run as `python -m tests.repo_mcp.toolsets.codeagent.golden_schemas [--write]`; look at every
difference: clients keep what they were told, and models are used to it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final

from repo_mcp.toolsets.codeagent.declarations import TOOLS
from repo_mcp.toolsets.kit.spec import Tool

GOLDEN: Final = Path(__file__).with_name("golden")


def path_of(tool: Tool) -> Path:
    """Where a tool's declaration is kept."""
    return GOLDEN / f"{tool.name}.json"


def shown(tool: Tool) -> str:
    """The declaration, to be compared line by line."""
    return json.dumps(tool.declaration(), indent=1) + "\n"


def main(arguments: list[str]) -> int:
    """How many golden files differ."""
    different = [
        tool
        for tool in TOOLS
        if not path_of(tool).exists() or path_of(tool).read_text("utf-8") != shown(tool)
    ]
    for tool in different:
        print(tool.name)  # noqa: T201 what a person asked for
        if "--write" in arguments:
            path_of(tool).write_text(shown(tool), "utf-8", newline="\n")
    return len(different)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
