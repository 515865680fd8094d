"""Parses the text form of answers into data, so that it can be compared with the data."""

from __future__ import annotations

import json
from typing import Any

CUT = "… (truncated)"


def listed(text: str) -> dict[str, Any]:
    """The names in a listing."""
    lines = text.split("\n")
    found: dict[str, Any] = {"entries": []}
    if lines == ["no entries"]:
        return found
    if lines[-1] == CUT:
        found["truncated"] = True
        lines.pop()
    for line in lines:
        if line.endswith("/"):
            found["entries"].append({"name": _name(line[:-1]), "type": "directory"})
        else:
            name, _, size = line.rpartition("\t")
            found["entries"].append({"name": _name(name), "type": "file", "size": int(size)})
    return found


def tree(text: str) -> dict[str, Any]:
    """The names in a tree; a folder without entries is empty only where it is said to be."""
    above: list[dict[str, Any]] = []
    for line in text.split("\n"):
        depth = (len(line) - len(line.lstrip(" "))) // 2
        del above[depth:]
        if line.strip() == CUT:
            above[-1]["truncated"] = True
            continue
        node = _node(line.strip(" "))
        if above:
            above[-1].setdefault("children", []).append(node)
        above.append(node)
    return above[0]


def missing(value: object, text: str) -> list[str]:
    """Leaves of the data that the text lacks."""
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in missing(item, text)]
    if isinstance(value, list):
        return [leaf for item in value for leaf in missing(item, text)]
    leaf = value if isinstance(value, str) else json.dumps(value)
    return [] if leaf in text or json.dumps(leaf) in text else [leaf]


def _node(said: str) -> dict[str, Any]:
    if said.endswith("/ (empty)"):
        name = _name(said.removesuffix("/ (empty)"))
        return {"name": name, "type": "directory", "children": []}
    if said.endswith("/"):
        return {"name": _name(said[:-1]), "type": "directory"}
    return {"name": _name(said), "type": "file"}


def _name(said: str) -> str:
    name: str = json.loads(said) if said.startswith('"') else said
    return name
