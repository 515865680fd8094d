"""Workers that see no checkout: a commit in a repository, or of an archive in the store."""

from __future__ import annotations

import io
import shutil
import tarfile
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")
pytest.importorskip("obstore", reason="the extra `cluster` is not installed")

from repo_mcp.errors import Problem
from repo_mcp.indexing.build.recipe import Recipe
from repo_mcp.indexing.build.tasks import FileTask
from repo_mcp.remote.cluster import ClusterEngine, ClusterRunner
from repo_mcp.remote.cluster.inputs import write_file
from repo_mcp.remote.cluster.sources import Materials, open_source
from repo_mcp.remote.publish import ObjectStore, open_store
from repo_mcp.services import services
from repo_mcp.settings import Options
from tests.repo_mcp.git.test_objects import git
from tests.repo_mcp.remote.cluster.test_build import (
    TREE,
    Build,
    engine,
    expected,
    many_parts,
    root,
    workers,
)
from tests.repo_mcp.trees import FOREVER, sandbox, segment_names, served, write

pytestmark = pytest.mark.servers

__all__ = ["engine", "expected", "many_parts", "root", "workers"]
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
PLACE = "trees/one.tar"


def commit(root: Path) -> None:
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "all")


class BuildElsewhere(Build):
    """A build whose workers find no checkout at the path of the recipe."""

    def __init__(self, engine: ClusterEngine, folder: Path, files: str) -> None:
        super().__init__(engine, folder, files)
        make = self.make

        def astray(recipe: Recipe) -> ClusterRunner:
            runner = make(recipe)
            assert isinstance(runner, ClusterRunner)
            runner._record["root"] = str(folder / "nowhere")
            return runner

        self.make = astray

    def settle(self) -> list[str]:
        """The segments after what follows on every machine: comparing files, and merging."""
        self.parts.manager.refresh(FOREVER)
        self.parts.manager.tidy(FOREVER, full=True)
        return self.names


@pytest.mark.servers
@needs_git
@pytest.mark.parametrize("kind", ["checkout", "bare clone", "archive"])
def test_workers_without_a_checkout_build_its_bytes(
    engine: ClusterEngine, tmp_path: Path, root: Path, expected: list[str], kind: str
) -> None:
    commit(root)
    files = f"git:{root}"
    if kind == "bare clone":
        git(tmp_path, "clone", "-q", "--bare", str(root), "bare.git")
        files = f"git:{tmp_path / 'bare.git'}"
    elif kind == "archive":
        (tmp_path / "store/trees").mkdir(parents=True)
        git(root, "archive", "--format=tar", "-o", str(tmp_path / "store" / PLACE), "HEAD")
        files = f"tar:{PLACE}"
    build = BuildElsewhere(engine, tmp_path, files)
    assert build.run().complete
    assert build.names == expected
    assert build.runners[-1].made_here == 0
    build.runners[-1].clean()
    assert build.settle() == expected


@pytest.mark.servers
@needs_git
def test_what_a_commit_lacks_is_indexed_from_the_checkout(
    engine: ClusterEngine, tmp_path: Path, root: Path
) -> None:
    commit(root)
    write(root, {"pkg0/module0.py": "def renamed():\n    return 1\n", "new.py": "x = 1\n"})
    (root / "pkg1/module1.py").unlink()
    build = BuildElsewhere(engine, tmp_path, f"git:{root}")
    build.run()
    alone = served(root, tmp_path / "alone", workers=1)
    alone.manager.refresh(FOREVER)
    alone.manager.tidy(FOREVER, full=True)
    assert build.settle() == segment_names(alone.manager)


@pytest.mark.servers
@needs_git
def test_parts_of_a_commit_that_workers_lack_are_made_here(
    engine: ClusterEngine, tmp_path: Path, root: Path, expected: list[str]
) -> None:
    commit(root)
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    build = BuildElsewhere(engine, tmp_path, f"git:{other}")
    build.run()
    assert build.runners[-1].made_here > 1
    assert build.names == expected


def archive(*files: tuple[str, bytes], kind: str = "w:") -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=kind) as tar:  # type: ignore[call-overload]
        for name, data in files:
            item = tarfile.TarInfo(name)
            item.size = len(data)
            tar.addfile(item, io.BytesIO(data))
    return made.getvalue()


@pytest.fixture
def store(tmp_path: Path) -> ObjectStore:
    return open_store((tmp_path / "store").as_uri(), write=True)


def laid_out(store: ObjectStore, tmp_path: Path, *wanted: str) -> dict[str, bytes]:
    root = write(tmp_path / "tree", {"x.py": ""})
    recipe = Recipe.of(services(Options(str(root), str(tmp_path / "data"))).settings)
    tasks = [FileTask(path) for path in wanted]
    found = open_source(f"tar:{PLACE}", recipe, sandbox(root), store, set()).part(tasks)
    assert found.files == tasks
    copy = tmp_path / "copy"
    copy.mkdir()
    Materials(store, str(copy)).lay_out(found.inputs, tasks)
    return {
        str(file.relative_to(copy)): file.read_bytes() for file in copy.rglob("*") if file.is_file()
    }


def test_files_of_an_archive_are_ranges_of_it(store: ObjectStore, tmp_path: Path) -> None:
    long = "folder/" * 30 + "é.py"
    large = bytes(range(256)) * 1000
    files = [("./a.py", b"one"), ("big", large), (long, b"two"), ("empty", b""), ("z/last", b"3")]
    store.put(PLACE, [archive(*files)])
    wanted = ["z/last", "a.py", long, "empty", "none"]
    assert laid_out(store, tmp_path, *wanted) == {
        "a.py": b"one",
        long: b"two",
        "empty": b"",
        "z/last": b"3",
    }


@pytest.mark.parametrize(
    "data",
    [archive(("a", b"b"), kind="w:gz"), b"", b"no archive" * 99],
    ids=["compressed", "empty", "text"],  # a compressed one has the time in it
)
def test_what_is_no_archive_is_refused(store: ObjectStore, tmp_path: Path, data: bytes) -> None:
    store.put(PLACE, [data])
    with pytest.raises(Problem) as caught:
        laid_out(store, tmp_path, "a")
    assert caught.value.code == "argument_invalid"


@pytest.mark.parametrize("files", ["tar:one.tar", "tar:../x/one.tar", "zip:a/b", "tar:no/such", ""])
def test_a_source_that_can_not_be_meant_is_refused(
    store: ObjectStore, tmp_path: Path, files: str
) -> None:
    root = write(tmp_path / "tree", TREE)
    recipe = Recipe.of(services(Options(str(root), str(tmp_path / "data"))).settings)
    with pytest.raises(Problem) as caught:
        open_source(files, recipe, sandbox(root), store, set())
    assert caught.value.code == "argument_invalid"


@pytest.mark.parametrize("path", ["../out.py", "/abs.py", "a/../../out.py", ".git/config", "a//b"])
def test_nothing_is_laid_out_outside(tmp_path: Path, path: str) -> None:
    (tmp_path / "copy").mkdir()
    with pytest.raises(Problem):
        write_file(str(tmp_path / "copy"), path, b"x")
    assert not (tmp_path / "out.py").exists()
    assert not list((tmp_path / "copy").iterdir())
