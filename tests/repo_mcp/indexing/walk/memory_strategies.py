"""Draws what may be known of files and folders."""

from __future__ import annotations

from hypothesis import strategies as st

from repo_mcp.indexing.walk.memory import CachedStat, FolderDigest
from repo_mcp.safety.sandbox import UNKNOWN_KEY, StatKey

KEY = StatKey(1, 2, 3, 4)
_NUMBERS = st.integers(-(1 << 63), (1 << 63) - 1)
_KEYS = st.builds(
    StatKey, st.integers(0, 1 << 62), _NUMBERS, _NUMBERS, st.integers(0, (1 << 64) - 1)
)
_NAMES = st.text(st.characters(exclude_characters="\0/"), min_size=1, max_size=5)
PATHS = st.lists(_NAMES, min_size=1, max_size=3).map("/".join)
SEEN = st.builds(
    CachedStat,
    _KEYS | st.just(UNKNOWN_KEY),
    st.binary(min_size=16, max_size=16),
    st.sampled_from(["", "binary"]),
    st.booleans(),
)
FILES = st.dictionaries(PATHS, SEEN, max_size=6)
DIGESTS = st.builds(
    FolderDigest,
    st.binary(min_size=16, max_size=16).filter(any),
    st.dictionaries(st.sampled_from(["ignored", "link"]), st.integers(1, 9)),
)
FOLDERS = st.dictionaries(PATHS.map(lambda path: f"{path}/") | st.just(""), DIGESTS, max_size=3)
