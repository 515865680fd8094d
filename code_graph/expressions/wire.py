"""Encodes the symbolic code of a file to bytes and back: equal code gives equal bytes.

    version u8, how many declarations and imports the file's facts have (u32 each,
    little-endian), the code as a sealed record (`languages/parts.py`)

A file without code, since it can't be parsed, has the version alone. Code refers to declarations
and imports by their numbers in the facts of the same text; decoding refuses others.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Final

from code_graph.expressions import VERSION
from code_graph.expressions.model import NONE, BindingKind, FileCode
from code_graph.expressions.records import pack_code, unpack_code
from code_graph.parts import DAMAGE, pack_part, unpack_part

_HEAD: Final = struct.Struct("<BII")
_WITHOUT: Final = bytes([VERSION])


class DamagedCodeError(ValueError):
    """The bytes are not code of this version."""


def encode_code(file: FileCode | None) -> bytes:
    """Encode a file's code; None is that of a file that can't be parsed."""
    if file is None:
        return _WITHOUT
    head = _HEAD.pack(VERSION, file.declarations, file.imports)
    return head + pack_part(pack_code(file.code))


def decode_code(data: bytes) -> FileCode | None:
    """Decode a file's code; raises `DamagedCodeError`."""
    if data == _WITHOUT:
        return None
    try:
        version, declarations, imports = _HEAD.unpack_from(data)
        if version != VERSION:
            raise ValueError(f"version {version}, expected {VERSION}")
        code = unpack_code(unpack_part(data[_HEAD.size :]))
    except DAMAGE as error:
        raise DamagedCodeError(f"stored code is damaged: {error}") from error
    found = FileCode(code, declarations, imports)
    if not is_consistent(found):
        raise DamagedCodeError("stored code is damaged: a number of no declaration or import")
    return found


def is_consistent(file: FileCode) -> bool:
    """True if all declarations and imports that code refers to are among the counted ones."""
    code = file.code
    imports = (item.value for item in code.bindings if item.kind == BindingKind.IMPORTED)
    return _below(imports, file.imports) and all(
        _below((item.declaration for item in rows), file.declarations)
        for rows in (code.scopes, code.bindings, code.stores, code.clauses, code.contracts)
    )


def _below(numbers: Iterable[int], limit: int) -> bool:
    known = [*numbers]
    return min(known, default=NONE) >= NONE and max(known, default=NONE) < limit
