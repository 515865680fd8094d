"""The folder that a call is about: the repository, or a folder inside it."""

from __future__ import annotations

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.repository import OpenIndex, collapse_path
from repo_mcp.toolsets.kit.services import ToolServices
from repo_mcp.toolsets.swiftindex.errors import NO_FOLDER, NO_INDEX, Refusal


def folder_of(services: ToolServices, path: str) -> str:
    """The folder below the root, the root as ""; whether others exist is not disclosed."""
    sandbox = services.repository.sandbox
    try:
        below = sandbox.normalize_path(collapse_path(path.strip() or "."))
        sandbox.list_folder(below)
    except Problem as problem:
        if problem.code in {"root_missing", "reopened"}:
            raise
        raise Refusal(NO_FOLDER, path) from None
    return below


def open_index(services: ToolServices, folder: str, budget: Budget) -> OpenIndex:
    """The index; without one, unless it is just being built, the call fails."""
    repository = services.repository
    index = repository.current_index()
    if index.snapshot is None and repository.progress is not None:
        index = repository.open(services.wait, budget)
    if index.snapshot is None:
        root = repository.settings.root.rstrip("/")
        raise Refusal(NO_INDEX, f"{root}/{folder}" if folder else root or "/")
    return index
