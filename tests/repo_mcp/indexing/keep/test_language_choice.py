"""Each repository has its own languages, independent of the process and other repositories."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from code_graph import LANGUAGES
from code_graph.language import LanguageChoice
from code_graph.store.schema import FACTS
from repo_mcp.app import App
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.services import services
from repo_mcp.settings import Options
from repo_mcp.stored import INDEX_FOLDER
from tests.repo_mcp.trees import FOREVER, Services, served, text_of, write

GUIDE = "# Guide\n\nHow to retry a call.\n\n## Backoff\n\nIt doubles.\n"
TREE: dict[str, str | bytes] = {
    **{f"guide/{number}.md": f"{GUIDE}\n## Step {number}\n" for number in range(6)},
    "notes.rst": "Notes\n=====\n\nRetry twice.\n",
    "plain.txt": "retry\n",
}
EDITED = "guide/3.md"
WORKERS_ONLY = "repo_mcp.indexing.keep.refresh._IN_PROCESS_FILES"


def retrieval_root(root: Path, data: Path) -> IndexManager:
    """The index of a root of the toolset `retrieval`: no language is parsed."""
    given = services(Options(str(root), str(data), workers=1)).settings
    unparsed = LanguageChoice(disabled=tuple(item.name for item in LANGUAGES))
    settings = replace(given, languages=unparsed)
    return IndexManager(settings, Recipe.of(settings).sandbox())


def segments(manager: IndexManager, data: Path) -> dict[str, bytes]:
    """All segments after a full merge, byte for byte."""
    manager.tidy(FOREVER, full=True)
    names = [entry.name for entry in text_of(manager).manifest.segments]
    return {name: (data / INDEX_FOLDER / name).read_bytes() for name in names}


def with_facts(manager: IndexManager) -> set[str]:
    """The files of an index that were parsed."""
    snapshot = text_of(manager)
    return {path for path in snapshot.paths() if snapshot.attachment(path, FACTS)}


@pytest.mark.requirement("INT-02-deterministic")
@pytest.mark.parametrize("by_workers", [False, True], ids=["in this process", "by workers"])
def test_an_edit_and_its_undo_leave_the_bytes_of_a_fresh_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, by_workers: bool
) -> None:
    root = write(tmp_path / "root", TREE)
    edited = retrieval_root(root, tmp_path / "edited")
    with monkeypatch.context() as patched:
        patched.setattr(WORKERS_ONLY, 0)
        edited.refresh(FOREVER)
    # one small file, and of a parser that nothing is feared from: that is done in this process
    for text in (f"{GUIDE}\n## Another step\n", str(TREE[EDITED])):
        write(root, {EDITED: text})
        assert edited.refresh(FOREVER).updated == 1
    fresh = retrieval_root(root, tmp_path / "fresh")
    with monkeypatch.context() as patched:
        if by_workers:
            patched.setattr(WORKERS_ONLY, 0)
        fresh.refresh(FOREVER)
    assert with_facts(edited) == with_facts(fresh) == set()
    assert segments(edited, tmp_path / "edited") == segments(fresh, tmp_path / "fresh") != {}


CHOICES = {
    "all": "",
    "no_prose": "[adapters.markdown]\nenabled = false\n",
    "prose_in_text": "[adapters.markdown]\nextensions = ['.txt']\n",
}


def repositories(folder: Path) -> dict[str, Services]:
    """Equal files in several repositories, each with a choice of its own, opened in one process."""
    tree: dict[str, str | bytes] = {"a.md": GUIDE, "b.txt": GUIDE}
    for name, text in CHOICES.items():
        write(folder / name, {**tree, "repo_mcp.toml": text})
    return {name: served(folder / name, folder / f"{name}.data", workers=1) for name in CHOICES}


@pytest.mark.requirement("INT-08.2-repo-config")
@pytest.mark.parametrize("by_workers", [False, True], ids=["in this process", "by workers"])
def test_repositories_of_one_process_are_each_parsed_as_they_choose(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, by_workers: bool
) -> None:
    if by_workers:
        monkeypatch.setattr(WORKERS_ONLY, 0)
    opened = repositories(tmp_path)
    for made in opened.values():
        made.manager.refresh(FOREVER)
    found = {name: with_facts(made.manager) for name, made in opened.items()}
    assert found == {"all": {"a.md"}, "no_prose": set(), "prose_in_text": {"a.md", "b.txt"}}


@pytest.mark.requirement("INT-08.2-repo-config")
def test_tools_of_several_repositories_answer_by_the_choice_of_their_own(tmp_path: Path) -> None:
    repositories(tmp_path)
    apps = {
        name: App(Options(str(tmp_path / name), str(tmp_path / f"{name}.data"), watch=False))
        for name in CHOICES
    }

    def result(name: str, tool: str, **arguments: object) -> dict[str, Any]:
        answer = apps[name].call(tool, arguments, lambda: False)
        found: dict[str, Any] = answer["structuredContent"]["result"]
        return found

    enabled: dict[str, list[str]] = {}
    for name in [*CHOICES, *CHOICES]:  # the second round asks each when all of them are open
        enabled[name] = result(name, "repo.status")["enabled_adapters"]
    outlines = {
        name: [
            result(name, "repo.outline", path=path).get("language", "")
            for path in ("a.md", "b.txt")
        ]
        for name in CHOICES
    }
    assert {name for name in CHOICES if "markdown" in enabled[name]} == {"all", "prose_in_text"}
    assert outlines == {
        "all": ["markdown", ""],
        "no_prose": ["", ""],
        "prose_in_text": ["markdown", "markdown"],
    }
