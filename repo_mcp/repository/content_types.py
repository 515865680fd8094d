"""The media type of a file, by what its bytes say, else by its name.

The tables are the server's own: those of the system differ between machines.
"""

from __future__ import annotations

from typing import Final, NamedTuple

_UNKNOWN: Final = "application/octet-stream"


class _Sign(NamedTuple):
    """Bytes that such a file has at these places."""

    type: str
    first: bytes
    at: int = 0
    second: bytes = b""


_SIGNS: Final = (
    _Sign("image/png", b"\x89PNG\r\n\x1a\n"),
    _Sign("image/jpeg", b"\xff\xd8\xff"),
    _Sign("image/gif", b"GIF87a"),
    _Sign("image/gif", b"GIF89a"),
    _Sign("image/webp", b"RIFF", 8, b"WEBP"),
    _Sign("image/avif", b"\x00\x00\x00", 4, b"ftypavif"),
    _Sign("image/heic", b"\x00\x00\x00", 4, b"ftypheic"),
    _Sign("image/tiff", b"II*\x00"),
    _Sign("image/tiff", b"MM\x00*"),
    _Sign("image/vnd.microsoft.icon", b"\x00\x00\x01\x00"),
    _Sign("image/vnd.adobe.photoshop", b"8BPS"),
    _Sign("audio/wav", b"RIFF", 8, b"WAVE"),
    _Sign("video/x-msvideo", b"RIFF", 8, b"AVI "),
    _Sign("audio/ogg", b"OggS\x00"),
    _Sign("audio/flac", b"fLaC"),
    _Sign("audio/midi", b"MThd"),
    _Sign("audio/mpeg", b"ID3"),
    _Sign("audio/mp4", b"\x00\x00\x00", 4, b"ftypM4A "),
    _Sign("video/quicktime", b"\x00\x00\x00", 4, b"ftypqt  "),
    _Sign("video/mp4", b"\x00\x00\x00", 4, b"ftyp"),
    _Sign("video/webm", b"\x1aE\xdf\xa3"),
    _Sign("font/woff", b"wOFF"),
    _Sign("font/woff2", b"wOF2"),
    _Sign("font/otf", b"OTTO\x00"),
    _Sign("font/ttf", b"\x00\x01\x00\x00\x00"),
    _Sign("application/pdf", b"%PDF-"),
    _Sign("application/gzip", b"\x1f\x8b"),
    _Sign("application/x-bzip2", b"BZh", 4, b"1AY&SY"),
    _Sign("application/x-xz", b"\xfd7zXZ\x00"),
    _Sign("application/zstd", b"\x28\xb5\x2f\xfd"),
    _Sign("application/x-7z-compressed", b"7z\xbc\xaf\x27\x1c"),
    _Sign("application/vnd.rar", b"Rar!\x1a\x07"),
    _Sign("application/x-tar", b"", 257, b"ustar"),
    _Sign("application/x-archive", b"!<arch>\n"),
    _Sign("application/vnd.sqlite3", b"SQLite format 3\x00"),
    _Sign("application/wasm", b"\x00asm"),
    _Sign("application/x-elf", b"\x7fELF"),
    _Sign("application/x-mach-binary", b"\xcf\xfa\xed\xfe"),
    _Sign("application/x-mach-binary", b"\xce\xfa\xed\xfe"),
    _Sign("application/java-vm", b"\xca\xfe\xba\xbe\x00"),
    _Sign("application/vnd.microsoft.portable-executable", b"MZ"),
    _Sign("image/bmp", b"BM"),
)
_ZIP: Final = b"PK\x03\x04"
_OFFICE: Final = "application/vnd.openxmlformats-officedocument"
# what is a zip archive by its bytes, and more than that by its name
_ZIPPED: Final = {
    "apk": "application/vnd.android.package-archive",
    "docx": f"{_OFFICE}.wordprocessingml.document",
    "epub": "application/epub+zip",
    "jar": "application/java-archive",
    "odt": "application/vnd.oasis.opendocument.text",
    "pptx": f"{_OFFICE}.presentationml.presentation",
    "xlsx": f"{_OFFICE}.spreadsheetml.sheet",
}
# where the bytes say nothing
_NAMED: Final = {
    "bmp": "image/bmp",
    "class": "application/java-vm",
    "doc": "application/msword",
    "ico": "image/vnd.microsoft.icon",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "mpeg": "video/mpeg",
    "mpg": "video/mpeg",
    "png": "image/png",
    "ppt": "application/vnd.ms-powerpoint",
    "pyc": "application/x-python-code",
    "tar": "application/x-tar",
    "ttf": "font/ttf",
    "xls": "application/vnd.ms-excel",
    "zip": "application/zip",
}


