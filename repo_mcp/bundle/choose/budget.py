"""Keeps a bundle within its limits on files, lines, tokens and bytes."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import Final

import xxhash

from index_format.records import replace
from index_format.tuples import NamedTuple
from repo_mcp.bundle.model import (
    Audit,
    BudgetUse,
    Bundle,
    BundleRequest,
    Excerpt,
    FilePlace,
    SearchRun,
    file_bytes,
    json_bytes,
    merge_excerpts,
)
from repo_mcp.bundle.reasons import Notice
from repo_mcp.bundle.weights import SizeWeights as Weights

# more tokens than a bundle has
_MANY: Final = 100_000
ESTIMATE: Final = (
    "UTF-8 bytes of each excerpt's text, citation and rationale, divided by"
    f" {Weights.BYTES_A_TOKEN}, rounded up"
)


class BundleBudget:
    """Counts the cost of excerpts, and refuses one that does not fit."""

    def __init__(self, request: BundleRequest, reserved_bytes: int) -> None:
        """`reserved_bytes` of an answer are not for excerpts."""
        self._request = request
        self._reserved = reserved_bytes
        self._files: dict[str, _FileCost] = {}
        # files that are listed, if they are not shown, best first
        self._listed: dict[str, FilePlace] = {}

    def limit_lines(self, more: int) -> None:
        """Allows so many lines more, if no limit of the request is tighter."""
        lines = sum(cost.lines for cost in self._files.values()) + more
        most = min(self._request.max_total_lines, lines)
        self._request = replace(self._request, max_total_lines=most)

    def list_places(self, places: Iterable[FilePlace]) -> None:
        """Keep room for a place in each of these files, as far as no excerpt of it is taken.

        The first ones are kept, up to their share of the answer. Names of declarations and reasons
        take what is left of that: they crowd out no file.
        """
        told = [*places]
        for place in told:
            self._listed[place.path] = place._replace(symbol="", rationale="")
            if self._lists_too_much():
                del self._listed[place.path]
                break
        for place in told[: len(self._listed)]:
            plain = self._listed[place.path]
            self._listed[place.path] = place
            if self._lists_too_much():
                self._listed[place.path] = plain
                break

    def _lists_too_much(self) -> bool:
        """True if the places take more than their share of the answer."""
        request = self._request
        tokens, size = self._listed_cost(())
        return (request.max_bytes > 0 and size > request.max_bytes * Weights.PLACES_SHARE) or (
            request.max_tokens > 0 and tokens > request.max_tokens * Weights.PLACES_SHARE
        )

    @property
    def places(self) -> tuple[FilePlace, ...]:
        """The places in files that have no excerpt, as far as files are left for them."""
        missing = (item for path, item in self._listed.items() if path not in self._files)
        return tuple(islice(missing, self.files_left))

    def _listed_cost(self, shown: Collection[str]) -> tuple[int, int]:
        """Tokens and bytes of the places in files that are not shown."""
        places = [item for path, item in self._listed.items() if path not in shown]
        return (
            sum(map(place_tokens, places)),
            sum(json_bytes(item.as_result()) for item in places) if self._request.max_bytes else 0,
        )

    @property
    def lines_left(self) -> int:
        """Estimated number of lines that may still be added, by the tightest limit."""
        request, costs = self._request, self._files.values()
        left = request.max_total_lines - sum(cost.lines for cost in costs)
        tokens, size = self._listed_cost(self._files)
        if request.max_bytes:
            room = request.max_bytes - self._reserved - sum(cost.bytes for cost in costs) - size
            left = min(left, room // Weights.BYTES_A_LINE)
        if request.max_tokens:
            room = request.max_tokens - sum(cost.tokens for cost in costs) - tokens
            left = min(left, room // Weights.TOKENS_A_LINE)
        return max(0, left)

    @property
    def files_left(self) -> int:
        """Files that may still be added."""
        return self._request.max_files - len(self._files)

    def has(self, path: str) -> bool:
        """True if a file is in the bundle."""
        return path in self._files

    def take(self, excerpt: Excerpt, replaced: Excerpt | None = None) -> bool:
        """Counts an excerpt if it fits, in place of `replaced`; returns whether it fits."""
        before = self._files.get(excerpt.path)
        kept = [] if before is None else [item for item in before.excerpts if item is not replaced]
        after = self._cost([*kept, excerpt])
        others = {path: cost for path, cost in self._files.items() if path != excerpt.path}
        if not self._fits({**others, excerpt.path: after}):
            return False
        self._files[excerpt.path] = after
        return True

    def _fits(self, shown: Mapping[str, _FileCost]) -> bool:
        request, costs = self._request, shown.values()
        tokens, size = self._listed_cost(shown)
        tokens += sum(cost.tokens for cost in costs)
        size += sum(cost.bytes for cost in costs)
        return (
            len(costs) <= request.max_files
            and sum(cost.lines for cost in costs) <= request.max_total_lines
            and (not request.max_tokens or tokens <= request.max_tokens)
            and (not request.max_bytes or self._reserved + size <= request.max_bytes)
        )

    def _cost(self, excerpts: list[Excerpt]) -> _FileCost:
        size = file_bytes(merge_excerpts(excerpts)) if self._request.max_bytes else 0
        lines = sum(len(item.lines) for item in excerpts)
        return _FileCost(excerpts, lines, sum(map(token_cost, excerpts)), size)


class _FileCost(NamedTuple):
    """The excerpts of a file, and what they take."""

    excerpts: list[Excerpt]
    lines: int
    tokens: int
    bytes: int


def token_cost(excerpt: Excerpt) -> int:
    """Estimated tokens of an excerpt; rarely too low for code and Latin prose."""
    texts = excerpt.citation, excerpt.rationale, excerpt.text
    size = sum(len(text.encode("utf-8", "surrogatepass")) + 1 for text in texts)
    return -(-size // Weights.BYTES_A_TOKEN)


def place_tokens(place: FilePlace) -> int:
    """Estimated tokens of a place."""
    size = len(place.text.encode("utf-8", "surrogatepass")) + 1
    return -(-size // Weights.BYTES_A_TOKEN)


def reserved_bytes(
    request: BundleRequest, audit: Audit, runs: Sequence[SearchRun], flow: tuple[str, ...] = ()
) -> int:
    """Estimated bytes of an answer without its excerpts."""
    if not request.max_bytes:
        return 0
    known = replace(audit, searches=tuple(runs))
    used = BudgetUse(request.max_files, request.max_total_lines, _MANY)
    empty = Bundle(request, "0" * 32, "0" * 32, (), used, known, flow=flow)
    whole = json_bytes(empty.as_result()) + Weights.LEFT_OUT_BYTES
    if not request.audit:
        return whole
    audits = json_bytes(known.as_result()) + Weights.LEFT_OUT_AUDIT_BYTES
    return whole + Weights.LEFT_OUT_AUDIT_BYTES - max(0, audits - _audit_bytes(request))


def fit_bundle(
    request: BundleRequest,
    fingerprint: str,
    excerpts: Sequence[Excerpt],
    audit: Audit,
    notices: tuple[Notice, ...],
    flow: tuple[str, ...] = (),
    doubt: str = "",
    places: tuple[FilePlace, ...] = (),
) -> Bundle:
    """The bundle; if its answer is too large, without the excerpts of the lowest score."""
    kept = list(excerpts)
    while True:
        bundle = _assemble(request, fingerprint, (tuple(kept), places), audit, notices, flow)
        bundle = replace(bundle, doubt=doubt)
        if not request.max_bytes or json_bytes(bundle.as_result()) <= request.max_bytes or not kept:
            return bundle
        worst = min(range(len(kept)), key=lambda at: (kept[at].score, -at))
        del kept[worst]
        audit = replace(audit, left_out_count=audit.left_out_count + 1)


def _assemble(
    request: BundleRequest,
    fingerprint: str,
    content: tuple[tuple[Excerpt, ...], tuple[FilePlace, ...]],
    audit: Audit,
    notices: tuple[Notice, ...],
    flow: tuple[str, ...],
) -> Bundle:
    excerpts, places = content
    used = BudgetUse(
        len({item.path for item in excerpts}) + len(places),
        sum(len(item.lines) for item in excerpts),
        sum(map(token_cost, excerpts)) + sum(map(place_tokens, places)),
    )
    name = bundle_id(fingerprint, request, excerpts, places)
    short = _shorten_audit(audit, request)
    facts = request, name, fingerprint, excerpts, used, audit, notices, short, flow
    return Bundle(*facts, places=places)


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


def bundle_id(
    fingerprint: str,
    request: BundleRequest,
    excerpts: Sequence[Excerpt],
    places: Sequence[FilePlace] = (),
) -> str:
    """Equal for equal prompts, limits and excerpts, on every machine and at any time."""
    facts = [
        fingerprint,
        request.strategy,
        [request.max_files, request.max_total_lines, request.max_tokens, request.max_bytes],
        request.include_tests,
        [[item.citation, item.role, item.fingerprint, item.text] for item in excerpts],
        [item.citation for item in places],
    ]
    data = json.dumps(facts, ensure_ascii=True, separators=(",", ":")).encode()
    return xxhash.xxh3_128_hexdigest(data)
