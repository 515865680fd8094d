"""`search_code` and `search_docs`: what they find, where, and in which form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.repo_mcp.toolsets.swiftindex.calls import Caller
from tests.repo_mcp.trees import write

_NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Cooling curve\n", "Fridge."]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["fridge = 1"]},
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}
FILES: dict[str, str | bytes] = {
    "Sources/Auth/Login.swift": (
        "/// Checks who somebody is.\n"
        "public struct Login {\n"
        "    /// Authenticates a user by a password.\n"
        "    func authenticate(user: String, password: String) -> Bool {\n"
        "        return password == stored(user)\n"
        "    }\n"
        "}\n"
    ),
    "Sources/Shop/Cart.swift": "struct Cart {\n    func authenticate() {}\n}\n",
    "src/login.py": 'def authenticate(user):\n    """Authenticates somebody."""\n    return user\n',
    "docs/install.md": "# Guide\n\n## Installation\n\nRun the installer of the package.\n",
    "docs/inner/more.rst": "Installation\n============\n\nThe installer again.\n",
    "docs/a.adoc": "= Manual\n\n== Installation by hand\n\nCopy the installer.\n",
    "docs/[x]/odd.md": "# Brackets\n\nAn installer in brackets.\n",
    "notes.txt": "The installer is old.\n",
    "cooling.ipynb": json.dumps(_NOTEBOOK, indent=1),
}


@pytest.fixture
def call(tmp_path: Path) -> Caller:
    found = Caller(write(tmp_path / "root", FILES), tmp_path / "data")
    found.index()
    return found


def paths(answer: dict[str, list[dict[str, str]]]) -> set[str]:
    return {row["path"] for row in answer["results"]}


@pytest.mark.requirement("SWI-search_code")
def test_a_result_says_what_it_is(call: Caller) -> None:
    found = call("search_code", query="authenticate user password")
    row = found["results"][0]
    assert row["path"] == "Sources/Auth/Login.swift"
    assert "password == stored(user)" in row["content"]
    assert row["start_line"] <= 4 <= row["end_line"]
    assert row["relevance_percent"] in range(1, 101)
    assert row["symbols"][0] in {"Login", "authenticate"}
    assert found["total"] == len(found["results"])
    percents = [row["relevance_percent"] for row in found["results"]]
    assert percents == sorted(percents, reverse=True)


@pytest.mark.requirement("SWI-search_code")
def test_a_passage_of_a_method_has_its_signature_and_where_it_stands(tmp_path: Path) -> None:
    filler = "".join(f"    func other{n}() {{\n        go({n})\n    }}\n" for n in range(60))
    text = str(FILES["Sources/Auth/Login.swift"]).replace("    /// Auth", filler + "    /// Auth")
    call = Caller(write(tmp_path / "long", {"Login.swift": text}), tmp_path / "data")
    call.index()
    row = call("search_code", query="authenticate password")["results"][0]
    assert row["kind"] == "method"
    assert row["symbols"] == ["authenticate"]
    assert row["signature"].startswith("func authenticate(user: String")
    assert row["breadcrumb"] == "Login"
    assert row["doc_comment"] == "Authenticates a user by a password."


@pytest.mark.requirement("SWI-search_code")
def test_searches_are_narrowed(call: Caller) -> None:
    everything = call("search_code", query="authenticate")
    assert {"Sources/Auth/Login.swift", "Sources/Shop/Cart.swift", "src/login.py"} <= paths(
        everything
    )
    glob = call("search_code", query="authenticate", path_filter="Sources/Auth/**")
    assert paths(glob) == {"Sources/Auth/Login.swift"}
    assert paths(call("search_code", query="authenticate", extensions=".py, md")) == {
        "src/login.py"
    }
    inside = call("search_code", query="authenticate", path="Sources")
    assert paths(inside) == {"Sources/Auth/Login.swift", "Sources/Shop/Cart.swift"}
    absolute = call("search_code", query="authenticate", path=str(call.root / "Sources"))
    assert absolute["results"] == inside["results"]
    assert len(call("search_code", query="authenticate", limit=1)["results"]) == 1
    odd = call("search_code", query="installer", path="docs/[x]")
    assert paths(odd) == {"docs/[x]/odd.md"}


@pytest.mark.requirement("SWI-search_code")
@pytest.mark.parametrize("form", ["toon", "json", "human"])
def test_each_form_says_the_same(call: Caller, form: str) -> None:
    plain = call("search_code", query="authenticate")
    assert call("search_code", query="authenticate", format=form) == plain
    assert call("search_docs", query="installer", format=form)["results"]


@pytest.mark.requirement("SWI-search_docs")
def test_documentation_is_found_with_its_headings(call: Caller) -> None:
    found = call("search_docs", query="installation")
    rows = {row["path"]: row for row in found["results"]}
    assert rows.keys() == {"docs/install.md", "docs/inner/more.rst", "docs/a.adoc"}
    assert rows["docs/install.md"]["breadcrumb"] == "Guide > Installation"
    assert rows["docs/a.adoc"]["breadcrumb"].startswith("Manual")
    assert paths(call("search_docs", query="installer", path_filter="docs/*.md")) == {
        "docs/install.md"
    }
    assert "notes.txt" in paths(call("search_docs", query="installer"))


@pytest.mark.requirement("SWI-search_docs")
def test_of_notebooks_only_text_is_shown(call: Caller) -> None:
    (row,) = call("search_docs", query="fridge")["results"]
    assert row["path"] == "cooling.ipynb"
    assert row["content"] == "# Cooling curve\nFridge."
    assert row["breadcrumb"] == "Cooling curve"


@pytest.mark.requirement("SWI-search_docs")
def test_documented_declarations_are_found_on_request(call: Caller) -> None:
    assert paths(call("search_docs", query="authenticates somebody")) == set()
    found = call("search_docs", query="authenticates somebody", docstrings=True)
    assert "src/login.py" in paths(found)
    assert "Sources/Shop/Cart.swift" not in paths(found)


def test_meaning_counts_as_much_as_asked(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "words.py": "# delete remove erase\ndef remove_delete_erase(): pass\n",
        "near.py": "def unlink(path):\n    drop(path)  # remove the file from the directory\n",
        "far.py": "remove = 'remove'\ncolor_of_the_button = 'remove'\n",
    }
    call = Caller(write(tmp_path / "meaning", files), tmp_path / "data2")
    call.index()
    query = "remove a file of a directory"
    scores = [
        [row["path"] for row in call("search_code", query=query, semantic_weight=weight)["results"]]
        for weight in (0, 0.7, 1)
    ]
    assert all(set(found) == set(files) for found in scores)
    assert scores[2][0] == "near.py"
    off = Caller(tmp_path / "meaning", tmp_path / "data3", embeddings=False)
    off.index()
    words = off("search_code", query=query)
    assert any("words alone" in text for text in words["warnings"])
    assert [row["path"] for row in words["results"]] == scores[0]


def test_a_weight_out_of_range_is_the_nearest_one(call: Caller) -> None:
    found = call("search_code", query="authenticate", semantic_weight=7)
    assert any("semantic_weight" in text for text in found["warnings"])
    assert "warnings" not in call("search_code", query="authenticate", semantic_weight="0.25")


@pytest.mark.requirement("SWI-search_code")
def test_pasted_code_finds_itself_first(tmp_path: Path) -> None:
    body = "".join(f"    step_{number}(order, {number})\n" for number in range(60))
    pasted = f"def ship(order):\n{body}    return order\n"
    files = {**FILES, "src/ship.py": "import os\n\n\n" + pasted, "lib/copy.py": pasted}
    call = Caller(write(tmp_path / "root", files), tmp_path / "data")
    call.index()
    found = call("search_code", query=pasted, limit=5)["results"]
    assert [(row["path"], row["start_line"]) for row in found[:2]] == [
        ("lib/copy.py", 1),
        ("src/ship.py", 4),
    ]
    assert found[0]["symbols"] == ["ship"]
    inside = call("search_code", query=pasted, path="src")["results"]
    assert inside[0]["path"] == "src/ship.py"
    (tmp_path / "root" / "lib" / "copy.py").write_text("x = 1\n\n" + pasted)
    again = call("search_code", query=pasted, limit=5)["results"]
    assert (again[0]["path"], again[0]["start_line"]) == ("lib/copy.py", 3)


@pytest.mark.parametrize(("tool", "ending"), [("search_code", "py"), ("search_docs", "md")])
def test_what_does_not_fit_is_on_further_pages(tmp_path: Path, tool: str, ending: str) -> None:
    body = f"installer of the package {'x' * 200}\n" * 60
    files: dict[str, str | bytes] = {
        f"folder{at}/part{at}.{ending}": f"# part {at}\n\n{body}" for at in range(50)
    }
    call = Caller(write(tmp_path / "root", files), tmp_path / "data")
    call.index()
    shown: list[str] = []
    query = "installer of the package"
    found = call(tool, query=query, limit=40)
    pages = 1
    while True:
        assert found["total"] == 40
        shown += [row["path"] for row in found["results"]]
        if "cursor" not in found:
            break
        pages += 1
        found = call(tool, query=query, limit=40, cursor=found["cursor"])
    assert pages > 1
    assert len(shown) == len(set(shown)) == 40


def test_a_cursor_of_another_query_is_refused(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        f"part{at}.md": f"# part {at}\n\n" + "installer of it\n" * 200 for at in range(20)
    }
    call = Caller(write(tmp_path / "root", files), tmp_path / "data")
    call.index()
    cursor = call("search_docs", query="installer", limit=20)["cursor"]
    assert "other arguments" in call.error("search_docs", query="other", limit=20, cursor=cursor)
