"""Answers questions about a repository over several hops, with the evidence of every step.

The wording of a question decides what is followed: implementations, callers of callers, uses, the
way from one symbol to another, or the structure of a folder. Every finding is an edge of the graph
or a hit of the search; what was not followed is part of the report. The door of the room: other
rooms import from here. It knows no tool.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index_format.late_import import import_on_first_use

if TYPE_CHECKING:
    from repo_mcp.research.answer import research_result
    from repo_mcp.research.model import (
        Chain,
        Diagram,
        EdgeEvidence,
        Focus,
        Gap,
        Hop,
        Node,
        Report,
        ResearchFinding,
        Step,
        Subject,
    )
    from repo_mcp.research.service import (
        MOST_HOPS,
        Research,
        ResearchAnswer,
        Sources,
        research,
        research_opened,
    )

_LATE: Final = {
    "answer": "research_result",
    "model": "Chain Diagram EdgeEvidence Focus Gap Hop Node Report ResearchFinding Step Subject",
    "service": "MOST_HOPS Research ResearchAnswer Sources research research_opened",
}

__getattr__ = import_on_first_use(__name__, _LATE)
