"""Random queries of every type that Whoosh has for text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Final, TypeVar

from whoosh import query as q
from whoosh.query import spans

WITH_POSITIONS: Final = ("body", "doc")

T = TypeVar("T")


class Queries:
    """Makes queries from words that occur, and now and then one that does not."""

    def __init__(self, random: Random, words: list[str], texts: list[list[str]]) -> None:
        """`texts` are what phrases are taken from, so that some of them are found."""
        self._random = random
        self._depth = 1
        self._words = words
        self._texts = [text for text in texts if len(text) > 3]
        self.kinds: dict[str, Callable[[], q.Query]] = {
            name.removeprefix("make_"): getattr(self, name)
            for name in dir(self)
            if name.startswith("make_")
        }

    def any(self, depth: int = 2) -> q.Query:
        """A query of any type; compound ones down to `depth`."""
        if depth and self._random.random() < 0.6:
            name = self._random.choice([name for name in self.kinds if name not in _LEAVES])
        else:
            name = self._random.choice(_LEAVES)
        self._depth = depth
        return self.kinds[name]()

    def of(self, kind: str) -> q.Query:
        """A query of this type, of terms."""
        self._depth = 1
        return self.kinds[kind]()

    def choice(self, among: Sequence[T]) -> T:
        """One of several."""
        return self._random.choice(among)

    def word(self) -> str:
        """A word; common ones more often."""
        if self._random.random() < 0.03:
            return "nowhere"
        rank = int(len(self._words) * self._random.random() ** 3)
        return self._words[rank]

    def field(self) -> str:
        """A field; mostly the long one."""
        return self._random.choice(("body", "body", "body", "doc", "tags"))

    def boost(self) -> float:
        """Mostly none."""
        return self._random.choice((1.0, 1.0, 2.5, 0.3))

    def term(self, field: str | None = None) -> q.Term:
        """A term."""
        return q.Term(field or self.field(), self.word(), boost=self.boost())

    def few(self, make: Callable[[], q.Query], most: int = 4) -> list[q.Query]:
        """Two or more queries."""
        return [make() for _ in range(self._random.randint(2, most))]

    def sub(self) -> q.Query:
        """A query within another."""
        depth = self._depth - 1
        made = self.any(depth) if depth > 0 else self.term()
        self._depth = depth + 1
        return made

    # leaves

    def make_term(self) -> q.Query:
        return self.term()

    def make_phrase(self) -> q.Query:
        field = self._random.choice(WITH_POSITIONS)
        if self._random.random() < 0.3:
            words = [self.word() for _ in range(2)]
        else:
            text = self._random.choice(self._texts)
            at = self._random.randrange(len(text) - 2)
            words = [word for word in text[at : at + self._random.randint(2, 4)] if word != "_"]
        return q.Phrase(field, words, slop=self._random.randint(1, 4), boost=self.boost())

    def make_prefix(self) -> q.Query:
        length = self._random.randint(0, 3)
        return q.Prefix(
            self.field(),
            self.word()[:length],
            boost=self.boost(),
            constantscore=self._random.random() < 0.5,
        )

    def make_wildcard(self) -> q.Query:
        word = self.word()
        at = self._random.randrange(len(word))
        pattern = self._random.choice(
            (f"{word[:at]}*{word[at + 1 :]}", f"{word[:at]}?{word[at + 1 :]}", f"*{word[at:]}", "*")
        )
        return q.Wildcard(self.field(), pattern, boost=self.boost())

    def make_regex(self) -> q.Query:
        word = self.word()
        at = self._random.randrange(len(word))
        pattern = self._random.choice(
            (
                f"{re.escape(word[:at])}.*",
                f"[a-c]+{re.escape(word[at:])}$",
                f"({re.escape(word)}|{re.escape(self.word())})$",
                r"..$",
                f"^{re.escape(word[:1])}.?.$",
            )
        )
        return q.Regex(self.field(), pattern, boost=self.boost())

    def make_fuzzy(self) -> q.Query:
        word = self.word()
        return q.FuzzyTerm(
            self.field(),
            word,
            boost=self.boost(),
            maxdist=self._random.randint(0, 2),
            prefixlength=self._random.randint(0, min(2, len(word))),
            constantscore=self._random.random() < 0.5,
        )

    def make_range(self) -> q.Query:
        start, end = sorted((self.word(), self.word()))
        random = self._random
        return q.TermRange(
            self.field(),
            start if random.random() < 0.9 else None,
            end if random.random() < 0.9 else None,
            startexcl=random.random() < 0.3,
            endexcl=random.random() < 0.3,
            boost=self.boost(),
            constantscore=random.random() < 0.5,
        )

    def make_every(self) -> q.Query:
        return q.Every(self._random.choice((None, None, "doc", "tags")), boost=self.boost())

    def make_variations(self) -> q.Query:
        return q.Variations(self.field(), self.word(), boost=self.boost())

    def make_null(self) -> q.Query:
        return q.NullQuery

    # compound queries

    def make_and(self) -> q.Query:
        return q.And(self.few(self.sub, 3), boost=self.boost())

    def make_and_of_terms(self) -> q.Query:
        return q.And(self.few(self.term), boost=self.boost())

    def make_or(self) -> q.Query:
        return q.Or(self.few(self.sub), boost=self.boost())

    def make_or_of_terms(self) -> q.Query:
        return q.Or(self.few(self.term, 6), boost=self.boost())

    def make_scaled_or(self) -> q.Query:
        return q.Or(self.few(self.term), boost=self.boost(), scale=0.9)

    def make_disjunction_max(self) -> q.Query:
        return q.DisjunctionMax(self.few(self.sub, 3), boost=self.boost())

    def make_not(self) -> q.Query:
        return q.And([self.sub(), q.Not(self.sub())])

    def make_only_not(self) -> q.Query:
        return q.Not(self.sub())

    def make_and_not(self) -> q.Query:
        return q.AndNot(self.sub(), self.sub())

    def make_and_maybe(self) -> q.Query:
        return q.AndMaybe(self.sub(), self.sub())

    def make_require(self) -> q.Query:
        return q.Require(self.sub(), self.sub())

    def make_otherwise(self) -> q.Query:
        return q.Otherwise(self.sub(), self.sub())

    def make_constant_score(self) -> q.Query:
        return q.ConstantScoreQuery(self.sub(), self._random.choice((1.0, 3.5)))

    # spans

    def span(self) -> q.Query:
        """A query that has spans: a term, or terms in one field."""
        field = "body" if self._random.random() < 0.7 else "doc"
        if self._random.random() < 0.7:
            return self.term(field)
        return spans.SpanOr([self.term(field), self.term(field)])

    def make_span_near(self) -> q.Query:
        random = self._random
        return spans.SpanNear(
            self.span(),
            self.span(),
            slop=random.randint(1, 6),
            ordered=random.random() < 0.5,
            mindist=random.randint(1, 2),
        )

    def make_span_near2(self) -> q.Query:
        random = self._random
        return spans.SpanNear2(
            self.few(self.span, 3), slop=random.randint(1, 6), ordered=random.random() < 0.5
        )

    def make_span_first(self) -> q.Query:
        return spans.SpanFirst(self.span(), limit=self._random.randint(0, 4))

    def make_span_or(self) -> q.Query:
        return spans.SpanOr(self.few(self.span, 3))

    def make_span_not(self) -> q.Query:
        return spans.SpanNot(self.span(), self.make_span_near())

    def make_span_contains(self) -> q.Query:
        return spans.SpanContains(self.make_span_near(), self.span())

    def make_span_before(self) -> q.Query:
        return spans.SpanBefore(self.span(), self.span())

    def make_span_condition(self) -> q.Query:
        return spans.SpanCondition(self.span(), self.term())


_LEAVES: Final = (
    "term",
    "phrase",
    "prefix",
    "wildcard",
    "regex",
    "fuzzy",
    "range",
    "every",
    "variations",
    "null",
)
