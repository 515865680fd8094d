"""What is known of a file (`Facts`), and the bytes that an index stores of it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from repo_mcp.languages.facts.model import (
    FAILED,
    FULL,
    MODULE,
    NO_GRAMMAR,
    PARTIAL,
    SKIPPED,
    STOPPED,
    Declaration,
    Facts,
    Import,
    Place,
    Reference,
    in_one,
)

if TYPE_CHECKING:
    from repo_mcp.languages.facts.wire import (
        VERSION,
        DamagedFactsError,
        decode,
        decode_count,
        decode_declarations,
        decode_imports,
        decode_named,
        decode_places,
        decode_references,
        encode,
        stored,
    )

# parsing a file takes neither numpy nor a compiler of records
_LATE = dict.fromkeys(
    (
        "VERSION",
        "DamagedFactsError",
        "decode",
        "decode_count",
        "decode_declarations",
        "decode_imports",
        "decode_named",
        "decode_places",
        "decode_references",
        "encode",
        "stored",
    ),
    "wire",
)

__all__ = [
    "FAILED",
    "FULL",
    "MODULE",
    "NO_GRAMMAR",
    "PARTIAL",
    "SKIPPED",
    "STOPPED",
    "VERSION",
    "DamagedFactsError",
    "Declaration",
    "Facts",
    "Import",
    "Place",
    "Reference",
    "decode",
    "decode_count",
    "decode_declarations",
    "decode_imports",
    "decode_named",
    "decode_places",
    "decode_references",
    "encode",
    "in_one",
    "stored",
]


def __getattr__(name: str) -> object:
    """Import a late name."""
    module = _LATE.get(name)
    if module is None:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"repo_mcp.languages.facts.{module}"), name)
