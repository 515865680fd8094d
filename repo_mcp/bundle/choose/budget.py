"""Keeps a bundle within its limits on files, lines, tokens and bytes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import xxhash

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
from repo_mcp.bundle.weights import SizeWeights as Weights

ESTIMATE: Final = (
    "UTF-8 bytes of each excerpt's text, citation and rationale, divided by"
    f" {Weights.BYTES_A_TOKEN}, rounded up"
)


def json_bytes(value: object) -> int:
    """Size of a value in JSON, with the comma after it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-8", "surrogatepass")) + 1


class BundleBudget:
    """Counts the cost of excerpts, and refuses one that does not fit."""

    def __init__(self, request: BundleRequest, reserved_bytes: int) -> None:
        """`reserved_bytes` of an answer are not for excerpts."""
        self._request = request
        self._bytes = reserved_bytes
        self._lines = 0
        self._tokens = 0
        self._files: set[str] = set()

    @property
    def lines_left(self) -> int:
        """Estimated number of lines that may still be added, by the tightest limit."""
        request = self._request
        left = request.max_total_lines - self._lines
        if request.max_bytes:
            left = min(left, (request.max_bytes - self._bytes) // Weights.BYTES_A_LINE)
        if request.max_tokens:
            left = min(left, (request.max_tokens - self._tokens) // Weights.TOKENS_A_LINE)
        return max(0, left)

    @property
    def files_left(self) -> int:
        """Files that may still be added."""
        return self._request.max_files - len(self._files)

    def has(self, path: str) -> bool:
        """Whether a file is in the bundle."""
        return path in self._files

    def take(self, excerpt: Excerpt, replaced: Excerpt | None = None) -> bool:
        """Counts an excerpt if it fits, in place of `replaced`; returns whether it fits."""
        request = self._request
        new = excerpt.path not in self._files
        lines, cost, weight = self._price(excerpt)
        if new and request.max_bytes:
            weight += json_bytes(excerpt.path) + json_bytes(excerpt.rationale) + Weights.FILE_ENTRY
        if replaced is not None:
            before = self._price(replaced)
            lines, cost, weight = lines - before[0], cost - before[1], weight - before[2]
        if (
            len(self._files) + new > request.max_files
            or self._lines + lines > request.max_total_lines
            or (request.max_tokens and self._tokens + cost > request.max_tokens)
            or (request.max_bytes and self._bytes + weight > request.max_bytes)
        ):
            return False
        self._files.add(excerpt.path)
        self._lines += lines
        self._tokens += cost
        self._bytes += weight
        return True

    def _price(self, excerpt: Excerpt) -> tuple[int, int, int]:
        """Lines, tokens and bytes of an excerpt."""
        weight = 0
        if self._request.max_bytes:
            weight = json_bytes(excerpt.as_result()) + 2 * json_bytes(excerpt.citation)
        return len(excerpt.lines), token_cost(excerpt), weight


def token_cost(excerpt: Excerpt) -> int:
    """Estimated tokens of an excerpt; rarely too low for code and Latin prose."""
    texts = excerpt.citation, excerpt.rationale, excerpt.text
    size = sum(len(text.encode("utf-8", "surrogatepass")) + 1 for text in texts)
    return -(-size // Weights.BYTES_A_TOKEN)


def reserved_bytes(request: BundleRequest, audit: Audit, runs: Sequence[SearchRun]) -> int:
    """Estimated bytes of an answer without its excerpts."""
    if not request.max_bytes:
        return 0
    known = replace(audit, searches=tuple(runs))
    empty = Bundle(request, "0" * 32, "0" * 32, (), BudgetUse(0, 0, 0), known)
    whole = json_bytes(empty.as_result()) + Weights.LEFT_OUT_BYTES
    audits = json_bytes(known.as_result()) + Weights.LEFT_OUT_BYTES
    return whole - max(0, audits - _audit_bytes(request))


def fit_bundle(
    request: BundleRequest,
    fingerprint: str,
    excerpts: Sequence[Excerpt],
    audit: Audit,
    notices: tuple[Notice, ...],
) -> Bundle:
    """The bundle; if its answer is too large, without the excerpts of the lowest score."""
    kept = list(excerpts)
    while True:
        bundle = _assemble(request, fingerprint, tuple(kept), audit, notices)
        if not request.max_bytes or json_bytes(bundle.as_result()) <= request.max_bytes or not kept:
            return bundle
        worst = min(range(len(kept)), key=lambda at: (kept[at].score, -at))
        del kept[worst]
        audit = replace(audit, left_out_count=audit.left_out_count + 1)


def _assemble(
    request: BundleRequest,
    fingerprint: str,
    excerpts: tuple[Excerpt, ...],
    audit: Audit,
    notices: tuple[Notice, ...],
) -> Bundle:
    used = BudgetUse(
        len({item.path for item in excerpts}),
        sum(len(item.lines) for item in excerpts),
        sum(map(token_cost, excerpts)),
    )
    name = bundle_id(fingerprint, request, excerpts)
    short = _shorten_audit(audit, request)
    return Bundle(request, name, fingerprint, excerpts, used, audit, notices, short)


def _audit_bytes(request: BundleRequest) -> int:
    return max(Weights.LEAST_AUDIT, int(request.max_bytes * Weights.AUDIT_SHARE))


def _shorten_audit(audit: Audit, request: BundleRequest) -> Audit:
    """The audit cut to its share of a limited answer: omissions first, then keywords."""
    most = _audit_bytes(request)
    while request.max_bytes and json_bytes(audit.as_result()) > most:
        if len(audit.left_out) > Weights.LEAST_LEFT_OUT:
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
