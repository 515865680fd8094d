"""Context bundles: the excerpts that a task needs, found, chosen and cited within a budget.

Other rooms import only what is listed here. A bundle is made from one snapshot and the current
files; it has text of files, never a summary or an answer. Tuned numbers are in `weights.py`, the
texts of reasons and warnings in `reasons.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index_format.late_import import import_on_first_use

if TYPE_CHECKING:
    from repo_mcp.bundle.bundler import LocalBundler
    from repo_mcp.bundle.find.searches import Ranker
    from repo_mcp.bundle.model import (
        DEFAULT_MAX_FILES,
        DEFAULT_MAX_TOTAL_LINES,
        GRAPH_DAMAGED,
        LEAST_BYTES,
        NO_ROOM,
        Bundle,
        Bundler,
        BundleRequest,
    )
    from repo_mcp.bundle.page import (
        keep_last_bundle,
        read_last_bundle,
        record_of_bundle,
        render_page,
    )
    from repo_mcp.bundle.regions import MOST_CHARACTERS, RegionBundler

# imported when first used: the server starts without them
_LATE: Final = {
    "bundler": "LocalBundler",
    "find.searches": "Ranker",
    "model": (
        "DEFAULT_MAX_FILES DEFAULT_MAX_TOTAL_LINES GRAPH_DAMAGED LEAST_BYTES NO_ROOM Bundle "
        "BundleRequest Bundler"
    ),
    "page": "keep_last_bundle read_last_bundle record_of_bundle render_page",
    "regions": "MOST_CHARACTERS RegionBundler",
}

__getattr__ = import_on_first_use(__name__, _LATE)
