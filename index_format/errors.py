"""The library's errors, by whose fault it is.

`CorruptIndexError` and `UnsupportedVersionError` blame the bytes, `StoreError` blames the place
they live in, `InvalidInputError` blames the caller.
"""

from __future__ import annotations


class IndexFormatError(Exception):
    """Base of every error this library raises on purpose."""


class CorruptIndexError(IndexFormatError):
    """Stored bytes differ from those written: names file, section and offset, got and expected."""

    def __init__(self, file: str, section: str, offset: int, got: object, expected: object) -> None:
        """Keep the evidence as attributes; the message is built from it."""
        super().__init__(f"{file}: {section} at {offset}: got {got}, expected {expected}")
        self.file = file
        self.section = section
        self.offset = offset
        self.got = got
        self.expected = expected


class ForeignIndexError(CorruptIndexError):
    """The bytes are not those that were published in this store: they were brought there."""


class SegmentLostError(CorruptIndexError):
    """A generation lists a segment that is neither in the store nor where the store shares it."""


class UnsupportedVersionError(IndexFormatError):
    """The bytes are sound but of a format version this library does not read."""

    def __init__(self, file: str, got: int, oldest: int, newest: int) -> None:
        """Name the version found and the range that is read here."""
        advice = "upgrade this program" if got > newest else "rebuild the index"
        super().__init__(f"{file}: format version {got}; {oldest} to {newest} are read: {advice}")
        self.file = file
        self.got = got
        self.oldest = oldest
        self.newest = newest


class InvalidInputError(IndexFormatError):
    """The caller passed something that can't be indexed or queried."""


class StoreError(IndexFormatError):
    """The store of the index failed."""


class IndexMissingError(StoreError):
    """There is no index in this store."""


class FileMissingError(StoreError):
    """The file `name` is not in the store."""

    def __init__(self, name: str) -> None:
        """Keep the file's name."""
        super().__init__(f"{name}: no such file in the store")
        self.name = name


class IndexBusyError(StoreError):
    """Another process holds the writer lock."""


class ReadOnlyStoreError(StoreError):
    """The store can be read but not written."""


class StoreWriteError(StoreError):
    """A write failed (full disk, I/O error); the generation published before is kept."""

    def __init__(self, operation: str, name: str, reason: str) -> None:
        """Name the operation and file that failed and the system's reason."""
        super().__init__(f"{operation} {name}: {reason}")
        self.operation = operation
        self.name = name
        self.reason = reason
