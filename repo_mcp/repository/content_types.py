"""The media type of a file, by its magic bytes, else by its name.

Uses tables of its own, because the system's differ between machines.
"""

from __future__ import annotations

from typing import Final

from index_format.tuples import NamedTuple

_UNKNOWN: Final = "application/octet-stream"


class _Magic(NamedTuple):
    """Magic bytes of a media type: `first` at offset 0 and `second` at `at`."""

    type: str
    first: bytes
    at: int = 0
    second: bytes = b""


_MAGIC: Final = (
    _Magic("image/png", b"\x89PNG\r\n\x1a\n"),
    _Magic("image/jpeg", b"\xff\xd8\xff"),
    _Magic("image/gif", b"GIF87a"),
    _Magic("image/gif", b"GIF89a"),
    _Magic("image/webp", b"RIFF", 8, b"WEBP"),
    _Magic("image/avif", b"\x00\x00\x00", 4, b"ftypavif"),
    _Magic("image/heic", b"\x00\x00\x00", 4, b"ftypheic"),
    _Magic("image/tiff", b"II*\x00"),
    _Magic("image/tiff", b"MM\x00*"),
    _Magic("image/vnd.microsoft.icon", b"\x00\x00\x01\x00"),
    _Magic("image/vnd.adobe.photoshop", b"8BPS"),
    _Magic("audio/wav", b"RIFF", 8, b"WAVE"),
    _Magic("video/x-msvideo", b"RIFF", 8, b"AVI "),
    _Magic("audio/ogg", b"OggS\x00"),
    _Magic("audio/flac", b"fLaC"),
    _Magic("audio/midi", b"MThd"),
    _Magic("audio/mpeg", b"ID3"),
    _Magic("audio/mp4", b"\x00\x00\x00", 4, b"ftypM4A "),
    _Magic("video/quicktime", b"\x00\x00\x00", 4, b"ftypqt  "),
    _Magic("video/mp4", b"\x00\x00\x00", 4, b"ftyp"),
    _Magic("video/webm", b"\x1aE\xdf\xa3"),
    _Magic("font/woff", b"wOFF"),
    _Magic("font/woff2", b"wOF2"),
    _Magic("font/otf", b"OTTO\x00"),
    _Magic("font/ttf", b"\x00\x01\x00\x00\x00"),
    _Magic("application/pdf", b"%PDF-"),
    _Magic("application/gzip", b"\x1f\x8b"),
    _Magic("application/x-bzip2", b"BZh", 4, b"1AY&SY"),
    _Magic("application/x-xz", b"\xfd7zXZ\x00"),
    _Magic("application/zstd", b"\x28\xb5\x2f\xfd"),
    _Magic("application/x-7z-compressed", b"7z\xbc\xaf\x27\x1c"),
    _Magic("application/vnd.rar", b"Rar!\x1a\x07"),
    _Magic("application/x-tar", b"", 257, b"ustar"),
    _Magic("application/x-archive", b"!<arch>\n"),
    _Magic("application/vnd.sqlite3", b"SQLite format 3\x00"),
    _Magic("application/wasm", b"\x00asm"),
    _Magic("application/x-elf", b"\x7fELF"),
    _Magic("application/x-mach-binary", b"\xcf\xfa\xed\xfe"),
    _Magic("application/x-mach-binary", b"\xce\xfa\xed\xfe"),
    _Magic("application/java-vm", b"\xca\xfe\xba\xbe\x00"),
    _Magic("application/vnd.microsoft.portable-executable", b"MZ"),
    _Magic("image/bmp", b"BM"),
)
_ZIP: Final = b"PK\x03\x04"
_OFFICE: Final = "application/vnd.openxmlformats-officedocument"
# zip archives whose name gives a more specific type
_ZIP_BY_NAME: Final = {
    "apk": "application/vnd.android.package-archive",
    "docx": f"{_OFFICE}.wordprocessingml.document",
    "epub": "application/epub+zip",
    "jar": "application/java-archive",
    "odt": "application/vnd.oasis.opendocument.text",
    "pptx": f"{_OFFICE}.presentationml.presentation",
    "xlsx": f"{_OFFICE}.spreadsheetml.sheet",
}
# for files without known magic bytes
_BY_NAME: Final = {
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


# types that can be shown to a model
_DISPLAYABLE: Final = frozenset(
    {
        *("image/png", "image/jpeg", "image/gif", "image/webp"),
        *("audio/wav", "audio/ogg", "audio/flac", "audio/mpeg", "audio/mp4"),
    }
)
# MP3 frames without an ID3 header: two bytes that count only together with the name
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
# types of binary files that are known without reading them
_BINARY_BY_NAME: Final = {
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
    """The type of an image or audio file that can be shown to a model."""

    kind: str
    mime_type: str


def binary_type(path: str, data: bytes) -> str:
    """The media type of a binary file."""
    ending = _ending(path)
    if data.startswith(_ZIP):
        return _ZIP_BY_NAME.get(ending, "application/zip")
    return _type_of_bytes(data) or _BY_NAME.get(ending, _UNKNOWN)


def media_of(path: str, data: bytes) -> Media | None:
    """The type of a binary file, or None if it can't be shown to a model."""
    found = _type_of_bytes(data)
    if not found and _ending(path) == "mp3" and data.startswith(_MP3_FRAMES):
        found = _MP3
    return Media(found.partition("/")[0], found) if found in _DISPLAYABLE else None


def text_type(path: str) -> str:
    """The media type of a text file."""
    return _TEXT_TYPES.get(_ending(path), "text/plain")


def name_type(path: str) -> str:
    """The media type by name alone; empty if the content is needed."""
    ending = _ending(path)
    return _TEXT_TYPES.get(ending) or _BINARY_BY_NAME.get(ending, "")


def _type_of_bytes(data: bytes) -> str:
    for sign in _MAGIC:
        end = sign.at + len(sign.second)
        if data.startswith(sign.first) and data[sign.at : end] == sign.second:
            return sign.type
    return ""


def _ending(path: str) -> str:
    _, dot, ending = path.rpartition("/")[2].rpartition(".")
    return ending.lower() if dot else ""
