"""Indexes elsewhere: in object stores, in a folder that checkouts share, on workers of a cluster.

Its doors are this module, `remote.publish` and `remote.cluster`. The rooms below know it by two
protocols alone, which `repo_mcp.services` hands them: an `IndexSource` brings a first index, and a
`Snapshot` may ask others. Nothing of it but `published` is loaded before an address, a shared
folder or an engine is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from index_format.late_import import import_on_first_use

if TYPE_CHECKING:  # the process that reads a place has no room for all of it
    from repo_mcp.remote.published import (
        DEFAULT_LABEL,
        PublishOptions,
        RemoteIndex,
        audit_segments,
        create_key,
        publish_index,
        pull_index,
        remote_index,
    )
    from repo_mcp.remote.serving import (
        Replica,
        find_publication,
        open_publication,
        open_published_index,
    )


# opens trees where they are published, in whichever process reads them
REMOTE_DOOR: Final = "repo_mcp.remote.publish.door:open_published"
# opens segments where they are published, in whichever process reads them
REMOTE_SEGMENTS: Final = "repo_mcp.remote.objects.ranges:open_segments"

_LATE: Final = {
    "serving": "Replica find_publication open_publication open_published_index",
    "published": (
        "DEFAULT_LABEL PublishOptions RemoteIndex audit_segments create_key publish_index "
        "pull_index remote_index"
    ),
}
__getattr__ = import_on_first_use(__name__, _LATE)
