"""Everything that is fixed on disk: constants, file names, section tags, version history.

A number in this file may never change its meaning: it is in files people have.
"""

from __future__ import annotations

import re
from typing import Final

# 0  first version, not yet promised: readers refuse anything else and callers rebuild
FORMAT_VERSION: Final = 0
# raised when what is stored should be computed anew though old bytes still read well
FEATURE_VERSION: Final = 0
MIN_READABLE_VERSION: Final = 0

# File names. A segment is named by the blake2b of its bytes, a manifest by its generation.
CURRENT_NAME: Final = "CURRENT"
LOCK_NAME: Final = "writer.lock"
SEGMENT_SUFFIX: Final = ".rix"
SEGMENT_NAME: Final = re.compile(r"seg-[0-9a-f]{40}\.rix")
MANIFEST_NAME: Final = re.compile(r"manifest-([0-9]{12})\.json")
TEMPORARY_NAME: Final = re.compile(r"tmp-[0-9a-f]+-[0-9a-f]+\.part")
SEGMENT_DIGEST_BYTES: Final = 20


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

# Postings
BLOCK: Final = 128  # postings in a full block
ROW_BYTES: Final = 16  # one bit of each of a block's 128 values
BLOCK_WIDTHS: Final = (0, 1, 2, 4, 8, 16, 32)  # bits a value may take in a full block
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

# Manifest and CURRENT: anything larger is not ours.
MAX_MANIFEST_BYTES: Final = 256 * 1024 * 1024
MAX_CURRENT_BYTES: Final = 4096
