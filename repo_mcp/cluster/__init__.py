"""Builds an index on several machines: workers of a Dask cluster make the parts of a refresh.

Its door is this module. It decides nothing about an index: which files make a part, in which
order, and what is published follows from the refresh that it serves, so the bytes are those of one
machine. Nothing loads it before an engine is named.
"""

from repo_mcp.cluster.cost import CostReport
from repo_mcp.cluster.engine import Engine, open_engine
from repo_mcp.cluster.runner import ClusterRunner
from repo_mcp.cluster.sources import CHECKOUT, STORE

__all__ = [
    "CHECKOUT",
    "STORE",
    "ClusterRunner",
    "CostReport",
    "Engine",
    "open_engine",
]
