"""Windows' records are parsed as its headers define them, which ctypes repeats here."""

from __future__ import annotations

import ctypes

import pytest
from hypothesis import given, strategies as st

from repo_mcp.safety.sandbox import windows_records
from repo_mcp.safety.sandbox.windows_answers import Information

U32, I64, U16 = ctypes.c_uint32, ctypes.c_int64, ctypes.c_uint16


class IdBothDirInfo(ctypes.Structure):
    """FILE_ID_BOTH_DIR_INFO, up to the name."""

    _fields_ = (
        ("NextEntryOffset", U32),
        ("FileIndex", U32),
        ("CreationTime", I64),
        ("LastAccessTime", I64),
        ("LastWriteTime", I64),
        ("ChangeTime", I64),
        ("EndOfFile", I64),
        ("AllocationSize", I64),
        ("FileAttributes", U32),
        ("FileNameLength", U32),
        ("EaSize", U32),
        ("ShortNameLength", ctypes.c_byte),
        ("ShortName", U16 * 12),
        ("FileId", I64),
        ("FileName", U16 * 1),
    )


class ByHandle(ctypes.Structure):
    """BY_HANDLE_FILE_INFORMATION."""

    _fields_ = (
        ("dwFileAttributes", U32),
        ("times", U32 * 6),
        ("dwVolumeSerialNumber", U32),
        ("nFileSizeHigh", U32),
        ("nFileSizeLow", U32),
        ("nNumberOfLinks", U32),
        ("nFileIndexHigh", U32),
        ("nFileIndexLow", U32),
    )


class Basic(ctypes.Structure):
    """FILE_BASIC_INFO."""

    _fields_ = (
        ("CreationTime", I64),
        ("LastAccessTime", I64),
        ("LastWriteTime", I64),
        ("ChangeTime", I64),
        ("FileAttributes", U32),
    )


class SymbolicLink(ctypes.Structure):
    """REPARSE_DATA_BUFFER of a symbolic link, up to the text."""

    _fields_ = (
        ("ReparseTag", U32),
        ("ReparseDataLength", U16),
        ("Reserved", U16),
        ("SubstituteNameOffset", U16),
        ("SubstituteNameLength", U16),
        ("PrintNameOffset", U16),
        ("PrintNameLength", U16),
        ("Flags", U32),
    )


NAMES = st.text(
    st.characters(exclude_characters="/\\\x00", exclude_categories=[]), min_size=1, max_size=20
).filter(lambda name: name not in {".", ".."})
NUMBERS = st.integers(0, 2**32 - 1)
LONG = st.integers(0, 2**63 - 1)
INFORMATION = st.builds(
    Information, NUMBERS, NUMBERS, LONG, LONG, LONG, LONG, st.just(1), st.just(0)
)


def listing(entries: list[tuple[str, Information]]) -> bytes:
    """A buffer as Windows fills it: entries at multiples of eight, the last without a successor."""
    pieces: list[bytes] = []
    for number, (name, what) in enumerate(entries, 1):
        text = name.encode("utf-16-le", "surrogatepass")
        head = IdBothDirInfo(
            LastWriteTime=what.written,
            ChangeTime=what.changed,
            EndOfFile=what.size,
            FileAttributes=what.attributes,
            FileNameLength=len(text),
            EaSize=what.tag,
            FileId=what.inode,
        )
        body = bytes(head)[: IdBothDirInfo.FileName.offset] + text
        body += bytes(-len(body) % 8)
        step = len(body) if number < len(entries) else 0
        pieces.append(step.to_bytes(4, "little") + body[4:])
    return b"".join(pieces)


@given(st.lists(st.tuples(NAMES, INFORMATION), min_size=1, max_size=8))
def test_a_listing_is_read_as_it_was_laid_out(entries: list[tuple[str, Information]]) -> None:
    dots = [(".", entries[0][1]), ("..", entries[0][1])]
    buffer = listing([*dots, *entries]) + bytes(40)
    assert windows_records.entries(buffer) == [
        (name.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass"), what)
        for name, what in entries
    ]


@given(NUMBERS, LONG, LONG, LONG, LONG, NUMBERS, NUMBERS)
def test_properties_are_read_as_they_were_laid_out(
    attributes: int, size: int, written: int, changed: int, inode: int, links: int, volume: int
) -> None:
    by_handle = ByHandle(
        dwFileAttributes=attributes,
        dwVolumeSerialNumber=volume,
        nFileSizeHigh=size >> 32,
        nFileSizeLow=size & 0xFFFFFFFF,
        nNumberOfLinks=links,
        nFileIndexHigh=inode >> 32,
        nFileIndexLow=inode & 0xFFFFFFFF,
    )
    basic = Basic(LastWriteTime=written, ChangeTime=changed, FileAttributes=attributes)
    assert len(bytes(by_handle)) == windows_records.HANDLE_BYTES
    assert len(bytes(basic)) == windows_records.BASIC_BYTES
    found = windows_records.information(bytes(by_handle), bytes(basic), 3)
    assert found == Information(attributes, 3, size, written, changed, inode, links, volume)


@pytest.mark.parametrize("target", ["..\\a.py", "\\??\\C:\\outside", "ä\udc80"])
def test_a_link_target_is_read_back(target: str) -> None:
    text = target.encode("utf-16-le", "surrogatepass")
    shown = "shown".encode("utf-16-le")
    head = SymbolicLink(
        ReparseTag=0xA000000C, SubstituteNameOffset=len(shown), SubstituteNameLength=len(text)
    )
    assert windows_records.link_target(bytes(head) + shown + text) == target
