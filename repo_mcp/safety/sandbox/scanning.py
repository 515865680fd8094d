"""Types of scans of many files by compiled code; imported when there is something to scan."""

from __future__ import annotations

from repo_mcp.native import NATIVE, LineScan, NeedleLines, prefix_lines

__all__ = ["NATIVE", "LineScan", "NeedleLines", "Scanned", "prefix_lines"]

# the lines of a plain file with a needle, its content, or None where `Door.open` has to decide
Scanned = NeedleLines | bytes | None
