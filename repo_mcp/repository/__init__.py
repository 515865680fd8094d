"""One open repository: its current index snapshot, waiting for the index, reading, listing.

The door of the room: other rooms import from here, never from the modules inside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from repo_mcp.late_import import import_on_first_use
from repo_mcp.repository.content_types import Media, binary_type, media_of, name_type, text_type
from repo_mcp.repository.folders import DIRECTORY, FolderItem, Folders, FolderView, collapse_path
from repo_mcp.repository.listing import (
    FileList,
    FileLister,
    folder_counts,
    fullest_folders,
    has_match,
    is_plain,
)
from repo_mcp.repository.open_graph import OpenGraph
from repo_mcp.repository.open_index import (
    COMMAND_WAIT,
    RETRIEVAL_WAIT,
    IndexGap,
    OpenIndex,
    WaitPolicy,
    tool_wait_policy,
)
from repo_mcp.repository.reading import (
    FileContent,
    LineRange,
    RangeFault,
    RangeProblem,
    read,
)
from repo_mcp.repository.repository import Refresher, Repository
from repo_mcp.repository.root_keeper import RootKeeper

if TYPE_CHECKING:  # most servers have no graph
    from repo_mcp.repository.similar_symbols import SimilarSearch, SimilarSymbol, SimilarSymbols

__all__ = [
    "COMMAND_WAIT",
    "DIRECTORY",
    "RETRIEVAL_WAIT",
    "FileContent",
    "FileList",
    "FileLister",
    "FolderItem",
    "FolderView",
    "Folders",
    "IndexGap",
    "LineRange",
    "Media",
    "OpenGraph",
    "OpenIndex",
    "RangeFault",
    "RangeProblem",
    "Refresher",
    "Repository",
    "RootKeeper",
    "SimilarSearch",
    "SimilarSymbol",
    "SimilarSymbols",
    "WaitPolicy",
    "binary_type",
    "collapse_path",
    "folder_counts",
    "fullest_folders",
    "has_match",
    "is_plain",
    "media_of",
    "name_type",
    "read",
    "text_type",
    "tool_wait_policy",
]

_LATE: Final = dict.fromkeys(
    ("SimilarSearch", "SimilarSymbol", "SimilarSymbols"), "similar_symbols"
)
__getattr__ = import_on_first_use(__name__, _LATE)
