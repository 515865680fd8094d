"""The flow that a question is about: functions that run one after another, or a setting's value.

The door of the room: bundles, research and answers follow flows through it. It knows no tool and no
bundle; what it is given are a graph, a search for passages, and lines of files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index_format.late_import import import_on_first_use

if TYPE_CHECKING:
    from repo_mcp.flow.flow_lines import chain_lines, parted_lines
    from repo_mcp.flow.model import Flow, FlowSources, FlowStep, PartedEnds, Passage
    from repo_mcp.flow.question_flow import find_question_flow, find_sides
    from repo_mcp.flow.setting_way import (
        KeyLine,
        Place,
        SettingSources,
        SettingWay,
        ValueHolder,
        find_setting,
    )
    from repo_mcp.flow.weights import FlowWeights

# imported when first used: the server starts without them
_LATE: Final = {
    "flow_lines": "chain_lines parted_lines",
    "model": "Flow FlowSources FlowStep PartedEnds Passage",
    "question_flow": "find_question_flow find_sides",
    "setting_way": "KeyLine Place SettingSources SettingWay ValueHolder find_setting",
    "weights": "FlowWeights",
}

__getattr__ = import_on_first_use(__name__, _LATE)
