"""Intended query syntax is parsed; everything else stays words."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, strategies as st

from index_format.analysis.words import terms
from repo_mcp.question.syntax.query import ParsedQuery, parse_query
from repo_mcp.question.syntax.tree import All, Any, Condition, Filter, Not, Phrase, Prefix, Word

PLAIN = r"""
std::vector<int> x
foo->bar(baz)
IS NOT NULL
SELECT * FROM t WHERE a AND b
select a from t where a AND b
http://x:80
file:///etc/hosts
what does "x" mean
C:\path
error: foo
TypeError: can't read property 'x' of undefined
File "/usr/lib/x.py", line 3, in <module>
--flag -x
gcc -Wall -O2 foo.c
find . -name foo
./configure -prefix
tar -xzf a -verbose --all
key: value
symbol: foo
body::foo
path:=foo
*args
**kwargs
a*b
def f(*args, **kwargs)
char* buf
x*
foo*,
(foo bar
foo) bar
(foo bar)
function (arg)
()
"foo bar
foo "bar
" "
x = "hello world"
printf("hello world")
{method:'POST', body:JSON.stringify(x)}
if (a == b AND c)
a && b || c
a AND
AND b
a AND = b
-foo
why must you NOT sleep here
HTTP status NOT FOUND
DO NOT USE THIS
TODO OR FIXME
AND OR NOT
a - b
PERFORMANCE OF THE DATA FILES OR SOFTWARE. is copyright
foo +0100 bar
foo file:line:column
foo path:a/b.c:12
the *argument type* is used
x -1
foo -ab
foo -bar baz
-foo bar
a +b
+++ b/x
ext:
path:
ext:( foo
[a TO b]
foo~2 bar^3
/foo.*/
a AND b\nc
"a b"\nc
""".strip().split("\n")

A, B, C = (Word(None, text) for text in "abc")
FOO, BAR, BAZ = (Word(None, text) for text in ("foo", "bar", "baz"))
UNDERSTOOD: list[tuple[str, str, Condition | None, tuple[Filter, ...]]] = [
    ("foo AND bar", "foo bar", All((FOO, BAR)), ()),
    ("foo OR bar", "foo bar", Any((FOO, BAR)), ()),
    ("foo NOT bar", "foo", Not(BAR), ()),
    ("foo AND NOT bar", "foo", All((FOO, Not(BAR))), ()),
    ("NOT foo AND bar", "bar", All((Not(FOO), BAR)), ()),
    ("kmalloc NOT GFP_ATOMIC", "kmalloc", Not(Word(None, "GFP_ATOMIC")), ()),
    ("A_B AND C_D", "A_B C_D", All((Word(None, "A_B"), Word(None, "C_D"))), ()),
    ("fast foo AND bar", "fast foo bar", All((FOO, BAR)), ()),
    ("(foo bar) AND baz", "foo bar baz", All((Any((FOO, BAR)), BAZ)), ()),
    ("((foo)) AND bar", "foo bar", All((FOO, BAR)), ()),
    ("foo AND bar) OR baz", "foo bar baz", Any((All((FOO, BAR)), BAZ)), ()),
    ("foo AND (bar OR baz", "foo bar baz", Any((All((FOO, BAR)), BAZ)), ()),
    ("foo() AND bar()", "foo() bar()", All((Word(None, "foo()"), Word(None, "bar()"))), ()),
    ('foo AND "x"', "foo x", All((FOO, Word(None, "x"))), ()),
    ("+foo bar", "foo bar", FOO, ()),
    ("foo -bar", "foo", Not(BAR), ()),
    ("foo baz -bar", "foo baz", Not(BAR), ()),
    ("foo -bar -baz", "foo", All((Not(BAR), Not(BAZ))), ()),
    ("foo -bar.baz -x::y", "foo", All((Not(Word(None, "bar.baz")), Not(Word(None, "x::y")))), ()),
    ("foo -(bar OR baz)", "foo", Not(Any((BAR, BAZ))), ()),
    ("foo AND -bar", "foo", All((FOO, Not(BAR))), ()),
    ("foo NOT -bar", "foo", Not(BAR), ()),
    ('"foo bar"', "foo bar", Phrase("foo bar"), ()),
    ('baz "foo bar" qux', "baz foo bar qux", Phrase("foo bar"), ()),
    ('-"foo bar" baz', "baz", Not(Phrase("foo bar")), ()),
    ('"foo.bar"', "foo.bar", Phrase("foo.bar"), ()),
    ('("foo bar")', "foo bar", Phrase("foo bar"), ()),
    ('doc:"foo bar" baz', "foo bar baz", Phrase("foo bar", "doc"), ()),
    ("alloc* page", "alloc page", Prefix(None, "alloc"), ()),
    ("symbol:foo* bar", "foo bar", Prefix("symbol", "foo"), ()),
    ("symbol:foo", "foo", Word("symbol", "foo"), ()),
    ("content:foo bar", "foo bar", Word("body", "foo"), ()),
    ('symbol:"foo" bar', "foo bar", Word("symbol", "foo"), ()),
    ("symbol:(a OR doc:b) c", "a b c", Any((Word("symbol", "a"), Word("doc", "b"))), ()),
    ("path:net socket", "socket", Word("path", "net"), ()),
    ("path:net", "net", Word("path", "net"), ()),
    ("file:main foo", "foo", Word("name", "main"), ()),
    ("foo -path:vendor", "foo", Not(Word("path", "vendor")), ()),
    ("foo file:x.py", "foo", None, (Filter("path", "x.py"),)),
    ("path:a/*.c, foo", "foo", None, (Filter("path", "a/*.c"),)),
    ('path:"my dir/x" foo', "foo", None, (Filter("path", "my dir/x"),)),
    ("-path:vendor/ foo", "foo", None, (Filter("path", "vendor/", negated=True),)),
    ("foo NOT ext:c", "foo", None, (Filter("ext", "c", negated=True),)),
    ("ext:py,pyi foo", "foo", None, (Filter("ext", "py,pyi"),)),
    ("ext:.py AND foo", "foo", FOO, (Filter("ext", ".py"),)),
    ("ext:py", "py", None, (Filter("ext", "py"),)),
    ("ext:py AND", "py", None, (Filter("ext", "py"),)),
    ("language:c++ foo", "foo", None, (Filter("lang", "c++"),)),
    ("foo (ext:c OR ext:h)", "foo", Any((Filter("ext", "c"), Filter("ext", "h"))), ()),
    ('x = "a b" path:src/', 'x = "a b"', None, (Filter("path", "src/"),)),
    ("foo AND foo AND bar", "foo foo bar", All((FOO, BAR)), ()),
]


@pytest.mark.parametrize("text", PLAIN)
def test_text_that_only_looks_like_syntax_is_words(text: str) -> None:
    text = text.replace(r"\n", "\n")
    assert parse_query(text) == ParsedQuery(text)


@pytest.mark.parametrize(
    ("text", "excluded"),
    [
        ("NOT foo", "foo"),
        ("NOT NOT foo", "foo"),
        ("NOT foo NOT bar", "foo bar"),
        ("-path:vendor", "vendor"),
        ("-ext:py", "py"),
    ],
)
def test_a_query_that_only_excludes_has_no_words_to_rank_by(text: str, excluded: str) -> None:
    found = parse_query(text)
    assert (found.plain, found.excluded) == ("", excluded)
    assert found.condition is not None or found.filters


@pytest.mark.parametrize(("text", "plain", "condition", "filters"), UNDERSTOOD)
def test_intended_syntax_is_parsed(
    text: str, plain: str, condition: Condition | None, filters: tuple[Filter, ...]
) -> None:
    assert parse_query(text) == ParsedQuery(plain, condition, filters)


@given(
    st.text(alphabet=st.characters(exclude_characters='"*+-:', exclude_categories=()), max_size=200)
)
def test_text_without_marks_is_left_as_it_is(text: str) -> None:
    small = text.lower()
    found = parse_query(small)
    # only a printed message without marks has parts that count as quoted
    assert found == ParsedQuery(small, quoted=found.quoted, is_message=bool(found.quoted))


PIECES = ["a", "foo", "Bar", "AND", "OR", "NOT", "(", ")", '"', "*", "+", "-", ":", " ", " ", "\\"]
PIECES += ["symbol:", "path:", "ext:", "lang:", "/", "x_y", "=", "\u00e9", "\ud800", "\u3000", "{"]


def is_sensible(text: str) -> None:
    found = parse_query(text)
    if found == ParsedQuery(text, quoted=found.quoted, is_message=found.is_message):
        return
    assert found.condition is not None or found.filters
    # a query that only excludes ranks by nothing, and what it excludes may be marks: -ext:+
    assert terms(found.plain) or (found.excluded and not found.plain)
    assert set(terms(found.plain or found.excluded)) <= set(terms(text.replace(":", " ")))


@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_odd_syntax_gives_a_sensible_query(pieces: list[str]) -> None:
    is_sensible("".join(pieces))


@given(st.text(max_size=300))
def test_any_text_gives_a_sensible_query(text: str) -> None:
    is_sensible(text)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 2000,
        '"' * 2000,
        "a AND " * 300,
        "symbol:(" * 200,
        "(a AND " * 65,
        "path:" + "*a" * 900,
    ],
)
def test_queries_beyond_the_limits_are_words(text: str) -> None:
    assert parse_query(text) == ParsedQuery(text)


@pytest.mark.parametrize("piece", ["(", '"', "a AND b ", "-", "x* ", "foo:bar ", 'path:"'])
def test_pasted_junk_is_words(piece: str) -> None:
    text = piece * (100_000 // len(piece))
    assert parse_query(text) == ParsedQuery(text)


def test_operands_are_parsed_up_to_a_limit() -> None:
    words = [f"word{number}" for number in range(65)]
    most = " AND ".join(words[:64])
    assert parse_query(most).condition == All(tuple(Word(None, word) for word in words[:64]))
    more = " AND ".join(words)
    assert parse_query(more) == ParsedQuery(more)


def test_brackets_nested_too_deeply_are_dropped() -> None:
    text = "(" * 40 + "a AND b" + ")" * 40
    assert parse_query(text) == ParsedQuery("a b", All((A, B)))


def test_a_query_that_whoosh_fails_to_parse_is_words(monkeypatch: pytest.MonkeyPatch) -> None:
    from repo_mcp.question.syntax import nesting  # noqa: PLC0415 it is loaded only when needed

    def stumble(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr(nesting, "parse_nested", stumble)
    assert parse_query("a AND b") == ParsedQuery("a AND b")


@pytest.mark.servers
def test_the_parser_is_not_loaded_for_plain_words() -> None:
    program = (
        "import sys; from repo_mcp.question.syntax.query import parse_query;"
        "parse_query('plain words, (all)');"
        "print([name for name in sys.modules if name.startswith('repo_mcp.question.syntax.')])"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "['repo_mcp.question.syntax.query']"


@pytest.mark.servers
@pytest.mark.parametrize(
    ("text", "loaded"),
    [
        ("std::vector<int> x", False),
        ("how does this (and that) work", False),
        ('foo "foo bar" (ext:py) -baz', False),
        ("a AND b", True),
        ("foo -(a b)", True),
    ],
)
def test_whooshs_parser_is_loaded_only_to_nest(text: str, loaded: bool) -> None:  # noqa: FBT001
    program = (
        "import sys; from repo_mcp.question.syntax.query import parse_query;"
        "parse_query(sys.argv[1]); print('whoosh.qparser' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", program, text], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == str(loaded)


# trees of words and operators, and how they are written


def negated(tree: Condition) -> Condition:
    return Not(tree)


WORDS: st.SearchStrategy[Condition] = st.sampled_from([A, B, C, FOO])
TREES = st.recursive(
    WORDS,
    lambda inner: st.one_of(
        inner.map(negated),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: All(tuple(parts))),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: Any(tuple(parts))),
    ),
    max_leaves=8,
)


def written(tree: Condition, outside: int = 0) -> str:
    """The query of a tree, with only the brackets that operator precedence needs."""
    match tree:
        case Word(_, text):
            return text
        case Not(part):
            binding, text = 3, f"NOT {written(part, 4)}"
        case All(parts):
            binding, text = 2, " AND ".join(written(part, 3) for part in parts)
        case Any(parts):
            binding, text = 1, " OR ".join(written(part, 2) for part in parts)
        case _:
            raise ValueError(tree)
    return f"({text})" if binding < outside else text


def holds(tree: Condition, held: frozenset[str]) -> bool:
    match tree:
        case Word(_, text):
            return text in held
        case Not(part):
            return not holds(part, held)
        case All(parts):
            return all(holds(part, held) for part in parts)
        case Any(parts):
            return any(holds(part, held) for part in parts)
    raise ValueError(tree)


WORLDS = [
    frozenset(word for at, word in enumerate(["a", "b", "c", "foo"]) if world >> at & 1)
    for world in range(16)
]


@given(TREES)
def test_a_condition_is_true_when_what_was_written_is(tree: Condition) -> None:
    found = parse_query(f"{written(tree, 2)} AND needle")
    assert found.condition is not None
    worlds = [world | {"needle"} for world in WORLDS]
    assert [holds(found.condition, w) for w in worlds] == [holds(tree, w) for w in worlds]
    assert [holds(found.condition, w) for w in WORLDS] == [False] * len(WORLDS)
