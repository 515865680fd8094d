"""INI files: sections are classes, keys are their fields.

A language needs no more than this. It is pure: the same text gives the same answers, nothing is
opened, run or looked up, and no text makes it raise.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from code_graph.facts import MODULE, Declaration, Facts

_SECTION = re.compile(r"\s*\[([^\]]+)\]")
_KEY = re.compile(r"([^\s#;=:\[][^=:]*?)\s*[=:]")


class IniLanguage:
    """Reads `.ini` and `.cfg` files."""

    name = "ini"
    # raised whenever the same text gives other answers than before
    version = 1

    def supports_path(self, path: str) -> bool:
        """True if the name ends like that of an INI file."""
        return path.lower().endswith((".ini", ".cfg"))

    def outline(self, path: str, text: str) -> Sequence[Declaration]:
        """Sections and keys in the order of the text."""
        return self.facts(path, text).declarations

    def facts(self, path: str, text: str) -> Facts:  # noqa: ARG002 every adapter is given the path
        """Sections, keys, and that a file is best cut before a section."""
        found: list[Declaration] = []
        section = MODULE
        for line, row in enumerate(text.split("\n"), 1):
            if match := _SECTION.match(row):
                section = len(found)
                found.append(_declared("class", match, line, MODULE))
            elif match := _KEY.match(row):
                found.append(_declared("field", match, line, section))
                if section != MODULE:
                    found[section] = replace(found[section], end_line=line)
        cuts = tuple(item.start_line for item in found if item.kind == "class")
        return Facts(self.name, declarations=tuple(found), cuts=cuts)

    def smart_chunks(self, path: str, text: str) -> Sequence[int]:
        """Where sections begin."""
        return self.facts(path, text).cuts

    def symbol_hints(self, prompt: str) -> Sequence[str]:  # noqa: ARG002 as above
        """None: keys look like any other word."""
        return ()


def _declared(kind: str, match: re.Match[str], line: int, parent: int) -> Declaration:
    return Declaration(
        kind,
        match[1].strip(),
        line,
        line,
        line,
        match.start(1),
        parent,
        signature=match.string.strip(),
        scope_kind="module" if parent == MODULE else "class",
    )
