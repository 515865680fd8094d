"""BLAKE2 and comparing digests, without OpenSSL, which `hashlib` and `hmac` load for others."""

from __future__ import annotations

from _operator import _compare_digest as compare_digest

try:
    from _blake2 import blake2b
except ImportError:  # an interpreter that keeps it elsewhere
    from hashlib import blake2b

__all__ = ["blake2b", "compare_digest"]
