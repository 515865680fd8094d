"""Orders and what they are made of: hashes, archives, counts; and addresses of engines."""

from __future__ import annotations

import zlib
from pathlib import Path

import msgpack
import pytest

pytest.importorskip("obstore", reason="the extra `cluster` is not installed")
pytest.importorskip("distributed", reason="the extra `cluster` is not installed")

from index_format.records import replace
from repo_mcp.errors import Problem
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.build.tasks import FileTask
from repo_mcp.model import Windows
from repo_mcp.remote.cluster import orders
from repo_mcp.remote.cluster.cost import CostReport, CountingStore
from repo_mcp.remote.cluster.engine import open_engine
from repo_mcp.remote.cluster.inputs import pack_files, unpack_files
from repo_mcp.remote.publish import open_store
from repo_mcp.services import services
from repo_mcp.settings import Options
from tests.repo_mcp.trees import sandbox, write

FILES: dict[str, str | bytes] = {"a.py": "one = 1\n", "folder/b.bin": b"\0\xff", ".env": "KEY=1\n"}


@pytest.fixture
def recipe(tmp_path: Path) -> Recipe:
    root = write(tmp_path / "root", FILES)
    return Recipe.of(services(Options(str(root), str(tmp_path / "data"))).settings)


def test_a_recipe_is_the_same_wherever_its_files_are(recipe: Recipe) -> None:
    elsewhere = replace(recipe, root="/other", data_dir="/data", index_dir="/data", folder=(1, 2))
    assert orders.recipe_hash(elsewhere) == orders.recipe_hash(recipe)


def test_a_recipe_differs_by_settings_and_by_versions(
    recipe: Recipe, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {
        orders.recipe_hash(recipe),
        orders.recipe_hash(replace(recipe, windows=Windows(7, 1))),
        orders.recipe_hash(replace(recipe, max_file_bytes=5)),
        orders.recipe_hash(replace(recipe, deny_globs=("*.key",))),
    }
    for name in ("facts", "link", "expressions", "store.schema"):
        monkeypatch.setattr(f"code_graph.{name}.VERSION", "of another program")
        known.add(orders.recipe_hash(recipe))
    assert len(known) == 8


def test_an_input_is_named_by_all_that_its_result_depends_on() -> None:
    names = {
        orders.build_input("r", [True, [["a", b""]]], [b"1"]),
        orders.build_input("s", [True, [["a", b""]]], [b"1"]),
        orders.build_input("r", [False, [["a", b""]]], [b"1"]),
        orders.build_input("r", [True, [["b", b""]]], [b"1"]),
        orders.build_input("r", [True, [["a", b"1"]]], [b"1"]),
        orders.build_input("r", [True, [["a", b""]]], [b"2"]),
        orders.merge_input("r", [True, [["a", b""]]]),
        orders.lower_input("r", ["a"], [b"1"]),
        orders.lower_input("s", ["a"], [b"1"]),
        orders.lower_input("r", ["b"], [b"1"]),
        orders.lower_input("r", ["a"], [b"2"]),
        orders.link_input("r", "l", "t", ["a"]),
        orders.link_input("s", "l", "t", ["a"]),
        orders.link_input("r", "m", "t", ["a"]),
        orders.link_input("r", "l", "u", ["a"]),
        orders.link_input("r", "l", "t", ["b"]),
    }
    assert len(names) == 16


def test_an_archive_has_the_files_and_none_that_are_denied(tmp_path: Path, recipe: Recipe) -> None:
    packed = pack_files(sandbox(Path(recipe.root)), [FileTask(path) for path in FILES])
    assert [item.path for item in packed.files] == ["a.py", "folder/b.bin"]
    assert [(item.path, item.outcome) for item in packed.unread] == [(".env", "path_denied")]
    store = CountingStore(open_store((tmp_path / "store").as_uri(), write=True))
    store.put(packed.name, [packed.data])
    (tmp_path / "copy").mkdir()
    unpack_files(store, packed.name, str(tmp_path / "copy"))
    assert (tmp_path / "copy/folder/b.bin").read_bytes() == b"\0\xff"
    size = len(packed.data)
    assert store.cost == CostReport(requests=2, sent=size, received=size)


@pytest.mark.parametrize("path", ["../out.py", "/abs.py", "a/../../out.py", ".git/config", "a//b"])
def test_an_archive_never_writes_outside(tmp_path: Path, path: str) -> None:
    store = open_store((tmp_path / "store").as_uri(), write=True)
    store.put("v1/parts/bad.files", [zlib.compress(msgpack.packb([[path, b"x"]]))])
    (tmp_path / "copy").mkdir()
    with pytest.raises(Problem):
        unpack_files(store, "v1/parts/bad.files", str(tmp_path / "copy"))
    assert not (tmp_path / "out.py").exists()
    assert not list((tmp_path / "copy").iterdir())


@pytest.mark.servers
@pytest.mark.parametrize("url", ["local:0", "local:x", "http://host:80", "dask://", "dask://h", ""])
def test_an_address_that_is_no_engine_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(Problem) as caught, open_engine(url, str(tmp_path)):
        raise AssertionError
    assert caught.value.code == "argument_invalid"
