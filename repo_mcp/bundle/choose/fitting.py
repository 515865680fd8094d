"""Makes a bundle of what was chosen, and holds it to the size that was asked for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import xxhash

from repo_mcp.bundle.choose.budget import cost_of, size
from repo_mcp.bundle.model import (
    STRATEGY,
    Audit,
    BudgetUse,
    Bundle,
    BundleRequest,
    Excerpt,
    SearchRun,
)
from repo_mcp.bundle.reasons import Notice
from repo_mcp.bundle.weights import SizeWeights


def spoken_for(request: BundleRequest, audit: Audit, runs: Sequence[SearchRun]) -> int:
    """Bytes of an answer that are not those of excerpts, about."""
    if not request.max_bytes:
        return 0
    known = replace(audit, searches=tuple(runs))
    empty = Bundle(request, "0" * 32, "0" * 32, (), BudgetUse(0, 0, 0), known)
    whole = size(empty.as_result()) + SizeWeights.LEFT_OUT_BYTES
    audits = size(known.as_result()) + SizeWeights.LEFT_OUT_BYTES
    return whole - max(0, audits - _most(request))


def fitted(
    request: BundleRequest,
    fingerprint: str,
    excerpts: Sequence[Excerpt],
    audit: Audit,
    notices: tuple[Notice, ...],
) -> Bundle:
    """The bundle; where it is larger than it may be, the least of its excerpts are taken out."""
    kept = list(excerpts)
    while True:
        bundle = _made(request, fingerprint, tuple(kept), audit, notices)
        if not request.max_bytes or size(bundle.as_result()) <= request.max_bytes or not kept:
            return bundle
        worst = min(range(len(kept)), key=lambda at: (kept[at].score, -at))
        del kept[worst]
        audit = replace(audit, left_out_count=audit.left_out_count + 1)


def _made(
    request: BundleRequest,
    fingerprint: str,
    excerpts: tuple[Excerpt, ...],
    audit: Audit,
    notices: tuple[Notice, ...],
) -> Bundle:
    used = BudgetUse(
        len({item.path for item in excerpts}),
        sum(len(item.lines) for item in excerpts),
        sum(map(cost_of, excerpts)),
    )
    name = bundle_id(fingerprint, request, excerpts)
    told = _shortened(audit, request)
    return Bundle(request, name, fingerprint, excerpts, used, audit, notices, told)


def _most(request: BundleRequest) -> int:
    return max(SizeWeights.LEAST_AUDIT, int(request.max_bytes * SizeWeights.AUDIT_SHARE))


def _shortened(audit: Audit, request: BundleRequest) -> Audit:
    """As much of it as its share of a limited answer holds: words first, then the rest, go."""
    most = _most(request)
    while request.max_bytes and size(audit.as_result()) > most:
        if len(audit.left_out) > SizeWeights.LEAST_LEFT_OUT:
            audit = replace(audit, left_out=audit.left_out[:-1])
        elif audit.keywords and len(audit.keywords) >= len(audit.searches):
            audit = replace(audit, keywords=audit.keywords[:-1])
        elif audit.searches:
            audit = replace(audit, searches=audit.searches[:-1])
        elif audit.left_out:
            audit = replace(audit, left_out=audit.left_out[:-1])
        else:
            break
    return audit


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
