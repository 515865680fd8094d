"""Published indexes: carries the indexes of a checkout to an object store and into other checkouts.

Other checkouts may be on this machine, and share a folder. Its door is this module. It neither
makes indexes nor searches them, and a checkout that has no address of a store, and shares nothing,
never loads it.
"""

from repo_mcp.remote.objects.blocks import BlockCache
from repo_mcp.remote.objects.contract import ObjectReader, ObjectRow, ObjectStore, VersionedObject
from repo_mcp.remote.objects.folder import FolderObjects
from repo_mcp.remote.objects.object_store import open_store
from repo_mcp.remote.objects.ranges import shared_reader
from repo_mcp.remote.objects.remote_reader import open_reader
from repo_mcp.remote.publish.copying import CopyReport, SegmentCopier
from repo_mcp.remote.publish.door import PublishedDoor, open_published, same_always
from repo_mcp.remote.publish.local_index import LocalIndex, digest
from repo_mcp.remote.publish.names import segment as segment_object
from repo_mcp.remote.publish.notes import Signer, read_label
from repo_mcp.remote.publish.publication import Publication
from repo_mcp.remote.publish.published_names import PublishedNames
from repo_mcp.remote.publish.publishing import IndexExport, Publisher, PublishReport, export
from repo_mcp.remote.publish.pulling import Puller, PullReport
from repo_mcp.remote.publish.retention import collect
from repo_mcp.remote.publish.shared_cache import PRIVATE, CacheUse, SharedCache, ShareReport
from repo_mcp.remote.publish.signing import check_public_keys, make_key, read_key
from repo_mcp.remote.publish.texts import CheckoutFile, TextExport, read_texts
from repo_mcp.remote.publish.tree import TextKind

__all__ = [
    "PRIVATE",
    "BlockCache",
    "CacheUse",
    "CheckoutFile",
    "CopyReport",
    "FolderObjects",
    "IndexExport",
    "LocalIndex",
    "ObjectReader",
    "ObjectRow",
    "ObjectStore",
    "Publication",
    "PublishReport",
    "PublishedDoor",
    "PublishedNames",
    "Publisher",
    "PullReport",
    "Puller",
    "SegmentCopier",
    "ShareReport",
    "SharedCache",
    "Signer",
    "TextExport",
    "TextKind",
    "VersionedObject",
    "check_public_keys",
    "collect",
    "digest",
    "export",
    "make_key",
    "open_published",
    "open_reader",
    "open_store",
    "read_key",
    "read_label",
    "read_texts",
    "same_always",
    "segment_object",
    "shared_reader",
]
