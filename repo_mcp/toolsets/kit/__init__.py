"""Shared by all toolsets: declarations, arguments, running a call, cursors and rendering."""

from __future__ import annotations

from index_format.annotations import TYPE_CHECKING, Final
from index_format.late_import import import_on_first_use

if TYPE_CHECKING:  # a server starts with declarations alone
    from repo_mcp.toolsets.kit.answering import ToolHandlers, run_call
    from repo_mcp.toolsets.kit.answers import BOTH, TEXT, narrow
    from repo_mcp.toolsets.kit.loading import CANCELLED, load_in_thread
    from repo_mcp.toolsets.kit.services import ToolServices, context_of

_LATE: Final = {
    "answering": "ToolHandlers run_call",
    "answers": "BOTH TEXT narrow",
    "loading": "CANCELLED load_in_thread",
    "services": "ToolServices context_of",
}
__getattr__ = import_on_first_use(__name__, _LATE)
