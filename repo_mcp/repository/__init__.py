"""One root open for questions: a snapshot to answer from, waiting for the index, reading, listing.

The door of the room: other rooms import from here, never from the modules inside.
"""

from repo_mcp.repository.content_types import Media, binary_type, media_of, name_type, text_type
from repo_mcp.repository.folders import DIRECTORY, FolderItem, Folders, FolderView, collapsed
from repo_mcp.repository.listing import (
    FileList,
    FileLister,
    fullest_folders,
    has_match,
    is_plain,
)
from repo_mcp.repository.open_index import (
    COMMAND,
    RETRIEVAL,
    Lacking,
    OpenIndex,
    Patience,
    tool_patience,
)
from repo_mcp.repository.reading import (
    FileContent,
    LineRange,
    RangeFault,
    RangeProblem,
    numbered,
    read,
)
from repo_mcp.repository.repository import Refresher, Repository

__all__ = [
    "COMMAND",
    "DIRECTORY",
    "RETRIEVAL",
    "FileContent",
    "FileList",
    "FileLister",
    "FolderItem",
    "FolderView",
    "Folders",
    "Lacking",
    "LineRange",
    "Media",
    "OpenIndex",
    "Patience",
    "RangeFault",
    "RangeProblem",
    "Refresher",
    "Repository",
    "binary_type",
    "collapsed",
    "fullest_folders",
    "has_match",
    "is_plain",
    "media_of",
    "name_type",
    "numbered",
    "read",
    "text_type",
    "tool_patience",
]
