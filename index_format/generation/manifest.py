r"""The manifest (segments, schema and settings of one generation), and the pointer `CURRENT`.

A manifest is one line of ASCII:

    {"checksum":"<xxh3_128 of the inner object>","manifest":{...}}\n

| key in the inner object | value |
|---|---|
| `feature`, `format` | version numbers, see `layout` |
| `fields` | the schema: `[name, positions]` each, in stored order |
| `generation` | 1, 2, 3, ...; the same as in the file's name |
| `segments` | one object per segment with the attributes of `SegmentEntry` |
| `settings` | a text of the caller's, kept with the generation |

The pointer file `CURRENT` is `<manifest name> <xxh3_128 of the manifest's bytes>\n`.

There is exactly one spelling of every manifest (keys sorted, no spaces, no escapes but the needed
ones), and no other is read: equal generations have equal bytes, and a changed byte never hides in
a spelling that means the same. The outer object stays as it is in all versions, so that an old
reader can tell a newer manifest from a damaged one. The checksums find accidents, not attackers:
everything read is checked as if it came from one, and `origin` says what was published here.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final, NoReturn

import xxhash

from index_format import layout
from index_format.errors import CorruptIndexError, InvalidInputError, UnsupportedVersionError
from index_format.model import Field, Schema
from index_format.records import Record
from index_format.segment.entry import SegmentEntry
from index_format.store import names

MAX_GENERATION: Final = 10**12 - 1
_HEX_DIGITS: Final = 32
_OPENING: Final = b'{"checksum":"'
_MIDDLE: Final = b'","manifest":'
_CLOSING: Final = b"}\n"
_INNER_OFFSET: Final = len(_OPENING) + _HEX_DIGITS + len(_MIDDLE)
_POINTER: Final = re.compile(rb"(manifest-[0-9]{12}\.json) ([0-9a-f]{32})\n")
# a segment has 3 brackets and 9 colons in more than 250 bytes: no other document is parsed, since
# one of empty arrays takes twenty times its size
_MARKS: Final = (b"[", b"{", b":")
_FEW_MARKS: Final = 1000
_BYTES_PER_MARK: Final = 16
_KEYS: Final = frozenset({"feature", "fields", "format", "generation", "segments", "settings"})


class Manifest(Record):
    """One generation of an index: its segments and how they are to be read."""

    generation: int
    schema: Schema
    settings: str
    segments: tuple[SegmentEntry, ...]
    format_version: int = layout.FORMAT_VERSION
    feature_version: int = layout.FEATURE_VERSION

    __slots__ = ("_pointer",)

    def __post_init__(self) -> None:
        """Refuse a manifest that contradicts itself."""
        count = len(self.schema.fields)
        if not 1 <= self.generation <= MAX_GENERATION:
            message = f"generation is {self.generation}"
            raise InvalidInputError(message)
        if len({entry.name for entry in self.segments}) != len(self.segments):
            message = "a segment is listed twice"
            raise InvalidInputError(message)
        for entry in self.segments:
            if len(entry.live_totals) != count:
                message = f"{entry.name}: {count} live_totals expected"
                raise InvalidInputError(message)

    @property
    def pointer(self) -> bytes:
        """The content of `CURRENT` while this is the current one.

        Empty for one that was never read or published. A changed copy has none.
        """
        return getattr(self, "_pointer", b"")


_ENTRY_KEYS: Final = frozenset(SegmentEntry.__match_args__)


def encode(manifest: Manifest) -> bytes:
    """The one spelling of this manifest."""
    entry_keys = sorted(_ENTRY_KEYS)
    document = {
        "feature": manifest.feature_version,
        "fields": [[item.name, item.positions] for item in manifest.schema.fields],
        "format": manifest.format_version,
        "generation": manifest.generation,
        "segments": [
            {key: getattr(entry, key) for key in entry_keys} for entry in manifest.segments
        ],
        "settings": manifest.settings,
    }
    inner = json.dumps(document, separators=(",", ":"), sort_keys=True, allow_nan=False).encode()
    data = _OPENING + checksum(inner).encode() + _MIDDLE + inner + _CLOSING
    if len(data) > layout.MAX_MANIFEST_BYTES:
        message = f"a manifest of {len(data)} bytes is too large"
        raise InvalidInputError(message)
    return data


def decode(data: bytes, name: str) -> Manifest:
    """The manifest in these bytes; `name` is the file they came from, which must agree."""
    inner = _open_envelope(data, name)
    document = _object(_parse(inner, name), None, name, "manifest")
    _check_version(document, name)
    manifest = _build(_object(document, _KEYS, name, "manifest"), name)
    if names.generation(name) != manifest.generation:
        _refuse(name, "generation", manifest.generation, "the generation in the file's name")
    if encode(manifest) != data:
        _refuse(name, "spelling", "another spelling", "the canonical one")
    set_pointer(manifest, encode_pointer(name, data))
    return manifest


def set_pointer(manifest: Manifest, pointer: bytes) -> None:
    """Remember the pointer of a manifest that was read or published."""
    object.__setattr__(manifest, "_pointer", pointer)


def encode_pointer(manifest_name: str, manifest_bytes: bytes) -> bytes:
    """The content of `CURRENT` for this manifest."""
    data = f"{manifest_name} {checksum(manifest_bytes)}\n".encode()
    if not _POINTER.fullmatch(data):
        message = f"{manifest_name!r} is not the name of a manifest"
        raise InvalidInputError(message)
    return data


def decode_pointer(data: bytes) -> tuple[str, str]:
    """Name and checksum of the current manifest."""
    match = _POINTER.fullmatch(data)
    if match is None:
        _refuse(layout.CURRENT_NAME, "pointer", data[:64], "a manifest's name and checksum")
    return match[1].decode(), match[2].decode()


def checksum(data: bytes) -> str:
    """The checksum of a manifest's bytes."""
    return xxhash.xxh3_128_hexdigest(data)


