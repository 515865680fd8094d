"""The Python interface, which `repo_mcp` names: a repository opened by a program of its user.

Answers are those of the commands and the server; nothing here prints, serves or reads variables.
"""

from __future__ import annotations

from repo_mcp.library.local_repository import LocalRepository, open  # noqa: A004 as the caller sees it

__all__ = ["LocalRepository", "open"]
