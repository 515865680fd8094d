"""The kind of a question is recognised from its wording."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repo_mcp.research import Intent, parse_question


@pytest.mark.parametrize(
    ("text", "kind", "phrases"),
    [
        (
            "all implementations of Authenticatable",
            Intent.IMPLEMENTATIONS,
            ("Authenticatable",),
        ),
        ("which types conform to Shape?", Intent.IMPLEMENTATIONS, ("Shape",)),
        ("Dialect implementations", Intent.IMPLEMENTATIONS, ("Dialect",)),
        ("what calls authenticate()", Intent.CALLERS, ("authenticate()",)),
        ("who calls `Foo.bar`?", Intent.CALLERS, ("`Foo.bar`",)),
        ("callers of callers of save", Intent.CALLERS, ("save",)),
        ("what calls override()", Intent.CALLERS, ("override()",)),
        ("What does Pipeline.load call?", Intent.CALLEES, ("Pipeline.load",)),
        ("what depends on src/core", Intent.DEPENDENTS, ("src/core",)),
        ("where is DataCache used", Intent.DEPENDENTS, ("DataCache",)),
        ("what does the parser depend on", Intent.DEPENDENCIES, ("the parser",)),
        ("impact of changing Logger", Intent.IMPACT, ("Logger",)),
        ("what breaks if I rename foo_bar", Intent.IMPACT, ("foo_bar",)),
        ("which tests cover parse_it", Intent.IMPACT, ("parse_it",)),
        ("how does Request flow to send_it", Intent.CONNECTION, ("Request", "send_it")),
        ("path from main to send", Intent.CONNECTION, ("main", "send")),
        ("Foo -> Bar.baz", Intent.CONNECTION, ("Foo", "Bar.baz")),
        ("what is ImagePipeline", Intent.DEFINITION, ("ImagePipeline",)),
        ("ImagePipeline", Intent.DEFINITION, ("ImagePipeline",)),
        ("overall architecture", Intent.ARCHITECTURE, ()),
        ("dependencies", Intent.DEPENDENCIES, ()),
        ("error handling", Intent.PATTERNS, ()),
        ("how does caching work", Intent.FLOW, ("caching",)),
        ("retry timeouts", Intent.SEARCH, ()),
        ("", Intent.SEARCH, ()),
    ],
)
def test_the_wording_decides_the_kind(text: str, kind: Intent, phrases: tuple[str, ...]) -> None:
    found = parse_question(text)
    assert (found.kind, found.phrases) == (kind, phrases)


@given(st.text(max_size=300))
def test_any_text_is_a_question(text: str) -> None:
    found = parse_question(text)
    assert isinstance(found.kind, Intent)
    assert all(phrase.strip() for phrase in found.phrases)
    assert not any("\x00" <= char < " " for char in found.text)


@given(st.sampled_from(["what calls ", "how does ", "impact of changing ", "a.b ", "((", "`"]))
def test_long_questions_are_cut(part: str) -> None:
    assert len(parse_question(part * 2_000).text) <= 500
