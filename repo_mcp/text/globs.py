"""Compiles globs of requests and settings: one over the limits is a problem of its caller."""

from __future__ import annotations

from code_graph.paths.globs import Glob, GlobError
from repo_mcp.errors import Problem


def compile_glob(pattern: str) -> Glob:
    """A glob that a client or a user wrote; raises `Problem` for one over the limits."""
    try:
        return Glob(pattern)
    except GlobError as error:
        raise Problem("argument_invalid", str(error)) from None
