"""The compiled decoders of an index: what they refuse, and that they stay within their bytes."""

from __future__ import annotations

from pathlib import Path

from tests.index_format.native.sanitized import fuzzed


def test_no_bytes_make_it_touch_foreign_memory(tmp_path: Path) -> None:
    fuzzed("index_format/native/_reading.c", "fuzz_reading.py", tmp_path)
