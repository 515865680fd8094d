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


_GO = "package shop\n\nfunc (t *Till) Pay() int {\n\treturn 1\n}\n"


@pytest.fixture
def go(tmp_path: Path) -> Caller:
    """Methods whose type is in another file, of a name that generated code has, too."""
    root = tmp_path / "root"
    files = {"go.mod": "module example.com/shop\n\ngo 1.22\n", "shop/pay.go": _GO}
    files["shop/till.go"] = "package shop\n\ntype Till struct{}\n"
    files["gen/shop.pb.go"] = "package gen\n\nfunc Pay() int {\n\treturn 1\n}\n"
    commit(root, files, "made")
    wide = "".join(f"func Many{number}() int {{\n\treturn 1\n}}\n\n" for number in range(120))
    changed = {"shop/pay.go": _GO.replace("1", "2"), "shop/many.go": f"package shop\n\n{wide}"}
    commit(root, changed, "paid")
    again = {"shop/pay.go": _GO.replace("1", "3"), "shop/many.go": changed["shop/many.go"]}
    again["shop/many.go"] = again["shop/many.go"].replace("return 1", "return 2")
    commit(root, again, "paid again")
    found = Caller(root, tmp_path / "data")
    found.result("repo.refresh_index")
    return found


@pytest.mark.parametrize("name", ["Till.Pay", "shop.Till.Pay", "Pay", "shop:Pay"])
def test_a_method_is_found_whose_type_another_file_declares(go: Caller, name: str) -> None:
    answer = go.app.call("repo.history", {"symbol": name}, lambda: False)
    found = answer["structuredContent"]["result"]
    assert [item["subject"] for item in found["commits"]] == ["paid again", "paid", "made"]
    told = [item for item in answer["structuredContent"]["warnings"] if "gen/shop" in str(item)]
    assert bool(told) == (name == "Pay")


def test_a_commit_is_asked_for_by_a_glob(go: Caller) -> None:
    rev = "HEAD"
    asked = {"rev": rev, "path": "**/pay.go"}
    answer = go.app.call("repo.history", asked, lambda: False)["structuredContent"]["result"]
    (entry,) = answer["commits"]
    assert entry["files"] == ["shop/pay.go"]
    refused = go.refusal("repo.history", rev=rev, path="*.rs")
    assert "2 files" in str(refused)


def test_files_whose_lines_do_not_fit_are_named_with_their_declarations(go: Caller) -> None:
    asked = {"rev": "HEAD", "max_chars": 2000}
    answer = go.app.call("repo.history", asked, lambda: False)["structuredContent"]["result"]
    (entry,) = answer["commits"]
    named = [hunk for hunk in entry["hunks"] if not hunk["text"]]
    # a name once in each row, and not for each hunk
    rows = {hunk["path"]: hunk["symbols"] for hunk in named}
    assert rows.keys() <= {"shop/many.go", "shop/pay.go"}
    assert rows["shop/pay.go"] == ["Till.Pay"]
    assert answer["truncated"]
