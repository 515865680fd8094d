"""The manifests of a snapshot of the text index: which there are, and their texts.

Their texts are not in the index. They are read again, and one that is not what was indexed counts
as missing: the next refresh indexes it, and then it is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from code_graph.projects.source import is_manifest
from index_format import Snapshot
from index_format.analysis.content import fingerprint
from repo_mcp.errors import Problem
from repo_mcp.safety.sandbox import Sandbox
from repo_mcp.text.files import decode


def list_manifests(snapshot: Snapshot, paths: Iterable[str] | None = None) -> Mapping[str, bytes]:
    """Fingerprints of all manifests by their paths; `paths` are those of the snapshot."""
    found: dict[str, bytes] = {}
    for path in snapshot.paths() if paths is None else paths:
        if is_manifest(path):
            record = snapshot.file(path)
            if record is not None:
                found[path] = record.fingerprint
    return found


def read_texts(manifests: Mapping[str, bytes], sandbox: Sandbox) -> Mapping[str, str]:
    """The texts of manifests that are as they were indexed."""
    found: dict[str, str] = {}
    for path, print_ in sorted(manifests.items()):
        try:
            content = sandbox.read(path, follow=False)
        except Problem:
            continue
        text = decode(content.data) if fingerprint(content.data) == print_ else None
        if text is not None:
            found[path] = text.content
    return found
