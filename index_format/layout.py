"""Everything that is fixed on disk: constants, file names, section tags, version history.

A number in this file may never change its meaning: it is in files people have.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Final, Literal, Self

# No version is promised yet: readers refuse all but the newest, and callers rebuild.
# 0  first version
# 1  dictionary pages are front-coded and bit-packed; blocks have widths that are no powers of two
# 2  paths are folders and names; numbers of files have the least width that holds them
FORMAT_VERSION: Final = 2
# raised when stored data should be recomputed although old bytes are still readable
FEATURE_VERSION: Final = 0
MIN_READABLE_VERSION: Final = 2

# File names. A segment is named by the blake2b of its bytes, a manifest by its generation.
CURRENT_NAME: Final = "CURRENT"
LOCK_NAME: Final = "writer.lock"
# beside the folder, see `generation/origin`
ORIGIN_NAME: Final = "origin"
SEGMENT_SUFFIX: Final = ".rix"
SEGMENT_NAME: Final = re.compile(r"seg-[0-9a-f]{40}\.rix")
MANIFEST_NAME: Final = re.compile(r"manifest-([0-9]{12})\.json")
TEMPORARY_NAME: Final = re.compile(r"tmp-[0-9a-f]+-[0-9a-f]+\.part")
SEGMENT_DIGEST_BYTES: Final = 20


# an identity that begins so is of a file that was not read whole: the place that has it is believed
UNREAD: Final = "unread-"

# characters of a word that is a term; the same as in identifiers.h. Identifiers of registers and
# states have up to 110; a checksum of 512 bits has 128 digits, and nobody asks for a part of it
MAX_WORD: Final = 127


def segment_name(digest: bytes) -> str:
    """Name of the segment whose bytes have this blake2b digest."""
    return f"seg-{digest.hex()}{SEGMENT_SUFFIX}"


def manifest_name(generation: int) -> str:
    """Name of the manifest of one generation."""
    return f"manifest-{generation:012d}.json"


# Frame
HEADER_MAGIC: Final = b"RIXSEG\r\n"
FOOTER_MAGIC: Final = b"\r\nRIXEND"
PAGE_BYTES: Final = 16 * 1024
SECTION_ALIGNMENT: Final = 16


class SectionTag(bytes, Enum):
    """The tags of all sections of a segment, in the order of the file.

    Neighbours that repeat alike are written in turn, once for each attachment kind or field, whose
    number stands beside the tag. A field without positions has no `POSITIONS`.
    """

    repeats: Literal["once", "per field", "per attachment kind"]
    holds: str

    SEGMENT_META = b"META", "once", "counts, fields and attachment kinds"
    PATHS = b"PATH", "once", "folders, and the folder and name of each file"
    FINGERPRINTS = b"FPRT", "once", "fingerprints and sizes of files"
    CHUNK_COUNTS = b"FCHK", "once", "chunks of each file"
    FILE_TOTALS = b"FTOT", "once", "tokens per field and file"
    CHUNKS = b"CHNK", "once", "lines and ids of chunks"
    LENGTHS = b"LENS", "per field", "length code of each chunk"
    ATTACHMENT_SIZES = b"ATTS", "per attachment kind", "bytes that each file has"
    ATTACHMENT_DATA = b"ATTD", "per attachment kind", "the bytes"
    TERM_INDEX = b"TIDX", "per field", "first term of each group of dictionary pages"
    TERM_GROUPS = b"TGRP", "per field", "first term and offsets of each dictionary page"
    TERM_TEXTS = b"TERM", "per field", "what each term has behind the one before it"
    TERM_INFO = b"TINF", "per field", "chunks, occurrences and lengths of each term"
    BLOCK_META = b"BLKM", "per field", "one record per full block of postings"
    BLOCK_ROWS = b"BLKR", "per field", "gaps and frequencies of full blocks"
    TAILS = b"TAIL", "per field", "postings behind the last full block of each term"
    POSITIONS = b"POSN", "per field", "positions of each posting"

    def __new__(
        cls, tag: bytes, repeats: Literal["once", "per field", "per attachment kind"], holds: str
    ) -> Self:
        """The stored tag, with its documentation."""
        member = bytes.__new__(cls, tag)
        member._value_ = tag
        member.repeats = repeats
        member.holds = holds
        return member

    def __repr__(self) -> str:
        """As stored, since errors show it beside tags that were read."""
        return repr(self.value)


# Postings
BLOCK: Final = 128  # postings in a full block
ROW_BYTES: Final = 16  # one bit of each of a block's 128 values
# bits a value may take in a full block
BLOCK_WIDTHS: Final = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 32)
TERMS_PER_PAGE: Final = 128  # terms that share one dictionary page
PAGES_PER_GROUP: Final = 64  # dictionary pages that share one entry of the term index
MAX_TERM_BYTES: Final = 4096
MAX_CHUNKS_PER_SEGMENT: Final = 1 << 28
MAX_FIELDS: Final = 64

# Canonical segments: where a file's path hash has this many low zero bits a segment may end, once
# it holds the minimum of files; it ends at the maximum in any case. Once it holds so many tokens,
# fewer zero bits are enough: that bounds the memory a merge takes.
SEGMENT_MIN_FILES: Final = 65_536
SEGMENT_MAX_FILES: Final = 262_144
SEGMENT_BOUNDARY_BITS: Final = 16
SEGMENT_MAX_TOKENS: Final = 1 << 28
SEGMENT_FULL_BITS: Final = 5
# An index of at least so many bytes of text is divided into shares of it, which end near these
# thousandths, within the slack. The first is the largest: while a share is merged, its sources
# are there besides all shares before it.
SEGMENT_SHARED_BYTES: Final = 256 << 20
SEGMENT_SHARES: Final = (420, 710, 890)
SEGMENT_SHARE_SLACK: Final = 20

# Manifest and CURRENT: anything larger is not ours.
MAX_MANIFEST_BYTES: Final = 256 * 1024 * 1024
MAX_CURRENT_BYTES: Final = 4096
MAX_ORIGIN_BYTES: Final = 4 * 1024 * 1024
