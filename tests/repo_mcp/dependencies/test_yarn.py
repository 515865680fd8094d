"""Packages of Yarn's Plug'n'Play are read in their archives, and their map is only data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from repo_mcp.dependencies import find_packages
from tests.repo_mcp.dependencies.installed import archive
from tests.repo_mcp.dependencies.test_answers import served
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.workspace.workspaces import call, text_of

PAD = {
    "package.json": '{"name": "left-pad", "version": "1.3.0", "main": "index.js"}',
    "index.js": "export function leftPad(text, size) {\n  return widen(text, size);\n}\n"
    "function widen(text) {\n  return text;\n}\n",
}
CACHED = ".yarn/cache/left-pad-npm-1.3.0-0a1b2c3d4e-5f6a7b8c9d.zip"


def registry(location: str, reference: str = "npm:1.3.0") -> dict[str, object]:
    own = {
        "packageLocation": "./",
        "packageDependencies": [["left-pad", reference]],
        "linkType": "SOFT",
    }
    pad = {
        "packageLocation": location,
        "packageDependencies": [["left-pad", reference]],
        "linkType": "HARD",
    }
    return {
        "__info": ["it's a map"],
        "packageRegistryData": [
            [None, [[None, own]]],
            ["app", [["workspace:.", own]]],
            ["left-pad", [[reference, pad]]],
        ],
    }


def quoted(state: Mapping[str, object]) -> str:
    """The script as Yarn writes it."""
    text = json.dumps(state, indent=2).replace("\\", "\\\\").replace("'", "\\'")
    text = text.replace("\n", "\\\n")
    return (
        f"/* eslint-disable */\nconst RAW_RUNTIME_STATE =\n'{text}';\n\n"
        "function $$SETUP_STATE(hydrate, basePath) {\n"
        "  return hydrate(JSON.parse(RAW_RUNTIME_STATE), {basePath});\n}\n"
        "require('fs').writeFileSync('ran.txt', 'x');\n"
    )


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with an archive in its own cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("YARN_GLOBAL_FOLDER", str(tmp_path / "yarn"))
    monkeypatch.delenv("YARN_CACHE_FOLDER", raising=False)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    root = tmp_path / "app"
    write(
        root,
        {
            "package.json": '{"name": "app", "dependencies": {"left-pad": "^1.0.0"}}',
            "main.js": 'import { leftPad } from "left-pad";\n\n'
            "export function show(text) {\n  return leftPad(text, 2);\n}\n",
            ".pnp.cjs": quoted(registry(f"./{CACHED}/node_modules/left-pad/")),
        },
    )
    archive(root / CACHED, {f"node_modules/left-pad/{name}": text for name, text in PAD.items()})
    return root


def found_in(root: Path) -> list[tuple[str, str, str, bool]]:
    return [
        (item.name, item.version, item.folder, item.is_direct)
        for item in find_packages(str(root), ["package.json", ".pnp.cjs"]).all
    ]


def place(root: Path) -> str:
    return str(root / CACHED / "node_modules/left-pad")


def test_the_map_says_names_versions_and_places(root: Path) -> None:
    assert found_in(root) == [("left-pad", "1.3.0", place(root), True)]
    assert not (root / "ran.txt").exists()


@pytest.mark.parametrize("form", ["data", "call"])
def test_older_forms_of_the_map(root: Path, form: str) -> None:
    state = json.dumps(registry(f"./{CACHED}/node_modules/left-pad/"))
    if form == "data":
        write(root, {".pnp.data.json": state, ".pnp.cjs": "require('./.pnp.data.json')"})
    else:
        write(root, {".pnp.cjs": f"return hydrateRuntimeState({state}, {{basePath: x}});\n"})
    assert found_in(root) == [("left-pad", "1.3.0", place(root), True)]


def test_virtual_places_lead_to_the_one_archive(root: Path) -> None:
    location = "./.yarn/__virtual__/left-pad-virtual-1a2b3c/0/cache/"
    location += f"{Path(CACHED).name}/node_modules/left-pad/"
    state = registry(location, "virtual:abc#npm:1.3.0")
    write(root, {".pnp.cjs": quoted(state)})
    assert found_in(root) == [("left-pad", "1.3.0", place(root), True)]


def test_unplugged_packages_are_folders(root: Path) -> None:
    inner = ".yarn/unplugged/left-pad-npm-1.3.0-0a1b/node_modules/left-pad"
    write(root, {f"{inner}/{name}": text for name, text in PAD.items()})
    write(root, {".pnp.cjs": quoted(registry(f"./{inner}/"))})
    assert found_in(root) == [("left-pad", "1.3.0", str(root / inner), True)]


def test_archives_outside_count_in_the_users_own_cache_alone(root: Path) -> None:
    files = {f"node_modules/left-pad/{name}": text for name, text in PAD.items()}
    mine = archive(root.parent / "yarn/cache/left-pad.zip", files)
    other = archive(root.parent / "other/left-pad.zip", files)
    for path, there in ((mine, True), (other, False)):
        location = f"../{path.relative_to(root.parent)}/node_modules/left-pad/"
        write(root, {".pnp.cjs": quoted(registry(location))})
        assert bool(found_in(root)) is there
    (root / "link.zip").symlink_to(other)
    write(root, {".pnp.cjs": quoted(registry("./link.zip/node_modules/left-pad/"))})
    assert found_in(root) == []
    write(root, {".pnp.cjs": quoted(registry("../other/"))})
    assert found_in(root) == []


@pytest.mark.parametrize(
    "text",
    ["", "const RAW_RUNTIME_STATE = 'x';", "hydrateRuntimeState({", "[" * 100_000, "\0"]
    + [f"hydrateRuntimeState({json.dumps(one)})" for one in ({}, {"packageRegistryData": 1})]
    + [
        f"hydrateRuntimeState({json.dumps({'packageRegistryData': one})})"
        for one in ([1], [["a"]], [["a", [["b", 1]]]], [["a", [["b", {"packageLocation": 1}]]]])
    ],
    ids=range(11),
)
def test_a_broken_map_has_no_packages(root: Path, text: str) -> None:
    write(root, {".pnp.cjs": text})
    assert found_in(root) == []


def test_calls_and_searches_lead_into_archives_without_unpacking(root: Path) -> None:
    before = sorted(root.rglob("*"))
    with served(root) as app:
        show = text_of(app, "repo.symbol", name="show")
        assert "leftPad (deps:left-pad/index.js:1)" in show
        assert "widen" in text_of(app, "repo.open_file", path="deps:left-pad/index.js")
        assert "deps:left-pad/index.js" in text_of(app, "repo.search", query="widen in:deps")
        found = text_of(app, "repo.symbol", name="left-pad.leftPad")
        assert "main.js" in found
        for path in ("deps:left-pad/../left-pad/index.js", "deps:left-pad/node_modules/x"):
            assert call(app, "repo.open_file", path=path)["isError"]
    assert sorted(root.rglob("*")) == before
