"""The limit of a syntax tree's levels, against a walk of all its nodes."""

from __future__ import annotations

import ast
import sysconfig
import warnings
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from code_graph.languages.python.source import is_too_deep

LIBRARY = Path(sysconfig.get_path("stdlib"))
TEXTS = {
    "decorator": "@a" + ".b" * 30 + "\ndef f(): pass\n",
    "decorator in the line of another": "class A:\n  @a" + ".b" * 30 + "\n  class B: pass\n",
    "elif": "if x: pass\n" + "elif x: pass\n" * 30,
    "f-string": "x = f'{a" + ".b" * 30 + "}'\n",
    "f-string of lines": "x = f'''\n\n{a" + ".b" * 30 + "}\n{\na" + ".b" * 30 + "}'''\n",
    "default": "def f(x=a" + ".b" * 30 + "): pass\n",
    "keyword": "f(x=a" + ".b" * 30 + ")\n",
    "lambda": "x = " + "lambda:" * 30 + "1\n",
    "minus": "x = " + "-" * 30 + "1\n",
    "two in a line": "x = 1; y = 1" + "+1" * 30 + "\n",
    "wide": "x = [" + "1, " * 30 + "]\n",
}


def levels(tree: ast.Module) -> int:
    deepest = 0
    waiting: list[tuple[int, ast.AST]] = [(0, tree)]
    while waiting:
        level, node = waiting.pop()
        deepest = max(deepest, level)
        children = (child for child in ast.iter_child_nodes(node) if child._fields)
        waiting += [(level + 1, child) for child in children]
    return deepest


def check(text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    deepest = levels(tree)
    found = [is_too_deep(tree, text, most) for most in range(1, deepest + 3)]
    assert found == [most < deepest for most in range(1, deepest + 3)]


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_longest_chain_of_nodes_is_found(text: str) -> None:
    check(text)


@pytest.mark.parametrize("name", ["ast", "dataclasses", "typing", "test/test_fstring"])
def test_it_is_found_in_the_library(name: str) -> None:
    path = LIBRARY / f"{name}.py"
    if not path.exists():
        pytest.skip("this installation has no tests")
    check(path.read_text("utf-8"))


def around(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    forms = (
        "({}) [{}] -{} {}.b {}() f({}) f(k={}) {}[0] x[{}:] lambda:{} {{1:{}}} f'{{{}}}' (\n{}\n)"
    )
    return st.tuples(st.sampled_from(forms.split(" ")), inner).map(
        lambda pair: pair[0].format(pair[1])
    ) | st.tuples(inner, inner).map("+".join)


EXPRESSIONS = st.recursive(st.sampled_from(["x", "1"]), around)
STATEMENTS = st.sampled_from(
    ["{}", "x = {}", "@{}\ndef f(): pass", "def f(a={}):\n  if a:\n    return {}", "if {}: pass"]
)


@given(st.lists(st.tuples(STATEMENTS, EXPRESSIONS), max_size=4))
def test_it_is_found_in_any_text_that_is_parsed(statements: list[tuple[str, str]]) -> None:
    text = "\n".join(form.replace("{}", inner) for form, inner in statements)
    try:
        ast.parse(text)
    except SyntaxError:  # a string in itself
        return
    check(text)
