"""The first answer after an edit is right, over each face: the files and the graph follow it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from docs.sample_shop import run_command
from index_format.records import replace
from repo_mcp.repository import COMMAND_WAIT
from tests.repo_mcp.changes.reviews import Reviewed, commit, places
from tests.repo_mcp.toolsets.interrogator.calls import Caller
from tests.repo_mcp.trees import FOREVER, served, write
from tests.repo_mcp.web.browsing import Browser

pytestmark = pytest.mark.servers
STORE = "interface Store {\n    void save();\n}\n"
DEMANDING = "interface Store {\n    void save();\n    void drop();\n}\n"
FILES = {
    "Store.java": STORE,
    "BigStore.java": "interface BigStore extends Store {\n}\n",
    "FileStore.java": "class FileStore implements BigStore {\n    public void save() {}\n}\n",
}
BROKEN = {("breaks", "FileStore.java", 1)}


def linked(folder: Path) -> tuple[Path, Path]:
    """A tree whose graph is linked, and its data."""
    root, data = folder / "root", folder / "data"
    commit(root, FILES)
    manager = served(root, data).manager
    manager.refresh(FOREVER)
    manager.link(FOREVER)
    manager.close()
    return root, data


def whole(answer: dict[str, Any]) -> set[tuple[str, str, int]]:
    """The places of an answer that does not say that its graph is behind."""
    assert not any("behind" in note for note in answer.get("notes", ()))
    return shown(answer)


def shown(answer: dict[str, Any]) -> set[tuple[str, str, int]]:
    return {(item["verdict"], item["path"], item["line"]) for item in answer.get("breaking", ())}


def test_a_command_right_after_an_edit_tells_what_breaks(tmp_path: Path) -> None:
    root, data = linked(tmp_path)
    write(root, {"Store.java": DEMANDING})
    words = ["changes", "--json", "--data-dir", str(data)]
    assert whole(json.loads(run_command(root, words, piped=True).out)) == BROKEN


def test_a_tool_called_right_after_an_edit_tells_what_breaks(tmp_path: Path) -> None:
    call = Caller(*linked(tmp_path))
    background = call.app.services.running().background
    background.refresh(FOREVER)
    assert background.wait_until_linked(FOREVER)
    write(tmp_path / "root", {"Store.java": DEMANDING})
    answer = call.app.call("repo.changes", {}, lambda: False)["structuredContent"]
    assert whole(answer["result"]) == BROKEN


def test_a_page_opened_right_after_an_edit_tells_what_breaks(tmp_path: Path) -> None:
    linked(tmp_path)
    browser = Browser(tmp_path, {})
    write(browser.root, {"Store.java": DEMANDING})
    assert whole(browser.get("/changes.json").json["result"]) == BROKEN


def test_a_graph_that_is_behind_still_tells_which_files_to_link(tmp_path: Path) -> None:
    """As of a large tree, where an answer does not wait until the graph follows an edit."""
    root = tmp_path / "root"
    commit(root, FILES)
    opened = Reviewed(root, tmp_path / "data")
    write(root, {"Store.java": DEMANDING})
    opened.parts.manager.refresh(FOREVER)
    review = opened.review()
    opened.close()
    assert places(review) == [("breaks", "FileStore.java", 1, "Store.drop")]
    assert any("behind" in note for note in review.notes)


def test_an_index_that_is_behind_is_not_taken_for_the_files(tmp_path: Path) -> None:
    """As of a tree that is not compared as a whole: what differs is read, and linked."""
    root = tmp_path / "root"
    commit(root, FILES)
    opened = Reviewed(root, tmp_path / "data")
    write(root, {"Store.java": DEMANDING})
    assert places(opened.review()) == [("breaks", "FileStore.java", 1, "Store.drop")]
    write(root, {"Store.java": STORE})
    (root / "FileStore.java").unlink()
    assert opened.review().notes
    opened.close()


@pytest.mark.parametrize("is_linked", [False, True])
def test_a_command_waits_for_no_other_process_that_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_linked: bool
) -> None:
    """Files that may break are linked for the answer; an older graph tells more of them."""
    root, data = tmp_path / "root", tmp_path / "data"
    files = {**FILES, "FileStore.java": FILES["FileStore.java"].replace("BigStore", "Store")}
    commit(root, FILES if is_linked else files)
    manager = served(root, data).manager
    manager.refresh(FOREVER)
    if is_linked:
        manager.link(FOREVER)
    write(root, {"Store.java": DEMANDING})
    monkeypatch.setattr("repo_mcp.cli.search.index.COMMAND_WAIT", replace(COMMAND_WAIT, lock=0.0))
    with manager.graph_index.store.lock(0.0):
        words = ["changes", "--json", "--data-dir", str(data)]
        found = run_command(root, words, piped=True)
    manager.close()
    assert shown(json.loads(found.out)) == BROKEN
    assert "still being linked" in found.err


OPTIONS = "export interface Options {\n  size: number;\n}\n"
OF_OBJECTS = {
    "options.ts": OPTIONS,
    "take.ts": "import { Options } from './options';\nexport function take(o: Options): void {}\n",
    "plain.ts": "import { Options } from './options';\nconst plain: Options = { size: 1 };\n",
    "call.ts": "import { take } from './take';\ntake({ size: 1 });\n",
}
WIDER = OPTIONS.replace("number;", "number;\n  name: string;")
LACKING = {("breaks", "plain.ts", 2), ("breaks", "call.ts", 2)}


@pytest.mark.parametrize("is_behind", [False, True])
def test_objects_that_lack_a_new_member_are_in_the_first_answer(
    tmp_path: Path, *, is_behind: bool
) -> None:
    root = tmp_path / "root"
    commit(root, OF_OBJECTS)
    opened = Reviewed(root, tmp_path / "data")
    write(root, {"options.ts": WIDER})
    opened.parts.manager.refresh(FOREVER)
    if not is_behind:
        opened.parts.manager.link(FOREVER)
    review = opened.review()
    opened.close()
    assert {item[:3] for item in places(review)} == LACKING


def test_a_command_a_tool_and_a_page_name_them(tmp_path: Path) -> None:
    root, data = tmp_path / "root", tmp_path / "data"
    commit(root, OF_OBJECTS)
    browser = Browser(tmp_path, {})
    write(root, {"options.ts": WIDER})
    words = ["changes", "--json", "--data-dir", str(data)]
    assert whole(json.loads(run_command(root, words, piped=True).out)) == LACKING
    assert whole(browser.get("/changes.json").json["result"]) == LACKING
    answer = browser.app.call("repo.changes", {}, lambda: False)["structuredContent"]
    assert whole(answer["result"]) == LACKING
