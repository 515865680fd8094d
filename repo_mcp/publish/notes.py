"""Small objects that name a publication: labels, pins and commits, and how a label is moved."""

from __future__ import annotations

import json
from typing import Final

from repo_mcp.errors import Problem
from repo_mcp.publish import names
from repo_mcp.publish.contract import ObjectStore

# each failed attempt means that another publisher has moved the label
_ATTEMPTS: Final = 20
_KEY: Final = "publication"


def encode_note(identity: str) -> bytes:
    """The bytes of an object that names this publication."""
    return json.dumps({_KEY: identity}, separators=(",", ":")).encode() + b"\n"


def read_note(store: ObjectStore, name: str) -> str | None:
    """The publication that an object names; None if there is no such object."""
    found = store.get(name, names.MAX_NOTE_BYTES)
    if found is None:
        return None
    try:
        document = json.loads(found.data.decode("ascii"))
        identity = document[_KEY]
        if isinstance(identity, str) and names.is_publication(identity):
            return identity
    except (ValueError, RecursionError, KeyError, TypeError):
        pass
    raise Problem("publication_invalid", f"{name} names no publication")


def move_label(store: ObjectStore, label: str, identity: str) -> bool:
    """Let a label name this publication, whatever it named before; whether it was moved.

    Every move is a compare-and-swap: of two publishers at once one comes last, and that one's
    publication is named.
    """
    name, wanted = names.label(label), encode_note(identity)
    for _ in range(_ATTEMPTS):
        found = store.get(name, names.MAX_NOTE_BYTES)
        if found is not None and found.data == wanted:
            return False
        if found is None:
            moved = store.create(name, wanted)
        else:
            moved = store.replace(name, wanted, found.version)
        if moved:
            return True
        # a retried request may meet its own first attempt: the next round sees that
    raise Problem("store_unavailable", f"the label {label} is moved faster than it can be read")
