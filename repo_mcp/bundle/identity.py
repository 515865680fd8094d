"""What a bundle is called: by its prompt, its limits and what is in it, and by nothing else."""

from __future__ import annotations

import json
from collections.abc import Sequence

import xxhash

from repo_mcp.bundle.types import STRATEGY, BundleRequest, Excerpt


def bundle_id(fingerprint: str, request: BundleRequest, excerpts: Sequence[Excerpt]) -> str:
    """Equal for equal prompts, limits and excerpts, on every machine and at any time."""
    facts = [
        fingerprint,
        STRATEGY,
        [request.max_files, request.max_total_lines, request.max_tokens, request.max_bytes],
        request.include_tests,
        [[item.citation, item.role, item.fingerprint, item.text] for item in excerpts],
    ]
    data = json.dumps(facts, ensure_ascii=True, separators=(",", ":")).encode()
    return xxhash.xxh3_128_hexdigest(data)
