"""What a bundle may still take: files, lines, tokens and bytes, none of them ever exceeded."""

from __future__ import annotations

import json
from typing import Final

from repo_mcp.bundle.model import BudgetUse, BundleRequest, Excerpt
from repo_mcp.bundle.weights import SizeWeights


def size(value: object) -> int:
    """Bytes that a value takes in JSON, with the comma after it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode("utf-8", "surrogatepass")) + 1


class BundleBudget:
    """Counts what excerpts take; an excerpt that does not fit is not taken."""

    def __init__(self, request: BundleRequest, spoken_for: int) -> None:
        """`spoken_for` bytes of an answer are used by other things than excerpts."""
        self._request = request
        self._bytes = spoken_for
        self._lines = 0
        self._tokens = 0
        self._files: set[str] = set()

    @property
    def lines_left(self) -> int:
        """Lines that may still be shown, about: whichever limit is met first."""
        request = self._request
        left = request.max_total_lines - self._lines
        if request.max_bytes:
            left = min(left, (request.max_bytes - self._bytes) // SizeWeights.BYTES_A_LINE)
        if request.max_tokens:
            left = min(left, (request.max_tokens - self._tokens) // SizeWeights.TOKENS_A_LINE)
        return max(0, left)

    @property
    def files_left(self) -> int:
        """Files that may still be begun."""
        return self._request.max_files - len(self._files)

    @property
    def used(self) -> BudgetUse:
        """What was taken."""
        return BudgetUse(len(self._files), self._lines, self._tokens)

    def has(self, path: str) -> bool:
        """Whether a file is in the bundle."""
        return path in self._files

    def take(self, excerpt: Excerpt, instead_of: Excerpt | None = None) -> bool:
        """Take an excerpt if all of it fits; `instead_of` is given back for it."""
        request = self._request
        new = excerpt.path not in self._files
        lines, cost, weight = self._price(excerpt)
        if new and request.max_bytes:
            weight += size(excerpt.path) + size(excerpt.rationale) + SizeWeights.FILE_ENTRY
        if instead_of is not None:
            before = self._price(instead_of)
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
            weight = size(excerpt.as_result()) + 2 * size(excerpt.citation)
        return len(excerpt.lines), cost_of(excerpt), weight


def cost_of(excerpt: Excerpt) -> int:
    """The tokens of an excerpt, by estimate."""
    return tokens(excerpt.citation, excerpt.rationale, excerpt.text)


HOW: Final = "UTF-8 bytes of each excerpt's text, citation and rationale, divided by 3, rounded up"


def tokens(*texts: str) -> int:
    """An estimate that is seldom too low for code and prose in Latin letters."""
    size = sum(len(text.encode("utf-8", "surrogatepass")) + 1 for text in texts)
    return -(-size // SizeWeights.BYTES_A_TOKEN)