def _refuse(name: str, section: str, got: object, expected: object, at: int = 0) -> NoReturn:
    raise CorruptIndexError(name, section, at, got, expected)


def _open_envelope(data: bytes, name: str) -> bytes:
    stated = data[len(_OPENING) : len(_OPENING) + _HEX_DIGITS]
    inner = data[_INNER_OFFSET : -len(_CLOSING)]
    if data != _OPENING + stated + _MIDDLE + inner + _CLOSING:
        _refuse(name, "envelope", data[:_INNER_OFFSET], "a checksum and a manifest")
    actual = checksum(inner).encode()
    if stated != actual:
        _refuse(name, "checksum", actual, stated, len(_OPENING))
    return inner


def _parse(inner: bytes, name: str) -> object:
    if sum(map(inner.count, _MARKS)) > _FEW_MARKS + len(inner) // _BYTES_PER_MARK:
        _refuse(name, "json", "values within values", "a manifest", _INNER_OFFSET)
    try:
        # ASCII only: json would guess at UTF-16 and UTF-32 if it were given the bytes
        return json.loads(inner.decode("ascii"))
    except (ValueError, RecursionError, MemoryError) as error:
        _refuse(name, "json", type(error).__name__, "a JSON document", _INNER_OFFSET)


def _check_version(document: dict[str, Any], name: str) -> None:
    version = _integer(document.get("format"), name, "format")
    if not layout.MIN_READABLE_VERSION <= version <= layout.FORMAT_VERSION:
        oldest, newest = layout.MIN_READABLE_VERSION, layout.FORMAT_VERSION
        raise UnsupportedVersionError(name, version, oldest, newest)


def _build(document: dict[str, Any], name: str) -> Manifest:
    try:
        return Manifest(
            generation=_integer(document["generation"], name, "generation"),
            schema=Schema(tuple(_field(item, name) for item in _list(document, "fields", name))),
            settings=_text(document["settings"], name, "settings"),
            segments=tuple(_entry(item, name) for item in _list(document, "segments", name)),
            format_version=_integer(document["format"], name, "format"),
            feature_version=_integer(document["feature"], name, "feature"),
        )
    except InvalidInputError as error:
        raise CorruptIndexError(name, "manifest", 0, error, "a consistent manifest") from error


def _field(item: object, name: str) -> Field:
    match item:
        case [str(field_name), bool(positions)]:
            return Field(field_name, positions)
        case _:
            _refuse(name, "fields", type(item).__name__, "[name, positions]")


def _entry(item: object, name: str) -> SegmentEntry:
    document = _object(item, _ENTRY_KEYS, name, "segments")
    return SegmentEntry(
        name=_text(document["name"], name, "name"),
        length=_integer(document["length"], name, "length"),
        seal=_text(document["seal"], name, "seal"),
        files=_integer(document["files"], name, "files"),
        chunks=_integer(document["chunks"], name, "chunks"),
        dead_files=_integers(document, "dead_files", name),
        live_chunks=_integer(document["live_chunks"], name, "live_chunks"),
        live_totals=_integers(document, "live_totals", name),
        canonical=_truth(document["canonical"], name, "canonical"),
    )


def _object(value: object, keys: frozenset[str] | None, name: str, section: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        _refuse(name, section, type(value).__name__, "an object")
    if keys is not None and value.keys() != keys:
        _refuse(name, section, sorted(value)[:32], sorted(keys))
    return value


def _list(document: dict[str, Any], key: str, name: str) -> list[Any]:
    value = document[key]
    if not isinstance(value, list):
        _refuse(name, key, type(value).__name__, "an array")
    return value


def _integers(document: dict[str, Any], key: str, name: str) -> tuple[int, ...]:
    value = _list(document, key, name)
    if not set(map(type, value)) <= {int}:  # there may be a great many dead files
        _refuse(name, key, "an array with other values", "an array of integers")
    return tuple(value)


def _integer(value: object, name: str, section: str) -> int:
    if type(value) is not int:  # a bool is an int to isinstance
        _refuse(name, section, type(value).__name__, "an integer")
    return value


def _truth(value: object, name: str, section: str) -> bool:
    if not isinstance(value, bool):
        _refuse(name, section, type(value).__name__, "true or false")
    return value


def _text(value: object, name: str, section: str) -> str:
    if not isinstance(value, str):
        _refuse(name, section, type(value).__name__, "a text")
    return value
