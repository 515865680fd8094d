"""What is counted, said in Python: used where nothing is compiled, the model of what is.

Source text repeats its words, so what the terms of a word are is asked once and remembered; cutting
and counting are left to C. ASCII words are cut by rules of their own, equal to Whoosh's filters in
`words`; all others go through those.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, count, islice, pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from index_format import Tokens, Vocabulary

# the same as in `words`, which loads Whoosh: plain ASCII text does without
MAX_WORD: Final = 64
LONG_WORD: Final = b"\0long"
_LONGEST_BYTES: Final = 4 * MAX_WORD
_WORD: Final = re.compile(r"\w+")
_WORD_BYTES: Final = bytes(
    at if (chr(at).isalnum() and at < 128) or chr(at) == "_" else ord(" ") for at in range(256)
)
_BLANK: Final = 32
_LINE_FEED: Final = 10
_SMALL: Final = 1
_CAPITAL: Final = 2
_BETWEEN: Final = 3

U8 = npt.NDArray[np.uint8]
U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]
I64 = npt.NDArray[np.int64]


def _kind(character: str) -> int:
    if character in "_\n":
        return _BETWEEN
    return _CAPITAL if character.isupper() else _SMALL if character.islower() else 0


_KINDS: Final = np.array([_kind(chr(at)) if at < 128 else 0 for at in range(256)], dtype=np.uint8)
_LOWERED: Final = np.frombuffer(
    bytes(ord(" ") if at == ord("_") else at for at in range(256)).lower(), dtype=np.uint8
)


class PlainCounter:
    """Counts terms numbered by one vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        """Start with nothing remembered."""
        self._words = _Words()
        self._terms = _TermsOfWords(vocabulary)

    def __len__(self) -> int:
        """How many words are remembered."""
        return len(self._words)

    def counted(self, pieces: Sequence[str | bytes]) -> list[Tokens]:
        """The terms of each piece and how often each occurs; a term may come up several times."""
        words = [_words(piece) for piece in pieces]
        sizes = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
        numbers = np.fromiter(
            map(self._words.number, chain.from_iterable(words)),
            dtype=np.uint64,
            count=int(sizes.sum()),
        )
        del words
        self._terms.learn(self._words.unlearnt())
        owners = np.repeat(np.arange(len(sizes), dtype=np.uint64), sizes)
        return self._terms.counted((owners << np.uint64(32)) | numbers, len(sizes))


def _words(piece: str | bytes) -> list[bytes]:
    if isinstance(piece, bytes):
        return piece.translate(_WORD_BYTES).split()
    if piece.isascii():
        return piece.encode("ascii").translate(_WORD_BYTES).split()
    return [word.encode("utf-8", "surrogatepass") for word in _WORD.findall(piece)]


class _Words:
    """Numbers words as they are met; what they give is looked into later, many at once."""

    def __init__(self) -> None:
        # asked for a word it does not have, it gives the next number, without a call
        self._numbers: defaultdict[bytes, int] = defaultdict(count().__next__)
        self.number = self._numbers.__getitem__
        self._met = 0

    def __len__(self) -> int:
        """How many are remembered."""
        return len(self._numbers)

    def unlearnt(self) -> list[bytes]:
        """Words met since this was last asked, in the order of their numbers.

        Long ones are forgotten at once: each may be a megabyte of encoded data.
        """
        new = len(self._numbers) - self._met
        fresh = [*islice(reversed(self._numbers), new)][::-1]
        for word in fresh:
            if len(word) > _LONGEST_BYTES:
                del self._numbers[word]
        self._met = len(self._numbers)
        return fresh


