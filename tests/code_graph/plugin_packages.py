"""Packages with a language, installed in a folder as by an installer."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

GROUP = "repo_mcp.languages"
EXAMPLE = Path(__file__).parents[2] / "examples" / "plugins" / "ini"


def described(folder: Path, name: str, version: str, entries: dict[str, str]) -> Path:
    """Describe an installed package; its modules are not copied."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    rows = [f"{key} = {value}" for key, value in entries.items()]
    (info / "entry_points.txt").write_text("\n".join([f"[{GROUP}]", *rows, ""]))
    return folder


def example(folder: Path) -> Path:
    """Describe the example as if it were installed."""
    project: dict[str, Any] = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    return described(folder, project["name"], project["version"], project["entry-points"][GROUP])


HEALTHY = """
from code_graph.facts import Declaration, Facts

class Language:
    def __init__(self, name, version, extension):
        self.name, self.version, self.extension = name, version, extension
    def supports_path(self, path):
        return path.endswith(self.extension)
    def outline(self, path, text):
        return [Declaration("function", text, 1, 1, 1, 0)]
    def facts(self, path, text):
        return Facts(self.name, declarations=tuple(self.outline(path, text)))
    def smart_chunks(self, path, text):
        return [1]
    def symbol_hints(self, prompt):
        return prompt.split()

ready = Language("ready", 1, ".py")
made = lambda: Language("made", 2, ".made")
def other(): return Language("other", 3, ".made")
"""

BROKEN = """
from code_graph.facts import Declaration, Facts

class Broken:
    name, version = "broken", 1
    def supports_path(self, path):
        if path.endswith(".bad"): return True
        raise ValueError(path)
    def outline(self, path, text):
        return [Declaration("function", text, 1, 1, 1, 0, parent=7)]
    def facts(self, path, text):
        return "facts"
    def smart_chunks(self, path, text):
        raise KeyError(text)
    def symbol_hints(self, prompt):
        return 1

class Nameless:
    version = 1
    supports_path = outline = facts = smart_chunks = symbol_hints = None

def raises(): raise OSError("no such thing: /secret/path")
number = 3
def gives_nothing(): return None
"""
