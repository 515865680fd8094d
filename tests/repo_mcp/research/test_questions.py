"""The kind of a question is recognised from its wording."""

from __future__ import annotations

import pytest

from repo_mcp.question.kinds import Intent, parse_question
from repo_mcp.research.service import read_question


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
        ("which tests cover parse_it", Intent.TESTS, ("parse_it",)),
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
    assert read_question(parse_question(text)) == (kind, phrases)
