"""The pages show the answers of the tools, with and without JavaScript."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from repo_mcp.toolsets.interrogator import search_exact
from repo_mcp.web.pages.symbol import RELATIONS
from repo_mcp.web.server import PAGES
from tests.repo_mcp.web.browsing import Answer, Browser, Document

FILES: dict[str, str | bytes] = {
    "src/needle.py": "import os\n\n\ndef find_needle(stack: str) -> int:\n    return 1\n",
    "src/deep/more.go": "package deep\n\n// Needle is sharp.\nfunc Needle() int { return 1 }\n",
    "tests/test_needle.py": "def test_needle() -> None:\n    assert True  # a needle\n",
    "docs/hay.md": "# The needle\n\nA needle in the hay.\n",
    "long.txt": "".join(f"line {number}\n" for number in range(1, 1001)),
    "picture.png": b"\x89PNG\r\n\x1a\n" + bytes(40),
    ".env": "TOKEN=needle",
}


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    return Browser(tmp_path_factory.mktemp("pages"), FILES)


def document(answer: Answer) -> Document:
    assert answer.status == 200, answer.text
    return Document(answer.text)


def tool(browser: Browser, name: str, folder: str = "", **arguments: Any) -> dict[str, Any]:  # noqa: ANN401
    inner = {"facets_below": folder} if name == "repo.search" else {}
    called = browser.app.call(name, arguments, lambda: False, None, inner)
    answer: dict[str, Any] = called["structuredContent"]
    return {**answer, "request_id": ""}


def steady(answer: dict[str, Any]) -> dict[str, Any]:
    """The status without what a refresh changes."""
    moving = {"refreshing", "progress", "last_refresh", "generation"}
    kept = {name: value for name, value in answer["result"].items() if name not in moving}
    return {**answer, "result": kept}


MOST = {"max_chars": 40_000}
LINES = {"smart_case": True, "context_lines": 1, "show": "symbols"}


@pytest.mark.parametrize(
    ("target", "name", "arguments"),
    [
        (
            "/search.json?q=needle",
            "repo.search",
            {"query": "needle", "top_k": 30},
        ),
        (
            "/search.json?q=needle&mode=literal&folder=src&lang=python&case=1",
            "repo.search",
            {**LINES, "query": "needle", "mode": "literal", "file_glob": "src/**"}
            | {"smart_case": False, "language": "python"},
        ),
        (
            "/search.json?q=needle&lang=go&folder=src",
            "repo.search",
            {"query": "needle", "file_glob": "src/**", "top_k": 30} | {"language": "go"},
        ),
        ("/search.json?q=(&mode=regex", "repo.search", {"query": "(", "mode": "regex"}),
        (
            "/file.json?path=long.txt&line=450",
            "repo.open_file",
            {"path": "long.txt", "start_line": 1, "end_line": 20_000},
        ),
        ("/file.json?path=.env", "repo.open_file", {"path": ".env"}),
        ("/file.json?path=../x", "repo.open_file", {"path": "../x"}),
        ("/outline.json?path=src/needle.py", "repo.outline", {"path": "src/needle.py"}),
        ("/status.json", "repo.status", {}),
    ],
)
def test_json_is_the_answer_of_the_tool(
    browser: Browser, target: str, name: str, arguments: dict[str, Any]
) -> None:
    answer = browser.get(target)
    assert answer.headers["content-type"] == "application/json"
    more = {} if name == "repo.status" else MOST
    folder = "src" if "folder=src" in target else ""
    expected = tool(browser, name, folder, **arguments, **more)
    # a refresh may begin, or end, between the two
    told = [steady(item) if name == "repo.status" else item for item in (answer.json, expected)]
    assert {**told[0], "request_id": ""} == told[1]


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/file?path=.env", 403),
        ("/file?path=nowhere.py", 404),
        ("/file?path=../root", 403),
        ("/search?q=(&mode=regex", 400),
        ("/search", 200),
        ("/nowhere", 404),
        ("/assets/../server.py", 404),
        ("/assets/nowhere.js", 404),
    ],
)
def test_the_status_tells_what_went_wrong(browser: Browser, target: str, status: int) -> None:
    answer = browser.get(target)
    assert answer.status == status
    assert "TOKEN" not in answer.text
    assert Document(answer.text).all("main")


def test_passages_stand_below_their_file_with_marks_and_line_links(browser: Browser) -> None:
    page = document(browser.get("/search?q=find+needle&folder=src"))
    assert page.texts("a", "result")[0] == "src/needle.py"
    assert {"find", "needle"} <= set(page.texts("mark"))
    assert "def" in page.texts("span", "tk")
    line = "/file?path=src/needle.py&line=4#L4"
    (number,) = [item for item in page.all("a", "no") if item["href"] == line]
    assert number.text == ["4"]
    shown = document(browser.get(line.partition("#")[0]))
    assert [item["id"] for item in shown.all("div", "marked")] == ["L4"]


def test_exact_matches_are_marked_as_they_match(browser: Browser) -> None:
    page = document(browser.get("/search?mode=regex&q=%5BNn%5Deedle%5Cb"))
    assert set(page.texts("mark")) == {"Needle", "needle"}
    folded = document(browser.get("/search?mode=literal&q=needle"))
    exact = document(browser.get("/search?mode=literal&q=needle&case=1"))
    assert set(folded.texts("mark")) == {"Needle", "needle"}
    assert set(exact.texts("mark")) == {"needle"}


@pytest.mark.parametrize("mode", ["words", "literal", "regex"])
def test_the_name_of_a_file_leads_to_its_first_hit(browser: Browser, mode: str) -> None:
    page = document(browser.get(f"/search?q=find_needle&mode={mode}&folder=src"))
    (result,) = page.all("a", "result")
    assert (result.text, urlsplit(result["href"]).fragment) == (["src/needle.py"], "L4")


@pytest.mark.parametrize("mode", ["words", "literal"])
def test_facets_narrow_by_links(browser: Browser, mode: str) -> None:
    page = document(browser.get(f"/search?q=needle&mode={mode}"))
    facets = browser.get(f"/search.json?q=needle&mode={mode}").json["result"]["facets"]
    assert (facets["files"], facets["bound"]) == (4, "exact")
    narrowing = [item["href"] for item in page.all("a") if "/search?" in item["href"]]
    names = {name for target in narrowing for name in parse_qs(urlsplit(target).query)}
    assert {"lang", "folder", "kind"} <= names
    for target in narrowing:
        fewer = document(browser.get(target))
        assert 0 < len(fewer.all("a", "result")) < len(page.all("a", "result"))
        assert fewer.all("a", "chosen")
    assert "tests 1" in [" ".join(item.split()) for item in page.texts("li")]


def test_facets_count_files_beyond_the_page(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        f"{'src' if at % 3 else 'tests'}/m{at}.{'py' if at % 2 else 'go'}": f"needle = {at}\n"
        for at in range(90)
    }
    found = Browser(tmp_path, files)
    for mode, shown in (("words", 30), ("literal", 50)):
        target = f"/search?q=needle&mode={mode}"
        assert len(document(found.get(target)).all("a", "result")) == shown
        facets = found.get(target.replace("?", ".json?")).json["result"]["facets"]
        assert (facets["files"], facets["bound"]) == (90, "exact")
        values = {item["name"]: item["files"] for item in facets["folders"] + facets["languages"]}
        assert values == {"src": 60, "tests": 30, "python": 45, "go": 45}
        narrowed = found.get(f"{target}&folder=tests&kind=tests&lang=go")
        assert len(document(narrowed).all("a", "result")) == 15


@pytest.mark.parametrize(
    ("query", "said"),
    [("salt", "at least"), ("sal", "at most"), ("Salt", "at most"), ("salt is", "at most")],
)
def test_files_that_were_not_read_are_numbers_at_least_or_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str, said: str
) -> None:
    monkeypatch.setattr(search_exact, "_COUNTED_FILES", 0)
    text = "salt is salt\nSalt is Salt\n"
    found = Browser(tmp_path, {f"m{number}.py": text for number in range(240)})
    target = f"/search?{urlencode({'q': query, 'mode': 'literal'})}"
    (summary,) = document(found.get(target)).texts("p", "summary")
    assert f"matching lines in {said} 240 files" in summary


def test_a_chosen_facet_can_be_left(browser: Browser) -> None:
    page = document(browser.get("/search?q=needle&folder=src/deep"))
    (chosen,) = page.all("a", "chosen")
    assert chosen["href"] == "/search?q=needle&folder=src"


def test_each_page_is_in_the_documentation() -> None:
    said = (Path(__file__).parents[3] / "docs" / "web.md").read_text("utf-8")
    rows = [row for row in said.split("\n") if row.startswith("| `/")]
    named = {name for row in rows for name in re.findall(r"`(/\w*)[?`]", row.split(" | ")[0])}
    assert named == set(PAGES)
    data = set(re.findall(r"`(/\w+\.json)", said))
    assert data == {f"{name}.json" for name in PAGES if name != "/"} | {
        *("/home.json", "/outline.json"),
        *(f"/{name}.json" for name in RELATIONS),
    }


def test_denied_files_are_in_no_page(browser: Browser) -> None:
    for target in ("/search?q=TOKEN", "/search?q=TOKEN&mode=literal", "/status"):
        assert ".env" not in browser.get(target).text


def test_the_form_works_without_javascript(browser: Browser) -> None:
    page = document(browser.get("/search?q=needle&mode=literal&word=1&folder=src"))
    (form,) = page.all("form")
    assert (form["action"], form["method"]) == ("/search", "get")
    fields = page.all("input")
    sent = {
        item["name"]: item["value"]
        for item in fields
        if item["type"] in {"search", "hidden"} or "checked" in item.attributes
    }
    assert sent == {"q": "needle", "mode": "literal", "word": "1", "folder": "src"}
    again = document(browser.get(f"{form['action']}?{urlencode(sent)}"))
    assert again.texts("a", "result") == page.texts("a", "result") != []
    assert {item["src"] for item in page.all("script")} == {"/assets/search.js"}


def test_the_part_for_scripts_is_that_of_the_page(browser: Browser) -> None:
    whole = browser.get("/search?q=needle").text
    part = browser.get("/search?q=needle&part=results").text
    assert part.strip() in whole
    assert "part=results" not in part
    assert "<html" not in part


def test_further_results_are_on_the_next_page(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        f"f{number:03}.txt": f"straw {number}\n" for number in range(120)
    }
    browser = Browser(tmp_path, files)
    seen: list[str] = []
    target = "/search?q=straw&mode=literal"
    while target:
        page = document(browser.get(target))
        seen += page.texts("a", "result")
        more = page.all("a", "more")
        target = more[0]["href"] if more else ""
    assert seen == sorted(files)


def test_suggestions_are_links(browser: Browser) -> None:
    page = document(browser.get("/search?q=nedle&mode=words"))
    targets = [item["href"] for item in page.all("a")]
    assert any("q=needle" in target for target in targets)


def test_a_long_file_is_one_page(tmp_path: Path) -> None:
    rows = [f"def line_{number}(): return {number}" for number in range(1, 10_200)]
    browser = Browser(tmp_path, {"long.py": "\n".join(rows) + "\n"})
    page = document(browser.get("/file?path=long.py&line=9000"))
    assert page.texts("code") == rows
    assert [item["id"] for item in page.all("div", "marked")] == ["L9000"]
    assert not {"Lines before these", "Lines after these"} & set(page.texts("a"))
    assert page.texts("li", "d0")[-1].split() == ["function", "line_10199"]
    assert page.texts("ul", "warnings") == []
    (call,) = [
        item
        for item in tool(browser, "repo.audit_log")["result"]["calls"]
        if item["tool"] == "repo.open_file"
    ]
    assert call["shown"] == ["long.py:1-10199"]


def test_a_very_long_file_has_twenty_thousand_lines_a_page(tmp_path: Path) -> None:
    browser = Browser(tmp_path, {"long.txt": "row\n" * 20_001})
    page = document(browser.get("/file?path=long.txt"))
    assert len(page.all("div", "line")) == 20_000
    assert len(browser.get("/file?path=long.txt").body) < 20_000 * 120
    (after,) = [item for item in page.all("a") if item.text == ["Lines after these"]]
    assert len(document(browser.get(after["href"].partition("#")[0])).all("div", "line")) == 1


@pytest.mark.parametrize("sets", ["user", "repository"])
def test_parts_are_as_large_as_limits_that_were_set(tmp_path: Path, sets: str) -> None:
    if sets == "user":
        browser = Browser(tmp_path, FILES, limits={"max_open_lines": 400})
    else:
        files = {**FILES, "repo_mcp.toml": "[limits]\nmax_open_lines = 400\n"}
        browser = Browser(tmp_path, files)
    seen: list[str] = []
    before: list[str] = []
    target = "/file?path=long.txt"
    while target:
        page = document(browser.get(target.partition("#")[0]))
        seen += page.texts("code")
        links = {"".join(item.text): item["href"] for item in page.all("a")}
        before.append(links.get("Lines before these", ""))
        target = links.get("Lines after these", "")
    assert seen == [f"line {number}" for number in range(1, 1001)]
    assert before == ["", "/file?path=long.txt&line=1#L1", "/file?path=long.txt&line=401#L401"]


def test_a_line_that_is_beyond_the_largest_answer_is_shown(tmp_path: Path) -> None:
    rows = "".join(f"{number} {'x' * 300}\n" for number in range(1, 401))
    browser = Browser(tmp_path, {"wide.txt": rows})
    page = document(browser.get("/file?path=wide.txt&line=300"))
    assert "L300" in {item["id"] for item in page.all("div", "line")}


def test_the_outline_links_to_declarations_at_every_depth(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.py": "class Box:\n    def open(self) -> None:\n        pass\n"
    }
    page = document(Browser(tmp_path, files).get("/file?path=a.py"))
    rows = {
        item.attributes["href"]: "".join(item.text)
        for item in page.all("a")
        if "line=" in item["href"]
    }
    assert rows == {
        "/file?path=a.py&line=1&end=3#L1": "Box",
        "/file?path=a.py&line=2&end=3#L2": "open",
    }
    assert page.all("li", "d1")


def test_a_picture_is_named_and_not_shown(browser: Browser) -> None:
    page = document(browser.get("/file?path=picture.png"))
    assert page.all("img") == []
    assert "image/png" in " ".join(page.texts("p"))


def test_the_status_page_tells_what_is_there(browser: Browser) -> None:
    page = document(browser.get("/status"))
    assert "ready" in page.texts("strong")
    assert {"python", "go", "markdown"} <= {text.strip() for text in page.texts("th")}
    assert "may contain secrets" in page.texts("td")
    drawn = [item for item in page.all("rect") if "group" in (item.attributes["class"] or "")]
    assert len(drawn) == 4  # src, tests, docs, and the files at the top


def test_every_call_is_in_the_audit_log(tmp_path: Path) -> None:
    browser = Browser(tmp_path, {"a.py": "def needle(): pass\n"})
    browser.get("/search?q=needle")
    browser.get("/file?path=a.py")
    browser.get("/file?path=.env")
    calls = tool(browser, "repo.audit_log")["result"]["calls"]
    assert {call["client"] for call in calls} == {"web"}
    assert [call["tool"] for call in reversed(calls)] == [
        "repo.search",
        "repo.open_file",
        "repo.outline",
        "repo.open_file",
    ]
    assert "web" in json.dumps(calls[0])


def test_clients_settings_do_not_take_pages_away(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"a.py": "def needle(): pass\n"}
    browser = Browser(tmp_path, files, exclude_tools=("repo.search",), toolsets=("codeagent",))
    assert browser.get("/search?q=needle").status == 200


def test_without_a_repository_pages_say_so(tmp_path: Path) -> None:
    browser = Browser(tmp_path, {"a.py": "def needle(): pass\n"})
    browser.root.rename(tmp_path / "elsewhere")
    for target in ("/search?q=needle", "/file?path=a.py", "/status"):
        answer = browser.get(target)
        assert answer.status == 503
        assert "missing" in answer.text


@pytest.mark.parametrize("query", ["a*", "x?", r"\B", "|a", "é*"])
def test_matches_that_are_empty_beside_characters_of_several_bytes_are_shown(
    tmp_path: Path, query: str
) -> None:
    browser = Browser(tmp_path, {"a.txt": "éa€aa\n日本 😀b\n"})
    answer = browser.get("/search?" + urlencode({"mode": "regex", "q": query}))
    shown = {"a*": ["a", "aa"], "é*": ["é"]}.get(query, [])
    assert document(answer).texts("mark") == shown
