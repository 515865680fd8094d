"""The terms of symbols and edges in the graph's index.

id        the symbol's id, 8 bytes, most significant first
exact     the qualified name, or a hash behind a NUL if it is long
facet     one letter (k: type, l: language, p: project), then the value; i: a file of which not all
          edges are known
target    type and confidence of an edge in one byte, then the id of its target
unlinked  "u" for an unresolved name or "x" for an external one, type of the edge in one byte,
          then the last part of the name
lookup    the key, 8 bytes
"""

from __future__ import annotations

from typing import Final

import xxhash

from code_graph.facts import last_part
from code_graph.model import CONFIDENCE_OF

ID_BYTES: Final = 8
_MAX_TEXT: Final = 240
_CONFIDENCE_BITS: Final = 3
_PREFIXES: Final = [bytes([number]) for number in range(256)]
# the facet of files of which not all places were evaluated
INCOMPLETE: Final = b"i"
# of each strategy, how sure its edges are
CONFIDENCES: Final = tuple(int(CONFIDENCE_OF[strategy]) for strategy in sorted(CONFIDENCE_OF))


def id_term(number: int) -> bytes:
    """The term of a symbol's id, and of a key that was looked up."""
    return number.to_bytes(ID_BYTES, "big")


def exact_term(qualified_name: str) -> bytes:
    """The term of a qualified name, which another name may share by chance."""
    return xxhash.xxh3_64_digest(_encode(qualified_name))


def kind_term(node_type: str) -> bytes:
    """The facet of a type of symbol."""
    return _text(node_type, b"k")


def language_term(language: str) -> bytes:
    """The facet of a language."""
    return _text(language, b"l")


def project_term(project: str) -> bytes:
    """The facet of a project."""
    return _text(project, b"p")


def target_prefix(edge_type: int, confidence: int) -> bytes:
    """The common prefix of the terms of all edges of a type and confidence."""
    return _PREFIXES[edge_type << _CONFIDENCE_BITS | confidence]


def target_term(edge_type: int, confidence: int, target: int) -> bytes:
    """The term of all edges of a type and confidence to a symbol."""
    return target_prefix(edge_type, confidence) + id_term(target)


def unresolved_term(edge_type: int, name: str) -> bytes:
    """The term of unresolved uses of a name."""
    return _text(last_name(name), b"u" + bytes([edge_type]))


def external_term(edge_type: int, name: str) -> bytes:
    """The term of uses of an external name."""
    return _text(last_name(name), b"x" + bytes([edge_type]))


def last_name(name: str) -> str:
    """The last part of a dotted name, or the name itself if it has no word."""
    return last_part(name) or name


def _text(text: str, before: bytes = b"") -> bytes:
    data = _encode(text)
    if len(data) > _MAX_TEXT:
        data = b"\0" + xxhash.xxh3_128_digest(data)
    return before + data


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