# what a model can be shown
_SHOWN: Final = frozenset(
    {
        *("image/png", "image/jpeg", "image/gif", "image/webp"),
        *("audio/wav", "audio/ogg", "audio/flac", "audio/mpeg", "audio/mp4"),
    }
)
# a sound without a head says nothing else: two bytes are enough only with the name beside them
_MP3: Final = "audio/mpeg"
_MP3_FRAMES: Final = (b"\xff\xfb", b"\xff\xf3", b"\xff\xf2")
_TEXT_TYPES: Final = {
    "c": "text/x-c",
    "css": "text/css",
    "csv": "text/csv",
    "h": "text/x-c",
    "htm": "text/html",
    "html": "text/html",
    "java": "text/x-java",
    "js": "text/javascript",
    "json": "application/json",
    "md": "text/markdown",
    "py": "text/x-python",
    "rs": "text/x-rust",
    "rst": "text/x-rst",
    "svg": "image/svg+xml",
    "toml": "application/toml",
    "ts": "text/x-typescript",
    "xml": "application/xml",
    "yaml": "application/yaml",
    "yml": "application/yaml",
}
# binary files whose type is told without reading them
_LISTED: Final = {
    "bmp": "image/bmp",
    "flac": "audio/flac",
    "gif": "image/gif",
    "gz": "application/gzip",
    "ico": "image/vnd.microsoft.icon",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "ogg": "audio/ogg",
    "pdf": "application/pdf",
    "png": "image/png",
    "wav": "audio/wav",
    "webp": "image/webp",
    "zip": "application/zip",
}


class Media(NamedTuple):
    """An image or audio file that a model can be shown."""

    kind: str
    mime_type: str


def binary_type(path: str, data: bytes) -> str:
    """The media type of a file that is no text."""
    ending = _ending(path)
    if data.startswith(_ZIP):
        return _ZIPPED.get(ending, "application/zip")
    return _type_of_bytes(data) or _NAMED.get(ending, _UNKNOWN)


def media_of(path: str, data: bytes) -> Media | None:
    """What a binary file is; None for what no model is shown."""
    found = _type_of_bytes(data)
    if not found and _ending(path) == "mp3" and data.startswith(_MP3_FRAMES):
        found = _MP3
    return Media(found.partition("/")[0], found) if found in _SHOWN else None


def text_type(path: str) -> str:
    """The media type of a text file."""
    return _TEXT_TYPES.get(_ending(path), "text/plain")


def name_type(path: str) -> str:
    """The media type that a name tells; empty where the content has to."""
    ending = _ending(path)
    return _TEXT_TYPES.get(ending) or _LISTED.get(ending, "")


def _type_of_bytes(data: bytes) -> str:
    for sign in _SIGNS:
        end = sign.at + len(sign.second)
        if data.startswith(sign.first) and data[sign.at : end] == sign.second:
            return sign.type
    return ""


def _ending(path: str) -> str:
    _, dot, ending = path.rpartition("/")[2].rpartition(".")
    return ending.lower() if dot else ""
