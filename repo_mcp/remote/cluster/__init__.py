"""Builds and searches an index on several machines, the workers of a Dask cluster.

Its door is this module. It decides nothing about an index: which files make a part, in which
order, and what is published follows from the refresh that it serves, so the bytes are those of one
machine; workers answer what a search asks of segments, so that answers are those of one machine.
Nothing loads it before an engine is named.
"""

from repo_mcp.remote.cluster.connecting import DistributedSearch
from repo_mcp.remote.cluster.cost import CostReport
from repo_mcp.remote.cluster.engine import ClusterEngine, open_engine
from repo_mcp.remote.cluster.runner import ClusterRunner
from repo_mcp.remote.cluster.shards.orders import ShardSource
from repo_mcp.remote.cluster.sources import CHECKOUT, STORE

__all__ = [
    "CHECKOUT",
    "STORE",
    "ClusterEngine",
    "ClusterRunner",
    "CostReport",
    "DistributedSearch",
    "ShardSource",
    "open_engine",
]
