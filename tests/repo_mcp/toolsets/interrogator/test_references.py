"""Outlines and bundles with references: counts and callers from the graph, or why not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from repo_mcp.app import App
from repo_mcp.indexing.keep.background import BackgroundRefresh
from repo_mcp.settings import Options
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.trees import FOREVER, write

FILES: dict[str, str | bytes] = {
    "a.py": (
        "class Till:\n    def sell(self):\n        return price()\n\n\ndef price():\n    return 1\n"
    ),
    "b.py": "from a import price\n\n\ndef show():\n    price()\n    return price()\n",
    "c.txt": "no code\n",
}
TOOLSETS = ("interrogator", "codeagent")


def app(root: Path, *toolsets: str) -> App:
    given = Options(str(root), str(root.parent / "data"), watch=False, toolsets=toolsets)
    return App(given, Clock())


def outline(served: App, path: str = "a.py", **more: object) -> dict[str, Any]:
    found = served.call("repo.outline", {"path": path, **more}, lambda: False)
    content: dict[str, Any] = found["structuredContent"]
    assert content["ok"], content
    return content


def linked(served: App) -> App:
    background = served.services.running().background
    background.refresh(FOREVER)
    assert background.wait_until_linked(FOREVER)
    return served


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", FILES)


def test_declarations_have_counts_and_callers(root: Path) -> None:
    served = linked(app(root, *TOOLSETS))
    answer = outline(served, with_references=True)
    rows = {item["name"]: item for item in answer["result"]["symbols"]}
    assert rows["price"]["references"] == 4  # an import and three calls
    assert rows["price"]["callers"] == ["a.py:3 a.Till.sell", "b.py:5 b.show", "b.py:6 b.show"]
    assert (rows["sell"]["references"], "callers" in rows["sell"]) == (0, False)
    assert answer["warnings"] == []


def test_a_member_says_what_it_overrides_and_how_often_that_is_used(tmp_path: Path) -> None:
    text = (
        "class Base:\n    def run(self):\n        return self.step()\n\n"
        "    def step(self):\n        return 1\n\n\n"
        "class Last(Base):\n    def step(self):\n        return 2\n"
    )
    served = linked(app(write(tmp_path / "root", {"a.py": text}), *TOOLSETS))
    rows = outline(served, with_references=True)["result"]["symbols"]
    found = {row["start_line"]: row.get("overrides") for row in rows}
    assert found[10] == "Base.step (1 reference)"
    assert found[5] is None


def test_nothing_is_added_unless_asked(root: Path) -> None:
    served = linked(app(root, *TOOLSETS))
    assert all("references" not in item for item in outline(served)["result"]["symbols"])


def test_a_graph_that_is_not_linked_is_said_and_not_waited_for(root: Path) -> None:
    answer = outline(app(root, "interrogator"), with_references=True)
    assert all("references" not in item for item in answer["result"]["symbols"])
    assert any("symbol graph is not linked" in text for text in answer["warnings"])


def test_a_file_that_changed_since_it_was_linked_has_none(root: Path) -> None:
    served = linked(app(root, *TOOLSETS))
    write(root, {"a.py": "\n\ndef price():\n    return 2\n"})
    answer = outline(served, with_references=True)
    assert all("references" not in item for item in answer["result"]["symbols"])
    assert any("has changed since" in text for text in answer["warnings"])


def test_pages_have_the_references_of_their_own_declarations(root: Path) -> None:
    names = [f"f{number}" for number in range(80)]
    write(root, {"d.py": "".join(f"def {name}():\n    {name}()\n" for name in names)})
    served = linked(app(root, *TOOLSETS))
    seen: list[dict[str, Any]] = []
    cursor: object = None
    while cursor != "":
        more = {} if cursor is None else {"cursor": cursor}
        result = outline(served, "d.py", with_references=True, max_chars=2000, **more)["result"]
        seen += result["symbols"]
        cursor = result.get("cursor", "")
    assert [item["name"] for item in seen] == names
    assert [item["references"] for item in seen] == [1] * len(names)
    assert seen[-1]["callers"] == ["d.py:160 d.f79"]


def test_a_file_without_a_language_has_no_references(root: Path) -> None:
    served = linked(app(root, *TOOLSETS))
    assert outline(served, "c.txt", with_references=True)["result"]["symbols"] == []


def bundle(served: App, **more: object) -> dict[str, Any]:
    arguments = {"prompt": "price() of the Till is wrong", **more}
    found = served.call("repo.build_context_bundle", arguments, lambda: False)
    content: dict[str, Any] = found["structuredContent"]
    assert content["ok"], content
    return content


def test_a_bundle_tells_who_uses_what_it_shows(root: Path) -> None:
    served = linked(app(root, *TOOLSETS))
    answer = bundle(served, with_references=True)
    shown = {item["citation"].partition(":")[0]: item for item in answer["result"]["excerpts"]}
    assert shown["a.py"]["references"][0] == (
        "a.price has 4 references: a.py:3 a.Till.sell; b.py:5 b.show; b.py:6 b.show"
    )
    plain = bundle(served)["result"]["excerpts"]
    assert [item["text"] for item in plain] == [
        item["text"] for item in answer["result"]["excerpts"]
    ]
    assert all("references" not in item for item in plain)


def test_a_bundle_says_that_the_graph_is_not_linked(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(BackgroundRefresh, "wait_until_linked", lambda *_: False)
    answer = bundle(app(root, "interrogator"), with_references=True)
    assert all("references" not in item for item in answer["result"]["excerpts"])
    assert sum("symbol graph is not linked" in text for text in answer["warnings"]) == 1


def test_references_keep_a_bundle_within_its_size(root: Path) -> None:
    many = "".join(f"def price{n}():\n    return price{n}()\n\n\n" for n in range(200))
    write(root, {"many.py": many})
    served = linked(app(root, *TOOLSETS))
    arguments = {"prompt": "price in many.py", "with_references": True, "max_chars": 4000}
    found = served.call("repo.build_context_bundle", arguments, lambda: False)
    assert len(found["content"][0]["text"]) <= 4000
