"""Every query gives what it gives in Whoosh's own index of the same live chunks.

Hits, their order and their scores are compared with `==`: the arithmetic is Whoosh's own on the
same numbers, so nothing may differ, not in the last bit. Where Whoosh itself fails, it fails alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

import pytest
from whoosh import qparser, query as q, scoring, sorting
from whoosh.collectors import TopCollector
from whoosh.searching import Searcher

from tests.index_format.twins import HISTORIES, Twins, large, small, uneven
from tests.index_format.whoosh_bridge.random_queries import Queries

pytestmark = pytest.mark.differential

Outcome = list[tuple[float, int]] | type[Exception]


def outcome(searcher: Searcher, query: q.Query, **how: object) -> Outcome:
    try:
        hits: list[tuple[float, int]] = searcher.search(query, **how).top_n
    except (AssertionError, IndexError, NotImplementedError, TypeError, ValueError) as error:
        return type(error)
    return hits


def queries(twins: Twins, seed: int) -> Queries:
    texts = [list(chunk["body"]) for chunks in twins.live.values() for chunk in chunks]
    return Queries(Random(seed), twins.words, texts)


def options(random: Random) -> dict[str, object]:
    return {"limit": random.choice((1, 5, 10, None)), "optimize": random.random() < 0.7}


def compare(twins: Twins, asked: Iterator[tuple[q.Query, dict[str, object]]]) -> Counter[str]:
    """Compare the results, and count them; fails at the first difference."""
    counts: Counter[str] = Counter()
    for query, how in asked:
        expected = outcome(twins.theirs, query, **how)
        got = outcome(twins.ours, query, **how)
        assert got == expected, (query, how)
        failed = isinstance(expected, type)
        counts["failed" if failed else "found" if expected else "nothing"] += 1
    return counts


def some(twins: Twins, seed: int, count: int) -> Iterator[tuple[q.Query, dict[str, object]]]:
    random, source = Random(seed), queries(twins, seed)
    for _ in range(count):
        yield source.any(), options(random)


@pytest.mark.parametrize("history", HISTORIES)
def test_small_index_answers_any_query_as_whoosh(history: str) -> None:
    twins = small(history)
    counts = compare(twins, some(twins, 21, 500))
    assert counts["found"] > 300
    assert counts["failed"] < 40


@pytest.mark.parametrize("history", ["fresh", "edited", "canonical_then_edited"])
def test_large_index_answers_any_query_as_whoosh(history: str) -> None:
    twins = large(history)
    counts = compare(twins, some(twins, 22, 150))
    assert counts["found"] > 100
    assert counts["failed"] < 20


KINDS = sorted(queries(small("fresh"), 0).kinds)


@pytest.mark.parametrize("kind", KINDS)
def test_each_type_of_query_answers_as_whoosh(kind: str) -> None:
    twins = small("canonical_then_edited")
    random, source = Random(23), queries(twins, 23)
    asked = [(source.of(kind), options(random)) for _ in range(60)]
    counts = compare(twins, iter(asked))
    assert counts["found"] > 3 or kind == "null"


@pytest.mark.parametrize("history", ["fresh", "canonical_then_edited"])
def test_filters_and_masks_restrict_as_in_whoosh(history: str) -> None:
    twins = small(history)
    random, source = Random(24), queries(twins, 24)

    def asked() -> Iterator[tuple[q.Query, dict[str, object]]]:
        for _ in range(300):
            how = options(random)
            which = random.choice(("filter", "mask"))
            numbers = {random.randrange(twins.ours.doc_count_all()) for _ in range(20)}
            how[which] = random.choice((source.term(), source.make_prefix(), numbers))
            yield source.any(1), how

    assert compare(twins, asked())["found"] > 100


@pytest.mark.parametrize("history", ["fresh", "canonical_then_edited"])
def test_recorded_terms_are_those_of_whoosh(history: str) -> None:
    twins = small(history)
    source = queries(twins, 25)
    matched = 0
    for _ in range(150):
        query = source.of(source.choice(("or_of_terms", "and_of_terms", "and_maybe", "phrase")))
        sides = [side.search(query, limit=None, terms=True) for side in (twins.ours, twins.theirs)]
        ours, theirs = ([hit.matched_terms() for hit in side] for side in sides)
        assert [sorted(terms) for terms in ours] == [sorted(terms) for terms in theirs]
        assert sides[0].matched_terms() == sides[1].matched_terms()
        matched += len(ours)
    assert matched > 1000


@pytest.mark.parametrize("history", ["fresh", "canonical_then_edited"])
def test_counts_of_hits_are_those_of_whoosh(history: str) -> None:
    twins = large(history)
    source = queries(twins, 26)
    total = 0
    for _ in range(40):
        query = source.of(source.choice(("or_of_terms", "and_of_terms", "phrase", "prefix")))
        ours, theirs = (len(side.search(query, limit=3)) for side in (twins.ours, twins.theirs))
        assert ours == theirs
        total += ours
    assert total > 3000


def bounded(searcher: Searcher, query: q.Query) -> tuple[list[tuple[float, int]], int]:
    """The best three, and how many blocks were left out on the way."""
    collector = TopCollector(3)
    searcher.search_with_collector(query, collector)
    return collector.results().top_n, collector.skipped_times


@pytest.mark.parametrize("history", ["fresh", "edited", "canonical_then_edited"])
def test_blocks_are_left_out_exactly_where_whoosh_leaves_them_out(history: str) -> None:
    twins = uneven(history)
    random = Random(27)
    makers: list[Callable[[list[q.Query]], q.Query]] = [
        lambda terms: terms[0],
        lambda terms: q.Or(terms[:2]),
        q.Or,
        lambda terms: q.And(terms[:2]),
        lambda terms: q.AndMaybe(*terms[:2]),
        lambda terms: q.AndNot(*terms[:2]),
        q.DisjunctionMax,
        lambda terms: q.And([q.Or(terms[:2]), terms[2]]),
    ]
    skipped = 0
    for _ in range(30):
        words = random.sample(twins.words[:25], 4)
        terms = [q.Term("body", word, boost=random.choice((1.0, 2.0))) for word in words]
        for make in makers:
            query = make(terms)
            ours, theirs = bounded(twins.ours, query), bounded(twins.theirs, query)
            assert ours == theirs, query
            skipped += ours[1]
    assert skipped > 30


WEIGHTINGS = {
    "tuned": scoring.BM25F(B=0.3, K1=2.0, doc_B=0.9),
    "tf_idf": scoring.TF_IDF(),
    "frequency": scoring.Frequency(),
    "pl2": scoring.PL2(),
    "multi": scoring.MultiWeighting(scoring.BM25F(), tags=scoring.Frequency()),
    "reverse": scoring.ReverseWeighting(scoring.BM25F()),
    "first_position": scoring.FunctionWeighting(
        lambda _searcher, _field, _text, matcher: 1.0 / (matcher.value_as("positions")[0] + 1)
    ),
}


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_other_scorers_score_as_in_whoosh(name: str) -> None:
    twins = small("canonical_then_edited")
    weighting = WEIGHTINGS[name]
    source = queries(twins, 28)
    found = 0
    for _ in range(60):
        terms = [source.term("body"), source.term("doc"), source.term("body")]
        query = source.choice((terms[0], q.Or(terms[:2]), q.And(terms[::2])))
        ours, theirs = (
            outcome(Searcher(side.ixreader, weighting=weighting), query, limit=5)
            for side in (twins.ours, twins.theirs)
        )
        assert ours == theirs, query
        found += isinstance(ours, list) and bool(ours)
    assert found > 10


PARSED = [
    "{0} {1}",
    "{0} OR {1} OR {2}",
    "{0} AND NOT {1}",
    "{0} ANDMAYBE {1}",
    "{0} ANDNOT {1}",
    "({0} OR {1}) {2}",
    '"{0} {1}"',
    '"{0} {1}"~3',
    "doc:{0}^2 body:{1}",
    "tags:{0} OR doc:({1} {2})",
    "{p}* {0}",
    "*{p}",
    "?{p}* OR {0}",
    "[{0} TO {1}]",
    "{{{0} TO]",
    "tags:[TO {1}]",
    "{0}~ OR {1}~2",
    "{0}~2/1",
    'r"{p}.*" OR {0}',
    "doc:* {0}",
    "*:*",
    "+{0} -{1} {2}",
    "NOT {0}",
    '"{0} ({1} OR {2})"~30',
]


@pytest.mark.parametrize("pattern", PARSED)
def test_parsed_queries_answer_as_whoosh(pattern: str) -> None:
    twins = small("canonical_then_edited")
    schema = twins.ours.schema
    parsers = [
        qparser.QueryParser("body", schema),
        qparser.MultifieldParser(["body", "doc"], schema, group=qparser.OrGroup),
    ]
    for parser in parsers:
        parser.add_plugin(qparser.FuzzyTermPlugin())
        parser.add_plugin(qparser.RegexPlugin())
    parsers[0].add_plugin(qparser.PlusMinusPlugin())
    parsers[0].remove_plugin_class(qparser.PhrasePlugin)
    parsers[0].add_plugin(qparser.SequencePlugin())
    source = queries(twins, 29)
    found = 0
    for at in range(20):
        words = [source.word() for _ in range(3)]
        query = parsers[at % 2].parse(pattern.format(*words, p=source.word()[:2]))
        ours, theirs = (outcome(side, query, limit=None) for side in (twins.ours, twins.theirs))
        assert ours == theirs, query
        found += isinstance(ours, list) and bool(ours)
    assert found > 1


@pytest.mark.parametrize("history", ["fresh", "canonical_then_edited"])
def test_sorted_reversed_collapsed_and_grouped_results_are_those_of_whoosh(history: str) -> None:
    twins = small(history)
    by_path = sorting.StoredFieldFacet("path")
    hows: list[dict[str, object]] = [
        {"sortedby": by_path, "limit": 7},
        {"sortedby": [sorting.StoredFieldFacet("chunk_id"), by_path], "reverse": True},
        {"sortedby": sorting.ScoreFacet()},
        {"reverse": True, "limit": None},
        {"collapse": by_path, "limit": None},
        {"collapse": by_path, "collapse_limit": 2, "limit": None},
        {"groupedby": {"path": by_path}, "limit": None},
    ]
    source = queries(twins, 30)
    grouped = 0
    for how in hows * 6:
        query = source.make_or_of_terms()
        ours, theirs = (side.search(query, **how) for side in (twins.ours, twins.theirs))
        assert ours.top_n == theirs.top_n, (query, how)
        assert [hit.fields() for hit in ours] == [hit.fields() for hit in theirs]
        if "groupedby" in how:
            assert ours.groups("path") == theirs.groups("path")
            grouped += len(ours.groups("path"))
    assert grouped > 20


def test_nested_queries_answer_as_whoosh() -> None:
    twins = small("canonical_then_edited")
    source = queries(twins, 31)
    found = 0
    for _ in range(40):
        parents = q.Term("body", twins.words[source.choice(range(5))])
        made = source.choice((q.NestedParent, q.NestedChildren))
        query = made(parents, source.term())
        ours, theirs = (outcome(side, query, limit=None) for side in (twins.ours, twins.theirs))
        assert ours == theirs, query
        found += isinstance(ours, list) and bool(ours)
    assert found > 10


def test_pages_of_results_are_those_of_whoosh() -> None:
    twins = small("edited")
    query = queries(twins, 32).make_or_of_terms()
    for page in (1, 2, 4):
        ours, theirs = (
            side.search_page(query, page, pagelen=6) for side in (twins.ours, twins.theirs)
        )
        assert [(hit.docnum, hit.score) for hit in ours] == [
            (hit.docnum, hit.score) for hit in theirs
        ]
        assert (ours.total, ours.pagecount) == (theirs.total, theirs.pagecount)


def test_documents_like_a_text_are_those_of_whoosh() -> None:
    twins = small("canonical_then_edited")
    text = " ".join(twins.words[:40])
    sides = [side.more_like(3, "body", text=text, top=20) for side in (twins.ours, twins.theirs)]
    assert sides[0].top_n == sides[1].top_n
    assert len(sides[0].top_n) == 20


def test_history_leaves_no_trace_in_answers() -> None:
    answers = []
    for history in HISTORIES:
        twins = small(history)
        source = queries(small("fresh"), 33)
        answers.append([outcome(twins.ours, source.any(), limit=10) for _ in range(100)])
    assert all(answer == answers[0] for answer in answers)
    assert sum(bool(hits) for hits in answers[0]) > 50