class _TermsOfWords:
    """What terms each word stands for, in flat columns: word n has those from start n on."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._numbers = vocabulary.numbers
        self._terms = np.zeros(0, dtype=np.uint32)
        self._starts = np.zeros(1, dtype=np.int64)

    def learn(self, words: Sequence[bytes]) -> None:
        """Add the next words."""
        if not words:
            return
        lengths = np.fromiter(map(len, words), dtype=np.int64, count=len(words))
        joined = b"\n".join(words)
        if joined.isascii() and int(lengths.max()) <= MAX_WORD:
            counts, terms = self._ascii(joined, lengths)
        else:
            counts, terms = self._any(words, lengths)
        self._terms = np.concatenate([self._terms, terms])
        self._starts = np.concatenate([self._starts, self._starts[-1] + np.cumsum(counts)])

    def _any(self, words: Sequence[bytes], lengths: I64) -> tuple[I64, U32]:
        """The same as `_ascii` for any words."""
        ascii_ = np.fromiter((word.isascii() for word in words), dtype=bool, count=len(words))
        plain = ascii_ & (lengths <= MAX_WORD)
        chosen = [words[at] for at in np.flatnonzero(plain).tolist()]
        counts = np.zeros(len(words), dtype=np.int64)
        counts[plain], plain_terms = self._ascii(b"\n".join(chosen), lengths[plain])
        others = np.flatnonzero(~plain).tolist()
        found = [self._numbers(terms_of_other(words[at])) for at in others]
        counts[others] = [len(item) for item in found]
        of_plain = np.repeat(plain, counts)
        terms = np.empty(len(of_plain), dtype=np.uint32)
        terms[of_plain] = plain_terms
        terms[~of_plain] = np.fromiter(chain.from_iterable(found), dtype=np.uint32)
        return counts, terms

    def _ascii(self, joined: bytes, lengths: I64) -> tuple[I64, U32]:
        """How many terms each word has, and all of them in order: itself, then its parts.

        The words are short and plain, one a line.
        """
        if not len(lengths):
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint32)
        wholes = np.array(self._numbers(joined.lower().split(b"\n")), dtype=np.uint32)
        cut = _cut(joined)
        parts = np.array(self._numbers(cut.tobytes().split()), dtype=np.uint32)
        counts, letters = _per_line(cut, len(lengths))
        # a word that is its own only part gives one term, one without any part gives none
        single = (counts == 1) & (letters == lengths)
        given = np.where(counts == 0, 0, np.where(single, 1, counts + 1))
        terms = np.empty(int(given.sum()), dtype=np.uint32)
        first = np.cumsum(given) - given
        is_part = np.ones(len(terms), dtype=bool)
        is_part[first[given > 0]] = False
        terms[~is_part] = wholes[given > 0]
        terms[is_part] = parts[np.repeat(~single, counts)]
        return given, terms

    def counted(self, keys: U64, pieces: int) -> list[Tokens]:
        """Terms of (piece << 32 | word) keys, piece by piece; a term may come up several times."""
        keys.sort(kind="stable")  # pieces are in order already, which it makes use of
        new = np.ones(len(keys), dtype=bool)
        new[1:] = keys[1:] != keys[:-1]
        first = np.flatnonzero(new)
        times = np.diff(first, append=len(keys)).astype(np.uint32)
        kept = keys[first]
        words = (kept & np.uint64(0xFFFFFFFF)).astype(np.int64)
        starts = self._starts[words]
        counts = self._starts[words + 1] - starts
        ends = np.cumsum(counts)
        places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - ends + counts, counts)
        terms, frequencies = self._terms[places], np.repeat(times, counts)
        edges = np.searchsorted(kept, np.arange(pieces + 1, dtype=np.uint64) << np.uint64(32))
        bounds = np.concatenate([[0], ends])[edges].tolist()
        return [
            Tokens(terms[begin:end], None, frequencies[begin:end])
            for begin, end in pairwise(bounds)
        ]


def _cut(joined: bytes) -> U8:
    """Words, one a line, in small letters, with blanks for underscores and between their parts.

    A part begins at a capital after anything else, and at the last capital of several before a
    small letter.
    """
    data = np.frombuffer(joined, dtype=np.uint8)
    kinds = _KINDS[data]
    capital = kinds == _CAPITAL
    begins = np.zeros(len(data), dtype=bool)
    before, here = kinds[:-1], capital[1:]
    begins[1:] = here & (before != _CAPITAL) & (before != _BETWEEN)
    begins[1:-1] |= here[:-1] & capital[:-2] & (kinds[2:] == _SMALL)
    added = np.cumsum(begins)
    cut = np.full(len(data) + int(added[-1]), _BLANK, dtype=np.uint8)
    cut[np.arange(len(data)) + added] = _LOWERED[data]
    return cut


def _per_line(cut: U8, count: int) -> tuple[I64, I64]:
    """How many runs without blanks each line has, and how many characters in them."""
    feeds = cut == _LINE_FEED
    blank = feeds | (cut == _BLANK)
    begins = ~blank
    begins[1:] &= blank[:-1]
    ends = np.append(np.flatnonzero(feeds), len(cut))
    runs, letters = np.cumsum(begins), np.cumsum(~blank)
    last = np.maximum(ends - 1, 0)
    return np.diff(runs[last], prepend=0)[:count], np.diff(letters[last], prepend=0)[:count]


def terms_of_other(word: bytes) -> list[bytes]:
    """The terms of a word that is long or not ASCII, from Whoosh itself."""
    if word.isascii():
        return [LONG_WORD]  # nothing else brings plain text here
    from repo_mcp.text.words import terms  # noqa: PLC0415 it loads Whoosh

    found = terms(word.decode("utf-8", "surrogatepass"))
    return [term.encode("utf-8", "surrogatepass") for term in found]
