"""MCP tools, prompts and resources: declarations that load fast, and their handlers."""

from __future__ import annotations

from index_format.annotations import TYPE_CHECKING, Final
from index_format.late_import import import_on_first_use

if TYPE_CHECKING:  # a server starts with declarations alone
    from repo_mcp.toolsets.completion import Completion
    from repo_mcp.toolsets.prompts import Prompts
    from repo_mcp.toolsets.resources import (
        COMPLETED,
        SYMBOL_TEMPLATE,
        SYMBOLS,
        TEMPLATES,
        Resources,
    )
    from repo_mcp.toolsets.skill import ServedSkill, served_skill

_LATE: Final = {
    "completion": "Completion",
    "prompts": "Prompts",
    "resources": "COMPLETED SYMBOLS SYMBOL_TEMPLATE TEMPLATES Resources",
    "skill": "ServedSkill served_skill",
}
__getattr__ = import_on_first_use(__name__, _LATE)
