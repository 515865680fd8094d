"""Makes the links of README absolute in a distribution, whose page has no files around it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

HOST = "https://github.com/repo-mcp/repo-mcp"
PICTURES = "https://raw.githubusercontent.com/repo-mcp/repo-mcp"
# an image, or a link to a file of the repository
LINK = re.compile(r"(!?)(\[[^\]]*\]\()(?!https?:|mailto:|#)([^)\s]+)\)")


class ReadmeHook(MetadataHookInterface):
    """Gives a distribution its long description."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the readme, as of the tag of the version that is built."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": with_absolute_links(text, f"v{metadata['version']}"),
        }


def with_absolute_links(text: str, tag: str) -> str:
    """The text with links to files at a tag, and pictures as they are there."""

    def absolute(found: re.Match[str]) -> str:
        above = f"{PICTURES}/{tag}" if found[1] else f"{HOST}/blob/{tag}"
        return f"{found[1]}{found[2]}{above}/{found[3]})"

    return LINK.sub(absolute, text)
