"""Protocols of the types of Swift's library, as far as extensions of them add members."""

from __future__ import annotations

from typing import Final

_SEQUENCE: Final = ("Collection", "Sequence")
_TEXT: Final = (
    "StringProtocol", "BidirectionalCollection", *_SEQUENCE, "RangeReplaceableCollection",
    "LosslessStringConvertible", "CustomStringConvertible", "Comparable", "Hashable", "Equatable",
)  # fmt: skip
_VALUE: Final = ("Comparable", "Hashable", "Equatable", "CustomStringConvertible")
_NUMBER: Final = ("Numeric", "AdditiveArithmetic", "LosslessStringConvertible", *_VALUE)
_WHOLE: Final = ("FixedWidthInteger", "BinaryInteger", "Strideable", *_NUMBER)
_LIST: Final = (
    "RangeReplaceableCollection", "MutableCollection", "RandomAccessCollection",
    "BidirectionalCollection", *_SEQUENCE,
)  # fmt: skip
_RANGE: Final = ("RangeExpression", "RandomAccessCollection", "BidirectionalCollection", *_SEQUENCE)
_WHOLES: Final = "Int Int8 Int16 Int32 Int64 UInt UInt8 UInt16 UInt32 UInt64".split()  # noqa: SIM905
_PROTOCOLS: Final = {
    "String": _TEXT,
    "Substring": _TEXT,
    "Array": _LIST,
    "ArraySlice": _LIST,
    "ContiguousArray": _LIST,
    "Data": (*_LIST, "Hashable", "Equatable"),
    "Set": ("SetAlgebra", *_SEQUENCE, "Hashable", "Equatable"),
    "Dictionary": _SEQUENCE,
    "Range": _RANGE,
    "ClosedRange": _RANGE,
    "Character": _VALUE,
    "Bool": ("Hashable", "Equatable", "CustomStringConvertible"),
    "URL": ("Hashable", "Equatable"),
    **dict.fromkeys(_WHOLES, _WHOLE),
    **dict.fromkeys(
        ("Double", "Float", "CGFloat"), ("BinaryFloatingPoint", "FloatingPoint", *_NUMBER)
    ),
    "StringProtocol": _TEXT[1:],
    "RandomAccessCollection": ("BidirectionalCollection", *_SEQUENCE),
    "RangeReplaceableCollection": _SEQUENCE,
    "MutableCollection": _SEQUENCE,
    "BidirectionalCollection": _SEQUENCE,
    "Collection": ("Sequence",),
    "BinaryInteger": ("Numeric", "AdditiveArithmetic", *_VALUE),
    "FixedWidthInteger": _WHOLE[1:],
}


def protocols_of(name: str) -> tuple[str, ...]:
    """The protocols of a type of the library, the nearest ones first."""
    return _PROTOCOLS.get(name, ())
