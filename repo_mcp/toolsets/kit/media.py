"""Which files are pictures or sounds that a model can be shown, by what their bytes say."""

from __future__ import annotations

from typing import Final, NamedTuple


class Media(NamedTuple):
    """Image or audio, and its type."""

    kind: str
    mime_type: str


class _Sign(NamedTuple):
    """Bytes that such a file has at these places."""

    media: Media
    first: bytes
    at: int = 0
    second: bytes = b""


_WAV: Final = Media("audio", "audio/wav")
_MP3: Final = Media("audio", "audio/mpeg")
_MP4: Final = Media("audio", "audio/mp4")
_SIGNS: Final = (
    _Sign(Media("image", "image/png"), b"\x89PNG\r\n\x1a\n"),
    _Sign(Media("image", "image/jpeg"), b"\xff\xd8\xff"),
    _Sign(Media("image", "image/gif"), b"GIF87a"),
    _Sign(Media("image", "image/gif"), b"GIF89a"),
    _Sign(Media("image", "image/webp"), b"RIFF", 8, b"WEBP"),
    _Sign(_WAV, b"RIFF", 8, b"WAVE"),
    _Sign(Media("audio", "audio/ogg"), b"OggS\x00"),
    _Sign(Media("audio", "audio/flac"), b"fLaC"),
    _Sign(_MP3, b"ID3"),
    _Sign(_MP4, b"\x00\x00\x00", 4, b"ftypM4A "),
)
# a sound without a head says nothing else: two bytes are enough only with the name beside them
_FRAMES: Final = (b"\xff\xfb", b"\xff\xf3", b"\xff\xf2")


def media_of(path: str, data: bytes) -> Media | None:
    """What a binary file is; None for what no model is shown."""
    for sign in _SIGNS:
        end = sign.at + len(sign.second)
        if data.startswith(sign.first) and data[sign.at : end] == sign.second:
            return sign.media
    if path.lower().endswith(".mp3") and data.startswith(_FRAMES):
        return _MP3
    return None
