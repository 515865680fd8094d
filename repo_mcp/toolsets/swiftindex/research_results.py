"""Result of `code_research`."""

from __future__ import annotations

from repo_mcp.toolsets.kit.records import Record, string


class ResearchResult(Record):
    """What research found."""

    report: str = string("The report")
