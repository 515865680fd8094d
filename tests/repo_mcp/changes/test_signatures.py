"""Parameters and arguments of many languages, and whether they go together."""

from __future__ import annotations

import pytest

from code_graph import Languages
from code_graph.brackets import split_at_commas
from code_graph.facts import Declaration
from code_graph.languages.python.annotations import annotation_key
from code_graph.model import EdgeType
from code_graph.parameters import parameters_of
from repo_mcp.changes.differences import SignatureDifference
from repo_mcp.changes.signatures import arguments_at, full_parameters, misfit
from repo_mcp.indexing.build.builder import make_facts

# names, those that may be left out in brackets, and of any number with a star
PARAMETERS = [
    ("(self, a, b: int = 3, *args, c, d=4, **kw)", "a [b] *args c [d] *kw"),
    ("(a, /, b)", "a b"),
    ("(a, *, b)", "a b"),
    ("(private a: number, b?: string, ...rest: T[])", "a [b] *rest"),
    ("(final int a, Map<String, List<U>> b)", "a b"),
    ("(int a, String... b)", "a *b"),
    ('(ref int a, params int[] xs, string b = "x, y")', "a *xs [b]"),
    ("(this A a, int b)", "[a] b"),
    ("(&mut self, a: i32, b: Option<&str>)", "a b"),
    ("(int a, char *b, ...)", "a b *..."),
    ("(T a, std::map<int, int> b)", "a b"),
    ("(a: Int, vararg b: String, c: (Int) -> Unit = {})", "a *b [c]"),
    ("(int &$a, ...$r)", "a *r"),
    ("(a, # first, of two\n b)", "a b"),
    ("(void)", ""),
    ("()", ""),
    ("", ""),
]


@pytest.mark.parametrize(("text", "expected"), PARAMETERS)
def test_parameters_are_read_in_any_language(text: str, expected: str) -> None:
    found = [
        f"*{item.name}" if item.is_many else f"[{item.name}]" if item.is_optional else item.name
        for item in parameters_of(text)
    ]
    assert " ".join(found) == expected


def test_names_stand_before_types_in_go() -> None:
    found = parameters_of("(a, b int, c ...string)", names_first=True)
    assert [item.name for item in found] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "positional", "names"),
    [
        ("f(a, b=1)", 1, {"b"}),
        ("f(x for x in y)", 1, set()),
        ("f<T>(a, {b: 1}, g(1, 2))", 3, set()),
        ("f::<T>(a)", 1, set()),
        ("f[int](3)", 1, set()),
        ("f(a, b: 2)", 1, {"b"}),
        ("f(\"a,b\", 'c', d ? e : f)", 3, set()),
        ("f(\n  a,  # x, y\n  b,\n)", 2, set()),
        ("f(a, // x, y\n b)", 2, set()),
        ("f!(a, b)", 2, set()),
        ("f()", 0, set()),
    ],
)
def test_arguments_are_counted(text: str, positional: int, names: set[str]) -> None:
    found = arguments_at(text, 1)
    assert found is not None
    assert (found.positional, set(found.names), found.has_spread) == (positional, names, False)


@pytest.mark.parametrize("text", ["f", "f + (1)"[:1], "f(a", "f.b(1)", "f = (1)"])
def test_no_call_has_no_arguments(text: str) -> None:
    assert arguments_at(text, 1) is None


@pytest.mark.parametrize(
    ("call", "fits"),
    [
        ("f(1)", True),
        ("f(1, 2)", True),
        ("f(a=1)", True),
        ("f()", False),
        ("f(1, 2, 3)", False),
        ("f(1, c=2)", False),
        ("f(*x)", True),
        ("f(**x)", True),
        ("f(b=2)", False),
    ],
)
def test_arguments_go_with_parameters_or_do_not(call: str, *, fits: bool) -> None:
    given = arguments_at(call, 1)
    assert given is not None
    assert (misfit(parameters_of("(self, a, b: int = 3)"), given) == "") == fits


# the parameters and the result before and after, a call, and whether it may break, or surely does
DIFFERENCES = [
    ("(a, b)", "", "(a)", "", "f(1, 2)", "breaks"),
    ("(a, b)", "", "(a, b, c=1)", "", "f(1, 2)", ""),
    ("(a, b)", "", "(b, a)", "", "f(1, 2)", "may"),
    ("(a, b)", "", "(b, a)", "", "f(a=1, b=2)", ""),
    ("(a, b)", "", "(a, x=0, b=1)", "", "f(1, 2)", "may"),
    ("(a, b)", "", "(a, c)", "", "f(1, 2)", ""),
    ("(a, b)", "", "(a, c)", "", "f(1, b=2)", "breaks"),
    ("(a: int)", "", "(a: str)", "", "f(1)", "may"),
    ("(a: int, b: int = 1)", "", "(a: int, b: str = '')", "", "f(1)", ""),
    ("(a: List[int])", "", "(a: list[int])", "", "f(1)", ""),
    ("(a)", "int", "(a)", "str", "f(1)", "may"),
    ("(a)", "", "(a)", "str", "f(1)", ""),
    ("(a)", "Optional[A]", "(a)", "A | None", "f(1)", ""),
    ("(a)", "", "(a, b)", "", "f(1, 2, 3)", "may"),  # as it is read here it never fitted
    ("(a)", "", "(a, b)", "", "f", "may"),
]


@pytest.mark.parametrize(("old", "gave", "new", "gives", "call", "expected"), DIFFERENCES)
def test_a_call_breaks_by_what_differs(
    old: str, gave: str, new: str, gives: str, call: str, expected: str
) -> None:
    def declared(parameters: str, returns: str) -> Declaration:
        return Declaration("function", "f", 1, 1, 1, 4, parameters=parameters, returns=returns)

    sides = declared(old, gave), declared(new, gives)
    difference = SignatureDifference(*sides, "python", (old, new))
    found = difference.why(EdgeType.CALLS, arguments_at(call, 1), is_near=False)
    verdict = "" if found is None else "breaks" if found.is_sure else "may"
    assert verdict == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("t.List['A']", "list[A]"),
        ("Optional[Dict[str, int]]", "dict[str, int] | None"),
        ("typing.Union[A, List[B]]", "A | list[B]"),
    ],
)
def test_annotations_of_one_type_are_the_same(one: str, other: str) -> None:
    assert annotation_key(one) == annotation_key(other)


def test_commas_in_brackets_and_texts_do_not_count() -> None:
    found = split_at_commas("a[1, 2], f(b, c), 'd, e', Map<K, V> m, x < y, z")
    assert found == ["a[1, 2]", "f(b, c)", "'d, e'", "Map<K, V> m", "x < y", "z"]


def test_very_many_parameters_are_read_from_the_file() -> None:
    names = ", ".join(f"parameter_{number}" for number in range(100))
    text = f"x = 1\n\n\ndef f({names}):\n    pass\n"
    facts = make_facts(Languages(), "a.py", text)
    assert facts is not None
    declared = next(item for item in facts.declarations if item.name == "f")
    assert full_parameters(declared, text.encode()) == f"({names})"


def test_dots_of_a_type_stand_for_no_list_of_arguments() -> None:
    old, new = (
        parameters_of(text)
        for text in ("(a: tuple[str, ...], b: bool = False)", "(c, a: tuple[str, ...], b=False)")
    )
    assert not any(item.is_many for item in (*old, *new))
    given = arguments_at('f(("x",), b=True)', 1)
    assert given is not None
    assert misfit(old, given) == ""
    assert misfit(new, given) == "`a` is not given"
