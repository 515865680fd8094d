"""Expressions match the same lines as in Python's `re`, in the syntax that both share."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given, strategies as st

from index_format.analysis.words import terms
from repo_mcp.errors import Problem
from repo_mcp.search.matching_lines import MatchingLines
from repo_mcp.search.regex import program as engine
from repo_mcp.search.regex.parser import parse
from repo_mcp.search.regex.program import CompiledExpression
from repo_mcp.search.regex.text import all_words
from repo_mcp.search.regex.tree import OTHER_WORD, is_word, may_be_empty, most_line_feeds
from tests.repo_mcp.search.dictionary.needle_oracle import satisfied
from tests.repo_mcp.search.exact.exact_oracle import compiled, spans
from tests.repo_mcp.search.regex.expression_samples import ASCII_LETTERS, expressions, framed, rows

Lines = list[tuple[int, tuple[tuple[int, int], ...]]]


def compile_expression(
    pattern: str, *, ignore_case: bool = False, whole_word: bool = False
) -> CompiledExpression:
    body, across_lines = parse(pattern, folded=ignore_case)
    return CompiledExpression(body, whole_word=whole_word, across_lines=across_lines)


def found(made: CompiledExpression, texts: list[str]) -> Lines:
    data = "".join(f"{text}\n" for text in texts).encode()
    held = MatchingLines("a.txt", data, 0)
    held.collect([made.spans(data)], None)
    return [(match.line, match.columns) for match in held.lines]


def wanted(pattern: re.Pattern[str], texts: list[str]) -> Lines:
    return [
        (number, spans(pattern, text))
        for number, text in enumerate(texts, 1)
        if pattern.search(text)
    ]


def agree(
    pattern: str, texts: list[str], *, ignore_case: bool = False, whole_word: bool = False
) -> None:
    made = compile_expression(pattern, ignore_case=ignore_case, whole_word=whole_word)
    if r"\b" in repr(made.body):  # one inside is the engine's own, which knows ASCII only
        texts = [text for text in texts if text.isascii()]
    oracle = compiled(pattern, regex=True, ignore_case=ignore_case, whole_word=whole_word)
    ours, theirs = found(made, texts), wanted(oracle, texts)
    lazy_or_empty = "?" in pattern or may_be_empty(parse(pattern, folded=False).body)
    if lazy_or_empty:  # where matches begin after an empty one, engines differ
        assert [line for line, _ in ours] == [line for line, _ in theirs]
    elif whole_word:  # of matches that touch, the second is not looked for
        assert [(line, columns[:1]) for line, columns in ours] == [
            (line, columns[:1]) for line, columns in theirs
        ]
    else:
        assert ours == theirs


TEXTS = st.lists(rows(), max_size=5)
ASCII_TEXTS = st.lists(rows(ASCII_LETTERS), max_size=5)


@given(pattern=expressions(), texts=TEXTS, ignore_case=st.booleans())
@example(pattern=r"[^\W_]+", texts=["é_a", "_", "中"], ignore_case=False)
@example(pattern="(?:^)(?:$)", texts=["", "a", ""], ignore_case=False)
def test_the_same_lines_and_places(*, pattern: str, texts: list[str], ignore_case: bool) -> None:
    agree(pattern, texts, ignore_case=ignore_case)


@given(expressions(ASCII_LETTERS, boundaries=True), ASCII_TEXTS)
def test_the_same_with_boundaries_anywhere_in_ascii(pattern: str, texts: list[str]) -> None:
    # in Python's engine, \B does not match in an empty text
    agree(pattern, [text or " " for text in texts])


@given(framed(), TEXTS)
@example(r"\ba\b", ["éa", "a é", "aé", "a a", "a"])
def test_the_same_with_boundaries_at_the_edges_in_any_text(pattern: str, texts: list[str]) -> None:
    agree(pattern, texts)


@given(pattern=expressions(), texts=TEXTS, ignore_case=st.booleans())
@example(pattern="a", texts=["a a", "éa", "a.a", "aa", "a_"], ignore_case=False)
def test_the_same_for_whole_words(*, pattern: str, texts: list[str], ignore_case: bool) -> None:
    agree(pattern, texts, ignore_case=ignore_case, whole_word=True)


@given(
    pattern=expressions() | framed(),
    texts=TEXTS,
    ignore_case=st.booleans(),
    whole_word=st.booleans(),
)
def test_required_needles_are_in_every_matching_line(
    *, pattern: str, texts: list[str], ignore_case: bool, whole_word: bool
) -> None:
    made = compile_expression(pattern, ignore_case=ignore_case, whole_word=whole_word)
    for line, _ in found(made, texts):
        held = terms(texts[line - 1])
        for clause in made.required_clauses:
            assert satisfied(held, clause), (pattern, texts[line - 1], clause)


@pytest.mark.parametrize(
    ("pattern", "required"),
    [
        (r"struct \w+_ops\b", [["struct"], ["ops"]]),
        (r"\bfoo_\w+\(", [["foo_", "foo"]]),
        (r"a(?:bc|de)f", [["abcf"], ["adef"]]),
        (r"foo|bar_baz", [["foo"], ["bar_baz", "bar", "baz"]]),
        (r"(?:foo)?bar", [["foobar"], ["bar"]]),
        (r"foo\s*\(", [["foo"]]),
        (r"foo.*bar", [["foo"], ["bar"]]),
        (r"foo[0-9]", [["foo"]]),
        (r"[fg]oo", [["foo"], ["goo"]]),
        (r"\w+", []),
        (r"(?:foo|\d)", []),
        ("", []),
        (r"(?:foo)*", []),
        (r"(?:ab){2}", [["abab"]]),
        (r"(?:ab)+c", [["ab"], ["abc"]]),
    ],
)
def test_what_an_expression_requires(pattern: str, required: list[list[str]]) -> None:
    made = compile_expression(pattern)
    branches = [
        [needle.text for needle in branch] for clause in made.required_clauses for branch in clause
    ]
    assert branches == required


# differences between RE2 and ripgrep: expression, text, whether ours matches, whether theirs does
DIVERGENCES = (
    # inside an expression, the engine knows the edges of words in ASCII only
    (r"é\bx", "éx", True, False),
    (r"x+\b-?é", "xé", True, False),
    (r" \bé", " é", False, True),
    # a boundary between what may or may not be a word is the engine's
    (r"\b\S", "é", False, True),
)


@pytest.mark.parametrize(("pattern", "text", "ours", "theirs"), DIVERGENCES)
def test_where_the_engine_differs_from_ripgrep(
    *, pattern: str, text: str, ours: bool, theirs: bool
) -> None:
    assert bool(found(compile_expression(pattern), [text])) == ours
    assert bool(re.search(pattern, text)) == theirs


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        ("a(?=b)", "character 2: look-ahead"),
        ("(?<!a)b", "character 1: look-ahead and look-behind"),
        (r"(a)\1", "character 4: back references"),
        (r"(?P<n>a)(?P=n)", "character 9: back references"),
        ("(?>a)", "atomic"),
        ("ab(", r"character 3: no \) closes this \("),
        ("ab)", r"character 3: no \( opens this \)"),
        ("a[bc", r"character 2: no \] closes this \["),
        ("a[b[c]]", r"character 4: classes can't be nested: write \\\["),
        ("*a", "character 1: nothing to repeat"),
        ("a|{2}", "character 3: nothing to repeat"),
        ("a{2,1}", "character 2: counts are at most 1000"),
        ("a{1001}", "character 2: counts are at most 1000"),
        ("a{,3}", r"character 2: write \{0,n\}"),
        ("a\\", "character 2: nothing follows the backslash"),
        (r"\Aa", r"write \^ and \$"),
        (r"a\z", r"write \^ and \$"),
        (r"\<a", r"write \\b"),
        (r"\b{start}", r"write \\b"),
        (r"\Qa", "quoting"),
        (r"\y", "unknown escape"),
        (r"[b-a]", "the range ends before it begins"),
        (r"[a-\d]", "a range must end with a character"),
        (r"[a&&b]", "set operations are not supported"),
        (r"[[:nothing:]]", "no character class has this name"),
        (r"\x{110000}", "no character has this code"),
        (r"\x{d800}", "no character has this code"),
        ("(?x)a", "the only supported flags are i and s"),
        ("(?-m)a", "the only supported flags are i and s"),
        ("(?#a)", "comments are not supported"),
        ("(?'n'a)", "this kind of group"),
        (r"\p{Nothing}", "no character class has the name"),
        (r"[\p{Alphabetic}]", "no character class has the name"),
        ("a+*+*+*", "too many repetitions"),
        ("a" * 1001, "at most 1000 characters"),
        ("(" * 60 + ")" * 60, "nested at most 50 deep"),
        (r"(?i)[^\Wa]", "can't be combined"),
        ("(?:(?:a{1000}){1000}){1000}", "too large"),
        (r"(?:\w{900}\s{900}){1}(?:x{90}){10}{10}", "too large"),
    ],
)
def test_unsupported_syntax_is_refused_with_its_offset(pattern: str, reason: str) -> None:
    with pytest.raises(Problem, match=reason) as refused:
        compile_expression(pattern)
    assert refused.value.code == "argument_invalid"


@pytest.mark.parametrize(
    ("pattern", "text", "columns"),
    [
        ("struct foo {", "struct foo {", ((0, 12),)),
        ("a{x}", "a{x}", ((0, 4),)),
        ("a}b]", "a}b]", ((0, 4),)),
        (r"\p{Greek}+", "aλμ", ((1, 3),)),
        (r"\P{Greek}+", "λa", ((1, 2),)),
        (r"\pL", "1é", ((1, 2),)),
        (r"\p{Cc}", "a\tb", ((1, 2),)),
        (r"\p{^L}", "a1", ((1, 2),)),
        (r"[[:alpha:]_]+", "1a_b", ((1, 4),)),
        (r"[[:^alpha:]]", "aé", ((1, 2),)),
        (r"[^[:space:]]+", " ab", ((1, 3),)),
        (r"\x{e9}\u00E9\U000000e9", "ééé", ((0, 3),)),
        (r"[\x61-\x62]", "b", ((0, 1),)),
        ("(?P<name>a)(?<other>b)", "ab", ((0, 2),)),
        ("(?i)k", "\u212a", ((0, 1),)),
        ("(?i)\u212a", "k", ((0, 1),)),
        ("(?i)\u017f", "S", ((0, 1),)),
        ("(?i)[\u0160-\u0180]", "s", ((0, 1),)),
        ("a(?i)b|c(?-i)d", "aB Cd", ((0, 2), (3, 5))),
        ("a(?i:b)c", "aBc", ((0, 3),)),
        (r"\s", "\u00a0", ((0, 1),)),
        (r"[^\n]+", "ab", ((0, 2),)),
        (r"[-a]+[a-]", "-a-", ((0, 3),)),
        (r"a\-\ \/\#", "a- /#", ((0, 5),)),
    ],
)
def test_supported_syntax_matches(
    pattern: str, text: str, columns: tuple[tuple[int, int], ...]
) -> None:
    assert found(compile_expression(pattern), [text]) == [(1, columns)]


@pytest.mark.parametrize(
    "pattern", ["a", "a*", "^", "$", "", r"\s", "[^b]", r"[\s\S]", r"\P{L}", r"\p{C}"]
)
def test_no_match_takes_in_the_end_of_a_line(pattern: str) -> None:
    for _, columns in found(compile_expression(pattern), ["a", "", "\t", "ab"]):
        assert all(end <= 2 for _, end in columns)
    assert found(compile_expression("a.*b"), ["a", "b"]) == []


@pytest.mark.parametrize("pattern", ["", "x*", "^", "$", "(?:)", "a|", r"\B|", "x{0}", "^*"])
def test_expressions_that_may_be_empty_match_every_line(pattern: str) -> None:
    lines = [line for line, _ in found(compile_expression(pattern), ["", "a", "xx"])]
    assert lines == [1, 2, 3]


EVIL = (
    "(a+)+$",
    "(a|aa)+$",
    "(a*)*b",
    "(x+x+)+y",
    "(?:a?){50}a{50}",
    "(.*)*=(.*)*",
    "(?:.{0,30}){30}x",
    r"(\w+\s?)+$",
    "[ab]*a[ab]{90}c",
)


@pytest.mark.parametrize("pattern", EVIL)
def test_no_expression_takes_forever(pattern: str) -> None:
    """Backtracking would take ages of the universe."""
    text = "aab" * 3000 + "!"
    begin = time.thread_time()
    found(compile_expression(pattern), [text])
    assert time.thread_time() - begin < 5


def test_lines_too_long_for_a_large_expression_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_MAX_STEPS", 1000)
    made = CompiledExpression(parse("ab+c", folded=False).body, whole_word=False)
    texts = ["abc", "x" * 2000, "", "abbc", "y" * 1500]
    data = "".join(f"{text}\n" for text in texts).encode()
    held, matches = MatchingLines("a.txt", data, 0), made.spans(data)
    held.collect([matches], None)
    assert [match.line for match in held.lines] == [1, 4]
    assert matches.skipped_lines == 2


def test_of_an_expression_too_large_for_unicode_plain_lines_are_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "_MAX_PROGRAM", 100)
    made = CompiledExpression(parse(r"a\w+c", folded=False).body, whole_word=False)
    data = "abc\n\néabc\nno\nabbc\nabé\n".encode()
    held, matches = MatchingLines("a.txt", data, 0), made.spans(data)
    held.collect([matches], None)
    assert [match.line for match in held.lines] == [1, 5]
    assert matches.skipped_lines == 2


def test_all_words_are_those_of_the_table() -> None:
    held = {code for low, high in all_words() for code in range(low, high + 1)}
    for code in [*range(0x3000), *(low for low, _ in OTHER_WORD)]:
        assert (code in held) == is_word(chr(code))


# expressions with matches that may be empty; the engine's own boundaries know ASCII only
EMPTY = ("a*", "x?", r"(?:\B)", "|a", r"(?:\B)|b", r"(?:a|\B)+", "é*?", r"中?(?:\B)", "^|$", "€*")


@given(
    pattern=st.sampled_from(EMPTY) | st.tuples(st.sampled_from(EMPTY), expressions()).map("".join),
    texts=st.lists(rows("ab1_é中€😀x .-"), max_size=5),
)
@example(r"(?:\B)", ["a€b", "日", "é", "a😀😀b"])
def test_an_empty_match_is_never_inside_a_character(pattern: str, texts: list[str]) -> None:
    texts = [text or " " for text in texts]  # in Python's engine, \B does not match in an empty one
    oracle = re.compile(pattern.replace(r"\B", r"(?a:\B)"))
    made = compile_expression(pattern)
    data = "".join(f"{text}\n" for text in texts).encode()
    for one_a_line in (False, True):
        for start, stop in made.spans(data).iter_spans(len(data) - 1, one_a_line=one_a_line):
            assert data[:start].decode() + data[start:stop].decode() + data[stop:].decode()
    assert [line for line, _ in found(made, texts)] == [line for line, _ in wanted(oracle, texts)]


@pytest.mark.parametrize("pattern", ["x*", r"\b", "^", "$", "[a-z]", r"\w+|", "(?i)S?"])
def test_a_line_that_is_only_counted_takes_one_search(pattern: str) -> None:
    data = b"self.value = compute(arguments, of, many, words)\n" * 100
    matches = compile_expression(pattern).spans(data)
    held = MatchingLines("a.py", data, 0)
    held.collect([matches], 0)
    assert (held.count, held.lines) == (100, [])
    assert matches.searches <= 101


@pytest.mark.parametrize("pattern", ["x*", r"\b", "[a-z]", r"\B", "a*"])
def test_the_columns_of_a_long_line_take_a_bounded_number_of_searches(pattern: str) -> None:
    data = ("é, b" * 50_000 + "\n").encode()
    matches = compile_expression(pattern).spans(data)
    held = MatchingLines("a.txt", data, 0)
    held.collect([matches], None)
    assert held.count == 1
    assert matches.searches < 2_500


def test_matches_that_are_empty_do_not_use_up_the_columns() -> None:
    text = "a" * 300 + "xx"
    assert found(compile_expression("x*"), [text]) == [(1, ((300, 302),))]


# none of these matches more than 40 bytes of `PIECES_OF_LINES`
OVER_LINES = (r"foo\nbar", r"(?s)foo.{0,9}?x1", r"^foo$\n\W{0,4}bar", r"\n\n", r"[\n;]foo|x1\s;")
PIECES_OF_LINES = ("foo", "bar", " ", "\n", "\n", ";", "x1", "é", "\n\n", "foo\nbar", "x1\n;")


@given(
    pattern=st.sampled_from(OVER_LINES),
    lines=st.lists(st.lists(st.sampled_from(PIECES_OF_LINES), max_size=6), min_size=60),
    most=st.integers(200, 400),
)
def test_what_is_too_long_for_one_call_is_searched_in_parts(
    pattern: str, lines: list[list[str]], most: int
) -> None:
    made, data = compile_expression(pattern), "".join(f"{''.join(row)}\n" for row in lines).encode()
    wanted_spans = [*made.spans(data).iter_spans(len(data))]
    matches = made.spans(data)
    matches._most = most
    assert [*matches.iter_spans(len(data))] == wanted_spans
    assert matches.skipped_lines == 0


def test_lines_that_no_part_can_have_are_counted() -> None:
    data = b"a\nb\n" + b"x" * 500 + b"\na\nb\n"
    matches = compile_expression(r"a\nb").spans(data)
    matches._most = 100
    assert [*matches.iter_spans(len(data))] == [(0, 3), (505, 508)]
    assert matches.skipped_lines == 1


def test_between_lines_that_are_not_plain_a_large_expression_finds_matches_over_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "_MAX_PROGRAM", 100)
    data = "aé\nab\nc\né\nab\nc\nab\né\nc\nab\nc\n".encode()
    matches = compile_expression(r"a\w\nc").spans(data)
    found_texts = [data[start:stop] for start, stop in matches.iter_spans(len(data))]
    assert found_texts == [b"ab\nc"] * 3
    assert matches.skipped_lines == 3


@pytest.mark.parametrize(
    ("pattern", "feeds"),
    [
        (r"a\nb", 1),
        (r"a\n?b|\n\nc", 2),
        (r"(?:a\n){3}", 3),
        (r"[\n;]{0,4}x", 4),
        (r"\n\w*x.*y", 1),
        (r"\n+", None),
        (r"(?s)a.*b", None),
        (r"a*\n[^x\n]*$", 1),
    ],
)
def test_the_most_line_feeds_of_a_match_are_known(pattern: str, feeds: int | None) -> None:
    assert most_line_feeds(parse(pattern, folded=False).body) == feeds


def test_a_match_of_few_lines_is_never_longer_than_what_parts_have_in_common() -> None:
    data = b"line\n" * 100 + b"foo\nbar\n" + b"line\n" * 100
    for pattern, in_parts in ((r"foo\nbar", False), (r"foo\s*\n+bar", True)):
        matches = compile_expression(pattern).spans(data)
        matches._most = 200
        assert len([*matches.iter_spans(len(data))]) == 1
        assert matches.in_parts == in_parts
