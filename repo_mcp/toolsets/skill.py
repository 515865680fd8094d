"""The skill of this server over MCP: one file, whose text `repo-mcp install` writes, too.

A client reads it as a resource, checks it by size and digest, and shows its description until the
model takes it. A server whose selection lacks a tool that the text names has no skill.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256
from typing import Any, Final

from index_format.tuples import NamedTuple
from repo_mcp.guidance import Skill, skill

Fields = dict[str, Any]
_MARKDOWN: Final = "text/markdown"
_NAMED_TOOL: Final = re.compile(r"`(repo\.\w+)`")


class ServedSkill(NamedTuple):
    """A skill at its address."""

    skill: Skill

    @property
    def uri(self) -> str:
        """The address of its file; the last folder has its name, as the protocol wants it."""
        return f"skill://{self.skill.name}/SKILL.md"

    @property
    def entry(self) -> Fields:
        """The fields at its head as they are, and all of its files with their digests."""
        data = self.skill.text.encode()
        file = {"uri": self.uri, "digest": f"sha256:{sha256(data).hexdigest()}", "size": len(data)}
        frontmatter = {"name": self.skill.name, "description": self.skill.description}
        return {"uri": self.uri, "frontmatter": frontmatter, "resources": [file]}

    @property
    def resource(self) -> Fields:
        """Its declaration for a list of resources."""
        return {
            "uri": self.uri,
            "name": self.skill.name,
            "title": "How to find code with this server",
            "description": self.skill.description,
            "mimeType": _MARKDOWN,
            "size": len(self.skill.text.encode()),
        }

    @property
    def contents(self) -> Fields:
        """Its text, as a resource."""
        return {"uri": self.uri, "mimeType": _MARKDOWN, "text": self.skill.text}


def served_skill(has_tool: Callable[[str], bool]) -> ServedSkill | None:
    """The skill of a server with these tools."""
    offered = skill()
    return ServedSkill(offered) if all(map(has_tool, _NAMED_TOOL.findall(offered.text))) else None
