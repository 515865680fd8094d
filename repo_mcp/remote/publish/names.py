"""Names and limits of the objects below a published prefix.

    v1/segments/seg-<blake2b>.rix         a segment of any index, by the hash of its bytes
    v1/texts/pack-<blake2b>.rmt           texts of files, by the hash of its bytes
    v1/texts/tree-<blake2b>.rmt           the files of a tree, and where in packs their texts are
    v1/publications/<blake2b>.json        manifests that belong together, by the hash of its bytes
    v1/labels/<label>.json                names a publication; moved by compare-and-swap
    v1/pins/<publication>.json            keeps a publication for good
    v1/commits/<signature>/<commit>.json  names the publication of a commit
    v1/runs/<token>.json                  what a run that publishes needs; removed at its end
    v1/collector/current.json             there while a run removes garbage

Only labels are ever changed in place. Names from elsewhere are never made into a path: those of
segments are checked by their form, the others are made here.
"""

from __future__ import annotations

import re
from typing import Final

from repo_mcp.errors import Problem
from repo_mcp.stored import RUN_OBJECTS, SEGMENT_OBJECTS, TEXT_OBJECTS

SEGMENTS: Final = SEGMENT_OBJECTS
TEXTS: Final = TEXT_OBJECTS
PUBLICATIONS: Final = "v1/publications"
LABELS: Final = "v1/labels"
PINS: Final = "v1/pins"
COMMITS: Final = "v1/commits"
RUNS: Final = RUN_OBJECTS
COLLECTOR: Final = "v1/collector"
COLLECTOR_NAME: Final = f"{COLLECTOR}/current.json"

# larger ones are not ours
MAX_PUBLICATION_BYTES: Final = 8 << 20
MAX_NOTE_BYTES: Final = 1 << 10
MAX_RUN_BYTES: Final = 8 << 20
# of a tree as it is published: one of a million files has some 40 MB
MAX_TREE_BYTES: Final = 64 << 20

DIGEST_BYTES: Final = 20
_LABEL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_PUBLICATION: Final = re.compile(r"[0-9a-f]{40}")
_TEXTS: Final = re.compile(r"(?:pack|tree)-[0-9a-f]{40}\.rmt")
_TREE: Final = "tree-"
_COMMIT: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def is_publication(identity: str) -> bool:
    """True if this is a publication's identity, the digest of its bytes."""
    return _PUBLICATION.fullmatch(identity) is not None


def is_commit(commit: str) -> bool:
    """True if this is the full hash of a commit."""
    return _COMMIT.fullmatch(commit) is not None


def check_label(label: str) -> str:
    """The label, if it can be one."""
    if _LABEL.fullmatch(label) is None:
        raise Problem(
            "argument_invalid",
            "a label has letters, digits, dots, dashes and underscores, at most 100 of them",
        )
    return label


def segment(name: str) -> str:
    """The object of a segment."""
    return f"{SEGMENTS}/{name}"


def is_texts(name: str) -> bool:
    """True if this is the name of a pack of texts or of a tree."""
    return _TEXTS.fullmatch(name) is not None


def is_tree(name: str) -> bool:
    """True if the name of a pack or of a tree is that of a tree."""
    return name.startswith(_TREE)


def pack_of(digest: bytes) -> str:
    """The name of a pack with this hash."""
    return f"pack-{digest.hex()}.rmt"


def tree_of(digest: bytes) -> str:
    """The name of a tree with this hash."""
    return f"{_TREE}{digest.hex()}.rmt"


def texts(name: str) -> str:
    """The object of a pack or of a tree."""
    return f"{TEXTS}/{name}"


def publication(identity: str) -> str:
    """The object of a publication."""
    return f"{PUBLICATIONS}/{identity}.json"


def label(text: str) -> str:
    """The object of a label."""
    return f"{LABELS}/{check_label(text)}.json"


def pin(identity: str) -> str:
    """The object that keeps a publication."""
    return f"{PINS}/{identity}.json"


def commits(signature: str) -> str:
    """The folder of the commits that were published with these settings."""
    return f"{COMMITS}/{signature}"


def commit(signature: str, commit_hash: str) -> str:
    """The object that names the publication of a commit."""
    return f"{commits(signature)}/{commit_hash}.json"


def run(token: str) -> str:
    """The object of a run that publishes."""
    return f"{RUNS}/{token}.json"


def stem(name: str) -> str:
    """The last part of an object's name, without its ending."""
    return name.rpartition("/")[2].partition(".")[0] if name.endswith(".json") else ""
