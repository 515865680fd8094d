"""Files that are named by words of a prompt: all of a name is made of them, some cut short."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from index_format import Snapshot
from repo_mcp.bundle.find.test_paths import is_test
from repo_mcp.bundle.weights import PlaceWeights
from repo_mcp.languages.registry import Languages
from repo_mcp.text.words import terms_of_word


def named_by(
    snapshot: Snapshot, languages: Languages, words: Sequence[str], weights: Mapping[str, float]
) -> dict[str, list[str]]:
    """Live files of a language by their name without its ending, of the most telling names.

    `words` are those of the prompt in their order, `weights` says how much each of them tells.
    """
    pairs = [pair for pair in pairwise(words) if all(weights.get(word) for word in pair)]
    known: dict[str, float] = {}
    found: dict[str, list[str]] = {}
    for segment in snapshot.segments:
        for raw, _ in segment.live_files():
            folder, _, name = raw.rpartition(b"/")
            stem = name.partition(b".")[0]
            if stem in {b"__init__", b"index", b"mod"}:
                stem = folder.rpartition(b"/")[2]
            plain = stem.decode("utf-8", "replace").lower()
            if plain not in known:
                known[plain] = _worth(plain, weights, pairs)
            if known[plain]:
                path = raw.decode("utf-8", "surrogatepass")
                if languages.language_of(path) and not is_test(path):
                    found.setdefault(plain, []).append(path)
    best = max((known[stem] for stem in found), default=0.0)
    return {
        stem: sorted(found[stem])
        for stem in sorted(found)
        if known[stem] >= PlaceWeights.NEARLY * best
    }


def _worth(stem: str, weights: Mapping[str, float], pairs: Sequence[tuple[str, str]]) -> float:
    """What the words that a name is made of tell; nothing where some part of it is no such word."""
    if not PlaceWeights.SHORTEST_STEM <= len(stem) <= PlaceWeights.LONGEST_STEM:
        return 0.0
    whole = weights.get(stem.replace("-", "_"), 0.0)
    if whole:
        return whole
    total = 0.0
    for piece in stem.replace("-", "_").split("_"):
        worth = weights.get(piece, 0.0) or _joined(piece, weights, pairs)
        if not worth:
            return 0.0
        total += worth
    return total


def _joined(piece: str, weights: Mapping[str, float], pairs: Sequence[tuple[str, str]]) -> float:
    """What two neighbours in the prompt tell that a piece is made of: `loadavg` of load average."""
    if len(piece) < PlaceWeights.LEAST_JOINED:
        return 0.0
    for first, second in pairs:
        if not piece.startswith(first[:2]):
            continue
        for at in range(2, len(piece) - 1):
            one, other = piece[:at], piece[at:]
            if first in {one, one + "s"} and _is_short_for(other, second):
                return weights[first] + weights[second]
    return 0.0


def _is_short_for(text: str, word: str) -> bool:
    """Whether the letters of a text stand in a word in this order, the first one first."""
    if not text or text[0] != word[0] or len(text) < PlaceWeights.SHORTEST_STEM - 1:
        return False
    rest = iter(word)
    return all(letter in rest for letter in text)


def words_in_order(text: str) -> list[str]:
    """The terms of plain words, each in its place."""
    return [
        terms[0] for word in text.split() if (terms := terms_of_word(word.strip(".,;:?!()`'\"")))
    ]
