"""Compiles globs of requests and settings: one over the limits is a problem of its caller."""

from __future__ import annotations

from code_graph.paths.globs import Glob, GlobError, GlobList
from repo_mcp.errors import Problem


def compile_glob(pattern: str) -> Glob:
    """One glob, as settings and rules have; raises `Problem` for one over the limits."""
    try:
        return Glob(pattern)
    except GlobError as error:
        raise Problem("argument_invalid", str(error)) from None


def compile_globs(*texts: str) -> GlobList:
    """The globs between commas of requests; raises `Problem` for some over the limits."""
    try:
        return GlobList(*texts)
    except GlobError as error:
        raise Problem("argument_invalid", str(error)) from None
