"""Compares the declaration of each tool with its golden file, and rewrites it with `--write`.

Run `python -m tests.repo_mcp.toolsets.golden_declarations [--write]` and review every difference:
clients store declarations, and models are used to them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final

from repo_mcp.toolsets.catalog import TOOLSETS, toolset_of
from repo_mcp.toolsets.kit.spec import Tool

HERE: Final = Path(__file__).parent
ALL_TOOLS: Final = tuple(tool for toolset in TOOLSETS for tool in toolset.tools)


def path_of(tool: Tool) -> Path:
    """The golden file of a tool."""
    return HERE / toolset_of(tool).name / "golden" / f"{tool.name}.json"


def render(tool: Tool) -> str:
    """The declaration with one value a line."""
    return json.dumps(tool.declaration(), indent=1) + "\n"


def is_golden(tool: Tool) -> bool:
    """True if the golden file exists and equals the declaration."""
    path = path_of(tool)
    return path.exists() and path.read_text("utf-8") == render(tool)


def main(arguments: list[str]) -> int:
    """The number of golden files that differ."""
    different = [tool for tool in ALL_TOOLS if not is_golden(tool)]
    for tool in different:
        print(path_of(tool))  # noqa: T201 what a person asked for
        if "--write" in arguments:
            path_of(tool).write_text(render(tool), "utf-8", newline="\n")
    return len(different)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
