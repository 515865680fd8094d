"""Expected results of opening, checking and repairing each damaged index of the gallery."""

from __future__ import annotations

from dataclasses import dataclass

from index_format.errors import (
    CorruptIndexError,
    IndexFormatError,
    IndexMissingError,
    SegmentLostError,
    UnsupportedVersionError,
)

ALL = None  # more may be lost than is known: every file has to be compared


@dataclass(frozen=True, slots=True)
class Expected:
    """The consequences of a damage."""

    opens: type[IndexFormatError] | None  # what asking everything ends with
    section: str  # where that error is
    found: tuple[str, ...]  # severity and section of all findings
    heals: Heals | None  # what a repair does, None for nothing


@dataclass(frozen=True, slots=True)
class Heals:
    """A new generation: how many segments it gives up, and which paths it asks for."""

    dropped: int
    again: tuple[str, ...] | None


FOOTER = ("error file", "error footer")
LOST = Heals(1, ALL)
NAMED = Heals(1, ("a.py", "empty"))
BACK = Heals(0, ALL)  # to a generation whose relation to the files is not known
CORRUPT, MISSING, UNSUPPORTED = CorruptIndexError, IndexMissingError, UnsupportedVersionError
EXPECTED = {
    "sound": Expected(None, "", (), None),
    "footer-truncated": Expected(CORRUPT, "file", FOOTER, LOST),
    "segment-cut-to-nothing": Expected(CORRUPT, "file", FOOTER, LOST),
    "segment-longer": Expected(CORRUPT, "file", ("error file",), LOST),
    "segment-zeroed": Expected(CORRUPT, "footer", FOOTER, LOST),
    "segment-half-zeroed": Expected(CORRUPT, "footer", FOOTER, LOST),
    "segment-header-flipped": Expected(CORRUPT, "header", ("error file", "error header"), LOST),
    "segment-page-flipped": Expected(
        CORRUPT, "META[0]", ("error file", "error META[0] to TAIL[1]"), LOST
    ),
    "segment-seal-flipped": Expected(CORRUPT, "footer", FOOTER, LOST),
    "segment-missing": Expected(SegmentLostError, "file", ("error file",), LOST),
    "segments-swapped": Expected(
        CORRUPT,
        "file",
        (
            "error file",
            "error footer",
            "error file",
            "error segments",
            "warning segments",
        ),
        Heals(2, ALL),
    ),
    "segment-of-other-bytes": Expected(CORRUPT, "footer", FOOTER, LOST),
    "header-version-other": Expected(CORRUPT, "header", ("error header",), LOST),
    "segment-of-newer-version": Expected(UNSUPPORTED, "", ("error footer",), LOST),
    "footer-of-too-many-sections": Expected(CORRUPT, "footer", ("error footer",), LOST),
    "footer-tail-beyond": Expected(CORRUPT, "footer", ("error footer",), LOST),
    "footer-zero-not-zero": Expected(CORRUPT, "footer", ("error footer",), LOST),
    "directory-overlap": Expected(CORRUPT, "directory", ("error directory",), LOST),
    "directory-beyond": Expected(CORRUPT, "directory", ("error directory",), LOST),
    "directory-gap": Expected(CORRUPT, "directory", ("error directory",), LOST),
    "directory-section-twice": Expected(CORRUPT, "directory", ("error directory",), LOST),
    "padding-not-zero": Expected(None, "", ("error PATH[0]",), NAMED),
    "postings-changed": Expected(CORRUPT, "TAIL[0]", ("error TAIL[0]",), NAMED),
    "current-missing": Expected(CORRUPT, "file", ("error file",), BACK),
    "current-empty": Expected(CORRUPT, "pointer", ("error pointer",), BACK),
    "current-zeroed": Expected(CORRUPT, "pointer", ("error pointer",), BACK),
    "current-torn": Expected(CORRUPT, "pointer", ("error pointer",), BACK),
    "current-of-other-bytes": Expected(CORRUPT, "checksum", ("error checksum",), BACK),
    "current-to-nowhere": Expected(CORRUPT, "file", ("error file",), BACK),
    "manifest-missing": Expected(CORRUPT, "file", ("error file", "note file"), BACK),
    "manifest-zeroed": Expected(CORRUPT, "envelope", ("error envelope", "note file"), BACK),
    "manifest-torn": Expected(CORRUPT, "envelope", ("error envelope", "note file"), BACK),
    "manifest-respelled": Expected(CORRUPT, "spelling", ("error spelling", "note file"), BACK),
    "manifest-of-newer-version": Expected(UNSUPPORTED, "", ("error version", "note file"), None),
    "mixed-generation": Expected(CORRUPT, "generation", ("error generation", "note file"), BACK),
    "both-manifests-missing": Expected(
        CORRUPT, "file", ("error file", "note file", "note file"), None
    ),
    "older-manifest-zeroed": Expected(None, "", ("warning envelope",), None),
    "counts-untrue": Expected(None, "", ("error segments",), Heals(0, ())),
    "file-alive-twice": Expected(None, "", ("error segments",), Heals(0, ())),
    "never-published": Expected(MISSING, "", ("note file",), None),
    "temporary-left-over": Expected(None, "", ("note file",), None),
    "segment-left-over": Expected(None, "", ("note file",), None),
    "foreign-file": Expected(None, "", (), None),
}
