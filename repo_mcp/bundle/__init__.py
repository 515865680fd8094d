"""Context bundles: the excerpts that a task needs, found, chosen and cited within a budget.

The door of the room: what is listed here is all that other rooms import. A bundle is made from one
snapshot and the files as they are now; it holds text of files, never a summary or an answer. Tuned
numbers stand in `weights.py`, and the words of reasons and warnings in `reasons.py`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from repo_mcp.bundle.bundler import LocalBundler
    from repo_mcp.bundle.model import (
        DEFAULT_MAX_FILES,
        DEFAULT_MAX_TOTAL_LINES,
        LEAST_BYTES,
        NO_ROOM,
        Bundle,
        Bundler,
        BundleRequest,
    )
    from repo_mcp.bundle.page import keep_last_bundle, render_page
    from repo_mcp.bundle.prompt.prompt import clean_prompt

# imported when first used: the server starts without them
_MODULES = {
    "Bundle": "model",
    "BundleRequest": "model",
    "Bundler": "model",
    "DEFAULT_MAX_FILES": "model",
    "DEFAULT_MAX_TOTAL_LINES": "model",
    "LEAST_BYTES": "model",
    "LocalBundler": "bundler",
    "NO_ROOM": "model",
    "clean_prompt": "prompt.prompt",
    "keep_last_bundle": "page",
    "render_page": "page",
}

__all__ = [
    "DEFAULT_MAX_FILES",
    "DEFAULT_MAX_TOTAL_LINES",
    "LEAST_BYTES",
    "NO_ROOM",
    "Bundle",
    "BundleRequest",
    "Bundler",
    "LocalBundler",
    "clean_prompt",
    "keep_last_bundle",
    "render_page",
]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
