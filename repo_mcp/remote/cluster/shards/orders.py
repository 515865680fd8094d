"""Messages to a worker that searches: the segments that it reads, and where they are.

A shard is described once and then named by the hash of its description. Requests and answers are
pickled: as all of Dask, they come from whoever reaches the scheduler.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Mapping, Sequence
from typing import Any, Final

from index_format import FORMAT_VERSION, SegmentEntry, Snapshot, Statistics, export_manifest
from index_format.records import Record, replace
from index_format.tuples import NamedTuple
from repo_mcp import __version__

# both sides compute the same only if they are of one version
VERSION: Final = f"{__version__}/{FORMAT_VERSION}"
_DIGEST_BYTES: Final = 16

# replies of a worker besides the answer
ANSWER: Final = "answer"
UNKNOWN: Final = "unknown"
LACKING: Final = "lacking"
BUSY: Final = "busy"
FAILED: Final = "failed"
REFUSED: Final = "refused"


class ShardSource(Record):
    """The source of segments for workers: a folder that they see, else an object store."""

    folder: str = ""
    url: str = ""


class ShardOrder(Record):
    """A shard: its segments as a manifest, the statistics of the whole, and where they are."""

    manifest: bytes
    statistics: Statistics
    source: ShardSource

    @classmethod
    def of(
        cls, whole: Snapshot, entries: Sequence[SegmentEntry], source: ShardSource
    ) -> ShardOrder:
        """The order for these segments of a snapshot."""
        manifest = replace(whole.manifest, segments=tuple(entries))
        return cls(export_manifest(manifest, ""), Statistics.of(whole), source)

    @property
    def identity(self) -> str:
        """The name of the shard."""
        data = b"\0".join(
            [self.manifest, repr(self.statistics).encode(), repr(self.source).encode()]
        )
        return hashlib.blake2b(data, digest_size=_DIGEST_BYTES).hexdigest()


class ShardRequest(NamedTuple):
    """A query of a shard, or none: then it is only opened."""

    identity: str
    shard: str
    # None: the worker knows it already
    order: ShardOrder | None
    query: object
    # after so many seconds nobody waits any more
    seconds: float
    version: str = VERSION


class ShardReply(NamedTuple):
    """The end of a request: its kind, and the answer, a reason, or the names of segments."""

    kind: str
    value: Any = None


def pack(message: ShardRequest | ShardReply) -> bytes:
    """The message as bytes."""
    return pickle.dumps(tuple(message), protocol=pickle.HIGHEST_PROTOCOL)


def unpack_request(data: bytes) -> ShardRequest:
    """Undo `pack`."""
    return ShardRequest(*pickle.loads(data))  # noqa: S301 see above


def unpack_reply(data: bytes) -> ShardReply:
    """Undo `pack`."""
    return ShardReply(*pickle.loads(data))  # noqa: S301 see above


def rank_holders(segment: str, workers: Mapping[str, str]) -> list[str]:
    """The addresses of workers in the order in which they are asked for a segment.

    It follows from the names of segment and workers, so that a worker that comes or goes moves only
    the segments that it reads or has read.
    """
    order = sorted(
        (hashlib.blake2b(f"{segment}\0{name}".encode(), digest_size=8).digest(), name, address)
        for address, name in workers.items()
    )
    return [address for _, _, address in order]
