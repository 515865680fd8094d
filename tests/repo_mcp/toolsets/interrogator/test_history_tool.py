"""`repo.history` about declarations by the names that search shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.repo_mcp.changes.reviews import commit
from tests.repo_mcp.toolsets.interrogator.calls import Caller

pytestmark = pytest.mark.servers

_SPEC = """describe('Details', () => {
  it('should open share links and mails', () => {
    expect(1).toBe(1)
  })
  test("adds 1.5 (to it)", () => { expect(2).toBe(2) })
})
"""


@pytest.fixture
def call(tmp_path: Path) -> Caller:
    root = tmp_path / "root"
    commit(root, {"a.spec.js": _SPEC, "b.js": "export const mails = 1\n"}, "made")
    commit(root, {"a.spec.js": _SPEC.replace("toBe(1)", "toBe(3)")}, "the first one")
    commit(root, {"a.spec.js": _SPEC.replace("toBe(2)", "toBe(4)")}, "both")
    found = Caller(root, tmp_path / "data")
    found.result("repo.refresh_index")
    return found


@pytest.mark.parametrize(
    ("name", "subjects"),
    [
        ("should open share links and mails", ["both", "the first one", "made"]),
        ("Details.should open share links and mails", ["both", "the first one", "made"]),
        ("adds 1.5 (to it)", ["both", "made"]),
        ("Details.adds 1.5 (to it)", ["both", "made"]),
    ],
)
def test_a_test_is_found_by_its_title(call: Caller, name: str, subjects: list[str]) -> None:
    # lines of a hunk are indented in the text, so that the checks of the caller don't hold
    answer = call.app.call("repo.history", {"symbol": name}, lambda: False)
    found = answer["structuredContent"]["result"]
    assert [item["subject"] for item in found["commits"]] == subjects
    shown = call.result("repo.symbol", name=name)
    assert shown["path"] == "a.spec.js"


@pytest.mark.parametrize("name", ["should open share links", "links and mails", "no such"])
def test_a_part_of_a_title_is_no_name(call: Caller, name: str) -> None:
    refused = call.refusal("repo.history", symbol=name)
    assert "path:line" in refused["hint"]
