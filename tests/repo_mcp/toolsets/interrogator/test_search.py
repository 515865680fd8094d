"""`repo.search` in mode bm25, from the first query on a repository without an index."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from repo_mcp.app import App
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.services import services
from repo_mcp.settings import Options
from repo_mcp.toolsets.kit.cursors import encode_cursor
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import sandbox, write
from tests.waiting import until


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files: dict[str, str | bytes] = {
        "a.py": "def needle():\n    return 1\n",
        "b.txt": "text\n",
        ".env": "TOKEN=hidden",
        "wide.js": "needle " + "é" * 100_000,
    }
    return write(tmp_path / "root", files)


@pytest.fixture
def call(root: Path, tmp_path: Path) -> Caller:
    return Caller(root, tmp_path / "data")


def paths(result: dict[str, list[dict[str, str]]]) -> list[str]:
    return [hit["path"] for hit in result["hits"]]


@pytest.mark.requirement("INT-11.5-search")
def test_a_hit_has_path_lines_snippet_score_and_terms(call: Caller) -> None:
    found = call.result("repo.search", query="needle", mode="bm25", top_k=1, file_glob="*.py")
    (hit,) = found["hits"]
    assert hit.pop("score") > 0
    assert found["terms"] == ["needle"]
    assert hit == {
        "path": "a.py",
        "start_line": 1,
        "end_line": 2,
        "matched_terms": ["needle"],
        "snippet": "1: def needle():\n2:     return 1",
        "stale": False,
        "parts_only": False,
        "commit": "",
        "symbol": "needle",
        "uses": 0,
        "tests": 0,
        "built": "",
    }


def test_a_hit_says_which_terms_it_has(call: Caller, root: Path) -> None:
    write(root, {"both.py": "needle = haystack\n"})
    found = call.result("repo.search", query="needle haystack")
    shown = {hit["path"]: hit["matched_terms"] for hit in found["hits"]}
    assert shown == {"both.py": ["needle", "haystack"], "a.py": ["needle"], "wide.js": ["needle"]}


def test_of_a_long_passage_its_first_line_and_those_with_terms_are_shown(
    call: Caller, root: Path
) -> None:
    rows = ["def long_one():", *(f"    step_{n}()" for n in range(20)), "    return haystack"]
    write(root, {"long.py": "\n".join(rows) + "\n"})
    (hit,) = call.result("repo.search", query="haystack")["hits"]
    shown = hit["snippet"].split("\n")
    assert (hit["start_line"], hit["end_line"], shown[0], shown[-1]) == (
        1,
        22,
        "1: def long_one():",
        "22:     return haystack",
    )
    assert len(shown) == 9
    assert shown.index("…") == len(shown) - 3


def test_the_first_search_builds_the_index(call: Caller) -> None:
    for _ in range(2):
        assert set(paths(call.result("repo.search", query="needle"))) == {"a.py", "wide.js"}


def test_a_search_that_can_not_wait_for_the_index_reads_the_files(call: Caller, root: Path) -> None:
    call.clock.step = 0.1
    with IndexManager(services(call.options).settings, sandbox(root)).text.store.lock(0):
        found = call("repo.search", query="needle")
    assert set(paths(found["result"])) == {"a.py", "wide.js"}
    assert any("the index is being built" in text for text in found["warnings"])


def test_damage_met_by_a_search_is_repaired_in_the_same_call(call: Caller) -> None:
    call("repo.search", query="needle")
    for segment in (call.data / "index").glob("seg-*"):
        data = bytearray(segment.read_bytes())
        middle = len(data) // 2
        data[64:middle] = bytes(middle - 64)
        segment.write_bytes(data)
    assert set(paths(call.result("repo.search", query="needle"))) == {"a.py", "wide.js"}
    # that it was rebuilt is said once, by the next call if the background was first to meet it
    assert until(lambda: call("repo.search", query="needle")["warnings"] == [])


def test_a_file_that_a_hit_shows_to_have_changed_is_indexed_before_the_answer(
    call: Caller, root: Path
) -> None:
    call("repo.search", query="needle")
    (root / "a.py").write_bytes(b"\n\n\ndef needle(haystack):\n    return haystack\n")
    found = call.result("repo.search", query="needle")
    (hit,) = [item for item in found["hits"] if item["path"] == "a.py"]
    assert (hit["start_line"], hit["end_line"], hit["stale"]) == (4, 5, False)


def test_where_nothing_is_found_something_near_is_suggested_and_said(call: Caller) -> None:
    call.result("repo.refresh_index")
    found = call("repo.search", query="nedle")
    assert {"needle"} <= {item["text"] for item in found["result"]["suggestions"]}
    assert {"a.py", "wide.js"} == set(paths(found["result"]))
    assert any("these hits are for 'needle'" in text for text in found["warnings"])


@pytest.mark.requirement("INT-07.3-limits")
def test_more_hits_than_allowed_are_not_given(root: Path, tmp_path: Path) -> None:
    write(root, {f"more/{n}.py": "needle = 1\n" for n in range(9)})
    call = Caller(root, tmp_path / "data", limits={"max_search_hits": 3})
    found = call("repo.search", query="needle", top_k=51)
    assert len(found["result"]["hits"]) == 3
    assert "top_k is limited to 3, 51 was requested" in found["warnings"]


def test_pages_show_each_hit_once_and_all_of_them(call: Caller, root: Path) -> None:
    names = {f"many/{number:02}.py" for number in range(60)}
    write(root, {name: f"value = needle  # {name}\n" for name in names})
    whole = call.pages("repo.search", query="needle", top_k=50)
    small = call.pages("repo.search", query="needle", top_k=7)
    assert len(small) > 8
    for pages in (whole, small):
        shown = [path for page in pages for path in paths(page)]
        assert sorted(shown) == sorted({*names, "a.py", "wide.js"})
        assert pages[-1]["truncated"] is False


def test_what_is_too_much_for_an_answer_is_left_for_the_next(call: Caller, root: Path) -> None:
    write(root, {f"many/{n}.py": "\n".join([f"needle {n} " + "é" * 280] * 20) for n in range(40)})
    found = call.result("repo.search", query="needle", top_k=50)
    assert 0 < len(found["hits"]) < 42
    assert found["truncated"] is True
    more = call.result("repo.search", query="needle", top_k=50, cursor=found["cursor"])
    assert not {*paths(found)} & {*paths(more)}


def test_an_answer_is_as_short_as_was_asked(call: Caller, root: Path) -> None:
    write(root, {f"many/{n}.py": "needle = 1\n" * 9 for n in range(40)})
    short = call.answer("repo.search", query="needle", top_k=50, max_chars=3_000)
    assert len(short["content"][0]["text"]) <= 3_000
    assert 0 < len(short["structuredContent"]["result"]["hits"]) < 20
    above = call("repo.search", query="needle", max_chars=99_999)
    assert "max_chars is limited to 40000, 99999 was requested" in above["warnings"]


def test_a_cursor_of_another_question_is_refused(call: Caller, root: Path) -> None:
    write(root, {f"many/{n}.py": f"needle = {n}\n" for n in range(40)})
    cursor = call.result("repo.search", query="needle")["cursor"]
    assert cursor
    for other in ({"query": "value"}, {"query": "needle", "file_glob": "*.py"}):
        found = call.refusal("repo.search", **other, cursor=cursor)
        assert "belongs to other arguments" in found["reason"]
    for nonsense in ("abc", "WzFd", "é", "[" * 50, cursor[:-3], cursor + "AAAA"):
        assert call.refusal("repo.search", query="needle", cursor=nonsense)["code"] == (
            "argument_invalid"
        )


def test_a_cursor_goes_on_in_a_changed_index_and_says_so(call: Caller, root: Path) -> None:
    write(root, {f"many/{n:02}.py": f"needle = {n}\n" for n in range(40)})
    first = call.result("repo.search", query="needle")
    write(root, {"many/00.py": "nothing = 1\n", "new.py": "other = 1\n"})
    call.result("repo.refresh_index")
    found = call("repo.search", query="needle", cursor=first["cursor"])
    assert found["result"]["hits"]
    assert not {*paths(first)} & {*paths(found["result"])}
    assert any("the index has changed" in text for text in found["warnings"])


def test_a_cursor_that_was_made_up_moves_nothing_but_the_place(call: Caller) -> None:
    asked = ["bm25", "needle", None]
    made_up = encode_cursor(asked, 1, ["AAAABBBB"])
    assert set(paths(call.result("repo.search", query="needle", cursor=made_up))) == {
        "a.py",
        "wide.js",
    }
    for place in (["AAA"], [7], ["AAAA" * 9_000], []):
        assert call.refusal("repo.search", query="needle", cursor=encode_cursor(asked, 1, place))


def test_what_only_exact_search_takes_is_said_to_be_ignored(call: Caller) -> None:
    found = call("repo.search", query="needle", ignore_case=True, context_lines=2)
    assert (
        "ignore_case, context_lines: ignored, for modes literal and regex only" in found["warnings"]
    )


@pytest.mark.parametrize("mode", ["bm25", "literal", "regex"])
def test_a_glob_that_matches_nothing_is_named(call: Caller, mode: str) -> None:
    call.result("repo.refresh_index")
    found = call("repo.search", query="needle", mode=mode, file_glob="/etc/*")
    assert (found["result"]["hits"], found["result"]["files"]) == ([], [])
    assert any("no indexed file matches file_glob '/etc/*'" in text for text in found["warnings"])
    found = call("repo.search", query="nowhereatall", mode=mode, file_glob="**")
    assert not any("file_glob" in text for text in found["warnings"])


@pytest.mark.parametrize("mark", [".git/HEAD", "README"])
def test_a_repository_is_indexed_from_the_handshake_on(tmp_path: Path, mark: str) -> None:
    """A folder without the mark of one waits for the first call."""
    root = write(tmp_path / "root", {"a.py": "needle = 1\n", mark: ""})
    app = App(Options(str(root), str(tmp_path / "data"), watch=False))
    app.begin()
    app.begin()
    if mark == ".git/HEAD":
        manager = services(Options(str(root), str(tmp_path / "data"))).manager
        assert until(lambda: manager.state().files == 1)
    else:
        assert not (tmp_path / "data").exists()


def test_a_glob_without_a_hit_says_where_there_is_one(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {
        "shop/till.py": "def close_ledger(till):\n    return till\n",
        "web/page.py": "def show_page(page):\n    return page\n",
    }
    call = Caller(write(tmp_path / "root", tree), tmp_path / "data")
    call.result("repo.refresh_index")
    answer = call("repo.search", query="close_ledger", file_glob="web/*.py")
    assert answer["result"]["hits"] == []
    assert "nothing matches in file_glob; elsewhere: shop/till.py:1" in answer["warnings"]
    nowhere = call("repo.search", query="unheard_of", file_glob="web/*.py")
    assert not any("elsewhere" in text for text in nowhere["warnings"])


def test_a_pasted_report_is_searched_whole(call: Caller) -> None:
    words = "\n".join(f"it fails again {number}" for number in range(400))
    answer = call("repo.search", query=f"It fails\n\n{words}\n\nSee `needle`.")
    assert paths(answer["result"])[0] == "a.py"
    assert not any("characters were searched for" in text for text in answer["warnings"])
    first = call.answer("repo.search", query=" ".join(f"w{number} x" for number in range(60)))
    assert first["content"][0]["text"].split("\n")[0].count(",") <= 20


def test_a_text_of_any_length_is_searched_by_its_beginning(call: Caller) -> None:
    words = " ".join(f"word{number}" for number in range(20_000))
    answer = call("repo.search", query=f"needle {words}")
    assert "a.py" in paths(answer["result"])
    (told,) = (text for text in answer["warnings"] if "characters were searched for" in text)
    kept, whole = map(int, re.findall(r"\d+", told))
    assert whole == len(f"needle {words}")
    # it ends with a whole word
    assert f"needle {words}"[kept] == " "
    assert 99_990 < kept <= 100_000
    refused = call.refusal("repo.search", query="x" * 2001, mode="literal")
    assert "2000" in refused["reason"]
