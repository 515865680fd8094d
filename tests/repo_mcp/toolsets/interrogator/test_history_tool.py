"""`repo.history` about declarations by the names that search shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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


_SECOND = "  int pay(int one, int two)"
_LICENCE = "".join(f"// line {number} of a licence\n" for number in range(30))
_TILL = (
    f"{_LICENCE}class Till {{\n"
    "  int pay(int one) {\n    return one;\n  }\n\n"
    "  int other() {\n    return 0;\n  }\n\n"
    f"{_SECOND} {{\n"
    "    return one + two;\n  }\n}\n"
)


@pytest.fixture
def till(tmp_path: Path) -> Caller:
    """Overloads in one file, each changed by a commit of its own."""
    root = tmp_path / "root"
    commit(root, {"shop/Till.java": _TILL}, "made")
    first = _TILL.replace("return one;", "return one + 1;")
    commit(root, {"shop/Till.java": first}, "the first")
    second = first.replace("one + two", "two + one")
    commit(root, {"shop/Till.java": second}, "the second")
    last = second.replace("return 0", "return 1").replace("one + 1", "one + 2")
    last = last.replace(_SECOND, "  int made() {\n    return 5;\n  }\n\n" + _SECOND)
    commit(root, {"shop/Till.java": last, "a.txt": "text\n"}, "several")
    found = Caller(root, tmp_path / "data")
    found.result("repo.refresh_index")
    return found


def _history(call: Caller, **given: object) -> dict[str, Any]:
    answer = call.app.call("repo.history", given, lambda: False)["structuredContent"]
    assert answer["ok"], answer
    found: dict[str, Any] = answer["result"]
    return found


def test_a_name_is_about_all_overloads_of_a_file(till: Caller) -> None:
    found = _history(till, symbol="Till.pay")["commits"]
    subjects = ["several", "the second", "the first", "made"]
    assert [item["subject"] for item in found] == subjects
    lines = [[hunk["line"] for hunk in item["hunks"]] for item in found]
    assert lines == [[33], [41], [33], [32]]


def test_each_hunk_says_which_overload_it_is_in(till: Caller) -> None:
    found = _history(till, symbol="Till.pay")
    inside = [[hunk["symbols"] for hunk in item["hunks"]] for item in found["commits"]]
    assert inside[1:3] == [[["pay:44"]], [["pay:32"]]]
    answer = till.app.call("repo.history", {"symbol": "Till.pay"}, lambda: False)
    (warning,) = answer["structuredContent"]["warnings"]
    assert "follows 2 overloads" in warning
    assert not _history(till, symbol="shop/Till.java:33")["commits"][0]["hunks"][0].get("symbols")


def test_words_that_are_a_title_give_its_commit_before_all_others(tmp_path: Path) -> None:
    root = tmp_path / "root"
    for number, subject in enumerate(("Mend till (#12)", "Mend till, till and till", "Other")):
        commit(root, {"a.txt": f"mend till {number}\n"}, subject)
    call = Caller(root, tmp_path / "data")
    call.result("repo.refresh_index")
    first = _history(call, words="mend  till")
    assert [item["subject"] for item in first["commits"]] == ["Mend till (#12)"]
    others = _history(call, words="mend  till", cursor=first["cursor"])
    found = [item["subject"] for item in others["commits"]]
    assert sorted(found) == ["Mend till, till and till", "Other"]
    assert not others.get("truncated")


def test_a_line_is_about_one_overload(till: Caller) -> None:
    found = _history(till, symbol="shop/Till.java:33")["commits"]
    assert [item["subject"] for item in found] == ["several", "the first", "made"]


def test_a_commit_that_makes_a_file_is_shown_by_the_lines_of_the_declaration(till: Caller) -> None:
    (*_, made) = _history(till, symbol="Till.pay")["commits"]
    (hunk,) = made["hunks"]
    rows = [row for row in hunk["text"].split("\n") if row != "…"]
    wanted = [32, 33, 34, 40, 41, 42]
    assert rows == [f"+{_TILL.splitlines()[number - 1]}" for number in wanted]


def test_lines_are_asked_for_from_a_commit_on(till: Caller) -> None:
    found = _history(till, symbol="Till.pay", rev="HEAD~1")["commits"]
    assert [item["subject"] for item in found] == ["the second", "the first", "made"]
    refused = till.refusal("repo.history", symbol="Till.pay", rev="no-such")
    assert "no-such" in refused["reason"]


def test_a_commit_tells_which_others_have_changed_the_same_before(till: Caller) -> None:
    found = _history(till, rev="HEAD", about="related")
    assert found["commits"][0]["files"] == ["a.txt"]
    rows = {
        item["symbol"]: (
            item["line"],
            item.get("is_new", False),
            [commit["subject"] for commit in item.get("commits", ())],
        )
        for item in found["earlier"]
    }
    assert rows == {
        "Till.pay": (32, False, ["the first", "made"]),
        "Till.other": (36, False, ["made"]),
        "Till.made": (40, True, []),
    }
    text = till.app.call("repo.history", {"rev": "HEAD", "about": "related"}, lambda: False)
    assert "  40 Till.made: new" in text["content"][0]["text"]


def test_earlier_commits_are_as_few_as_asked_for(till: Caller) -> None:
    found = _history(till, rev="HEAD", about="related", path="shop", limit=1)
    counts = [len(item.get("commits", ())) for item in found["earlier"]]
    assert counts == [1, 1, 0]


def test_an_attribute_is_of_the_declaration_below(tmp_path: Path) -> None:
    root = tmp_path / "root"
    text = "public class Till {\n  [One]\n  public int Pay { get; set; }\n\n  public int Sum;\n}\n"
    commit(root, {"Till.cs": text}, "made")
    commit(root, {"Till.cs": text.replace("Sum", "All")}, "renamed")
    changed = text.replace("Sum", "All").replace("  [One]", "  [Two]\n  [One]")
    commit(root, {"Till.cs": changed}, "marked")
    call = Caller(root, tmp_path / "data")
    call.result("repo.refresh_index")
    (found,) = _history(call, rev="HEAD", about="related")["earlier"]
    assert (found["symbol"], [item["subject"] for item in found["commits"]]) == (
        "Till.Pay",
        ["made"],
    )


def test_several_revisions_are_one_call(till: Caller) -> None:
    text = till.app.call("repo.history", {"rev": "HEAD~1 HEAD~2"}, lambda: False)
    told = text["content"][0]["text"]
    assert told.index("x: the second") < told.index("x: the first")
    assert "-    return one + two;" in told.replace("  -", "-")
    refused = till.refusal("repo.history", rev="HEAD HEAD~1", symbol="Till.pay")
    assert "several revisions" in refused["reason"]
