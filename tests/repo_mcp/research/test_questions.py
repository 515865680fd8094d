"""The kind of a question is recognised from its wording."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.research import Kind, parse_question


@pytest.mark.parametrize(
    ("text", "kind", "phrases"),
    [
        ("all implementations of Authenticatable", Kind.IMPLEMENTATIONS, ("Authenticatable",)),
        ("which types conform to Shape?", Kind.IMPLEMENTATIONS, ("Shape",)),
        ("Dialect implementations", Kind.IMPLEMENTATIONS, ("Dialect",)),
        ("what calls authenticate()", Kind.CALLERS, ("authenticate()",)),
        ("who calls `Foo.bar`?", Kind.CALLERS, ("`Foo.bar`",)),
        ("callers of callers of save", Kind.CALLERS, ("save",)),
        ("what calls override()", Kind.CALLERS, ("override()",)),
        ("What does Pipeline.load call?", Kind.CALLEES, ("Pipeline.load",)),
        ("what depends on src/core", Kind.DEPENDENTS, ("src/core",)),
        ("where is DataCache used", Kind.DEPENDENTS, ("DataCache",)),
        ("what does the parser depend on", Kind.DEPENDENCIES, ("the parser",)),
        ("impact of changing Logger", Kind.IMPACT, ("Logger",)),
        ("what breaks if I rename foo_bar", Kind.IMPACT, ("foo_bar",)),
        ("which tests cover parse_it", Kind.IMPACT, ("parse_it",)),
        ("how does Request flow to send_it", Kind.CONNECTION, ("Request", "send_it")),
        ("path from main to send", Kind.CONNECTION, ("main", "send")),
        ("Foo -> Bar.baz", Kind.CONNECTION, ("Foo", "Bar.baz")),
        ("what is ImagePipeline", Kind.DEFINITION, ("ImagePipeline",)),
        ("ImagePipeline", Kind.DEFINITION, ("ImagePipeline",)),
        ("overall architecture", Kind.ARCHITECTURE, ()),
        ("dependencies", Kind.DEPENDENCIES, ()),
        ("error handling", Kind.PATTERNS, ()),
        ("how does caching work", Kind.FLOW, ("caching",)),
        ("retry timeouts", Kind.SEARCH, ()),
        ("", Kind.SEARCH, ()),
    ],
)
def test_the_wording_decides_the_kind(text: str, kind: Kind, phrases: tuple[str, ...]) -> None:
    found = parse_question(text)
    assert (found.kind, found.phrases) == (kind, phrases)


@given(st.text(max_size=300))
def test_any_text_is_a_question(text: str) -> None:
    found = parse_question(text)
    assert isinstance(found.kind, Kind)
    assert all(phrase.strip() for phrase in found.phrases)
    assert not any("\x00" <= char < " " for char in found.text)


@given(st.sampled_from(["what calls ", "how does ", "impact of changing ", "a.b ", "((", "`"]))
def test_long_questions_are_cut(part: str) -> None:
    assert len(parse_question(part * 2_000).text) <= 500
