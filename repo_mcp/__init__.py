"""A local MCP server with which AI coding clients search a very large repository.

As a library, `repo_mcp.open(root)` searches a repository from Python. It is imported on first use.
"""

from __future__ import annotations

# `python -m repo_mcp` may run in a folder that holds a `typing.py`: nothing is imported here
TYPE_CHECKING = False
if TYPE_CHECKING:
    from repo_mcp.errors import Problem
    from repo_mcp.library import LocalRepository, open  # noqa: A004 called as repo_mcp.open

__all__ = ["LocalRepository", "Problem", "__version__", "open"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    if name in {"LocalRepository", "open"}:
        from repo_mcp import library  # noqa: PLC0415 a server starts without it

        return getattr(library, name)
    if name == "Problem":
        from repo_mcp.errors import Problem  # noqa: PLC0415 as above

        return Problem
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
