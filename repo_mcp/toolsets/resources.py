"""MCP resources: files of the repository by URI, and the last context bundle.

A file that must not be read is reported as not found: a reason would disclose that it exists.
"""

from __future__ import annotations

import json
from binascii import b2a_base64
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from repo_mcp import bundle, repository
from repo_mcp.errors import Problem
from repo_mcp.toolsets.kit.addresses import SCHEME, uri_of
from repo_mcp.toolsets.kit.spec import ICONS

if TYPE_CHECKING:
    from repo_mcp.safety.sandbox import Sandbox

BUNDLES: Final = {
    "repo-mcp://bundle/last.md": ("last_bundle.md", "text/markdown"),
    "repo-mcp://bundle/last.json": ("last_bundle.json", "application/json"),
}
TEMPLATES: Final[tuple[dict[str, Any], ...]] = (
    {
        "uriTemplate": SCHEME + "{path}",
        "name": "file",
        "title": "File",
        "description": "A file of the repository, by its path relative to the root",
        "icons": list(ICONS),
    },
)
SYMBOLS: Final = "repo-mcp://symbol/"
SYMBOL_TEMPLATE: Final[dict[str, Any]] = {
    "uriTemplate": SYMBOLS + "{name}",
    "name": "symbol",
    "title": "Symbol",
    "description": "A symbol by a name, a dotted name or path:line: definition, uses and callees",
    "mimeType": "text/plain",
    "icons": list(ICONS),
}
# the argument of each template, by what completes it
COMPLETED: Final = {TEMPLATES[0]["uriTemplate"]: "path", SYMBOL_TEMPLATE["uriTemplate"]: "name"}
# most resources in a listing, which a person looks through
_MOST: Final = 100


class Resources:
    """Lists and reads resources through the sandbox."""

    def __init__(self, sandbox: Sandbox, data_dir: str) -> None:
        self._sandbox = sandbox
        self._data_dir = data_dir

    def list_resources(self) -> list[dict[str, Any]]:
        """The last bundle, and the files at the top of the repository."""
        return [*self._bundles(), *self._top_files()][:_MOST]

    def read(self, uri: str) -> list[dict[str, Any]]:
        """The contents of a resource; raises `Problem` if there is none."""
        if uri in BUNDLES:
            name, kind = BUNDLES[uri]
            text = self._bundle(name).decode("utf-8", "replace")
            return [{"uri": uri, "mimeType": kind, "text": text}]
        if not uri.startswith(SCHEME):
            raise Problem("not_found")
        from urllib.parse import unquote_to_bytes  # noqa: PLC0415 as above

        try:
            path = unquote_to_bytes(uri.removeprefix(SCHEME)).decode("utf-8")
        except ValueError:
            raise Problem("path_invalid") from None
        return [{"uri": uri, **_contents(path, self._sandbox.read(path).data)}]

    def _bundles(self) -> Iterator[dict[str, Any]]:
        for uri, (name, kind) in BUNDLES.items():
            try:
                size = len(self._bundle(name))
            except Problem:
                continue
            yield {
                "uri": uri,
                "name": uri.rpartition("/")[2],
                "title": "Last context bundle",
                "description": "The last result of repo.build_context_bundle",
                "mimeType": kind,
                "size": size,
                "annotations": {"audience": ["user", "assistant"], "priority": 0.8},
            }

    def _bundle(self, name: str) -> bytes:
        """A file of the last bundle, unless one of its paths is denied now."""
        try:
            kept = bundle.read_last_bundle(self._data_dir)
            facts = json.loads(kept["last_bundle.json"])
        except (OSError, ValueError, RecursionError):
            raise Problem("not_found") from None
        if any(self._sandbox.is_denied(path) for path in _paths_in(facts)):
            raise Problem("not_found")
        return kept[name]

    def _top_files(self) -> Iterator[dict[str, Any]]:
        for entry in self._sandbox.list_folder("").entries:
            if entry.key is None or self._sandbox.is_denied(entry.name):
                continue
            try:
                size = self._sandbox.file_key(entry.name).size
            except Problem:
                continue
            kind = repository.name_type(entry.name)
            yield {
                "uri": uri_of(entry.name),
                "name": entry.name,
                "size": size,
                **({"mimeType": kind} if kind else {}),
            }


def _paths_in(facts: object) -> Iterator[str]:
    """The value of every field named `path`, at any depth."""
    waiting = [facts]
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict):
            path = found.get("path")
            if isinstance(path, str) and path:
                yield path
            waiting += found.values()
        elif isinstance(found, list):
            waiting += found


def _contents(path: str, data: bytes) -> dict[str, str]:
    from repo_mcp.text.files import decode  # noqa: PLC0415 as above

    text = decode(data)
    if text is None:
        blob = b2a_base64(data, newline=False).decode("ascii")
        return {"mimeType": repository.name_type(path) or "application/octet-stream", "blob": blob}
    return {"mimeType": repository.text_type(path), "text": text.content}
