"""Check, repair, status and cleaning know the graph beside the text index."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from code_graph.store.schema import GraphProgress
from index_format import Severity
from repo_mcp.indexing.keep.keeper import IndexSummary
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.services import services
from repo_mcp.settings import Options
from repo_mcp.stored import GRAPH_INDEX, STORED_KINDS
from tests.repo_mcp.bit_rot import hide_touch
from tests.repo_mcp.trees import FOREVER, CallbackListener, write

pytestmark = pytest.mark.servers

FILES: dict[str, str | bytes] = {
    "a.py": "def needle(): pass\n",
    "b.py": "from a import needle\nneedle()\n",
}


def opened(root: Path) -> IndexManager:
    return services(Options(str(root), str(root.parent / "data"))).manager.single


@pytest.fixture
def manager(tmp_path: Path) -> IndexManager:
    """A repository whose graph is in its second generation at least."""
    root = write(tmp_path / "root", FILES)
    manager = opened(root)
    manager.refresh(FOREVER)
    manager.link(FOREVER)
    write(root, {"c.py": "from b import needle\nneedle()\n"})
    manager.refresh(FOREVER)
    manager.link(FOREVER)
    return opened(root)


def summaries(manager: IndexManager) -> list[IndexSummary]:
    return manager.stored.summarise(manager.snapshot())


def folder_of(manager: IndexManager) -> Path:
    return Path(manager.index_dir) / GRAPH_INDEX.folder


def errors(manager: IndexManager) -> list[str]:
    return [item.file for item in manager.stored.check() if item.severity == Severity.ERROR]


def rot(path: Path, at: int) -> None:
    content = bytearray(path.read_bytes())
    content[at % len(content)] ^= 0x10
    path.write_bytes(content)


def text_files(manager: IndexManager) -> dict[str, bytes]:
    folder = Path(manager.index_dir) / "index"
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "lock"}


def test_every_index_has_a_folder_and_a_record_of_its_own() -> None:
    assert len({kind.folder for kind in STORED_KINDS}) == len(STORED_KINDS)
    assert len({kind.origin for kind in STORED_KINDS}) == len(STORED_KINDS)
    assert len({kind.schema for kind in STORED_KINDS}) == len(STORED_KINDS)


@pytest.mark.parametrize("part", [0.0, 0.3, 0.7, 0.99])
@pytest.mark.parametrize("number", range(4))
def test_rot_in_any_file_of_the_graph_is_found_and_repaired(
    manager: IndexManager, number: int, part: float
) -> None:
    assert errors(manager) == []
    before = text_files(manager)
    found = manager.graph().snapshot
    assert found is not None
    names = [entry.name for entry in found.manifest.segments]
    names += ["CURRENT", f"manifest-{found.generation:012}.json"]
    path = folder_of(manager) / names[number % len(names)]
    rot(path, int(path.stat().st_size * part))
    hide_touch(path.parents[1], GRAPH_INDEX)
    broken = opened(Path(manager._given.root))
    assert errors(broken), path.name
    assert all(name.startswith("graph/") for name in errors(broken))
    broken.repair(FOREVER)
    assert errors(broken) == []
    assert broken.graph().current
    assert text_files(broken) == before


def unlink_segments(folder: Path) -> None:
    for path in folder.glob("seg-*"):
        path.unlink()


def cut_off(folder: Path) -> None:
    for path in folder.glob("seg-*"):
        path.write_bytes(path.read_bytes()[:200])


@pytest.mark.parametrize("damage", [unlink_segments, cut_off])
def test_status_and_repair_say_what_is_wrong(
    manager: IndexManager, damage: Callable[[Path], None]
) -> None:
    (_, summary) = summaries(manager)
    assert (summary.is_current, summary.problem) == (True, "")
    damage(folder_of(manager))
    (_, summary) = summaries(opened(Path(manager._given.root)))
    assert summary.problem
    manager.repair(FOREVER)
    (_, summary) = summaries(manager)
    assert (summary.is_current, summary.problem) == (True, "")


def test_files_that_nobody_published_are_no_part_of_the_graph(manager: IndexManager) -> None:
    folder = folder_of(manager)
    (segment, *_) = folder.glob("seg-*")
    (folder / ("seg-" + "0" * 32)).write_bytes(segment.read_bytes())
    (folder / "notes.txt").write_text("x")
    assert errors(manager) == []
    assert opened(Path(manager._given.root)).graph().current


def test_a_text_index_that_was_made_anew_is_another_one(manager: IndexManager) -> None:
    """Its generations count from the beginning, and may come to the same number."""
    found = manager.graph().snapshot
    assert found is not None
    write(Path(manager._given.root), {"a.py": "def other(): pass\n"})
    for path in (Path(manager.index_dir) / "index").iterdir():
        if path.name != "lock":
            path.unlink()
    again = opened(Path(manager._given.root))
    text = again.snapshot()
    while text is None or text.generation < GraphProgress.of(found).text:
        generation = 0 if text is None else text.generation
        write(Path(manager._given.root), {"a.py": f"def other{generation}(): pass\n"})
        again.refresh(FOREVER)
        text = again.snapshot()
        assert text is not None
        assert text.generation > generation
    assert text.generation == GraphProgress.of(found).text
    assert not again.graph().current
    again.link(FOREVER)
    assert again.graph().current


def test_files_of_all_indexes_are_listed_and_shown(manager: IndexManager) -> None:
    names = list(manager.stored.dump(None, None, 1))
    assert "CURRENT" in names
    assert "graph/CURRENT" in names
    assert list(manager.stored.dump("graph/CURRENT", None, 5)) != list(
        manager.stored.dump("CURRENT", None, 5)
    )


def test_a_full_merge_takes_the_graph_too(manager: IndexManager) -> None:
    (_, summary) = summaries(manager)
    assert summary.snapshot is not None
    assert len(summary.snapshot.segments) > 1
    manager.tidy(FOREVER, full=True)
    (_, summary) = summaries(manager)
    assert summary.snapshot is not None
    assert len(summary.snapshot.segments) == 1
    assert len(list(folder_of(manager).glob("seg-*"))) == 1


WEB: dict[str, str | bytes] = {
    "package.json": '{"workspaces": ["kit", "ui"]}',
    "kit/package.json": '{"name": "@x/kit", "main": "a.ts"}',
    "kit/a.ts": "export function f() {}\n",
    "kit/b.ts": "export function f() {}\n",
    "ui/package.json": '{"name": "ui"}',
    "ui/use.ts": "import { f } from '@x/kit'\nf()\n",
    "ui/other.ts": "export const x = 1\n",
}
# an edit of a manifest, and how many files it links again
EDITS: list[tuple[dict[str, str | bytes], int]] = [
    ({"kit/package.json": '{"name": "@x/kit", "main": "a.ts", "version": "2"}'}, 0),
    ({"kit/package.json": '{"name": "@x/kit", "main": "b.ts"}'}, 1),
    ({"ui/tsconfig.json": '{"compilerOptions": {"paths": {"@x/kit": ["../kit/a"]}}}'}, 1),
    ({"ui/package.json": '{"name": "app"}'}, 2),
]


def merged(manager: IndexManager) -> dict[str, bytes]:
    manager.tidy(FOREVER, full=True)
    return {path.name: path.read_bytes() for path in folder_of(manager).glob("seg-*")}


def linked_by(manager: IndexManager) -> int:
    files = [0]
    manager.link(FOREVER, CallbackListener(lambda now: files.append(now.files)))
    return files[-1]


def test_edits_of_manifests_link_few_files_and_end_in_the_bytes_of_a_fresh_graph(
    tmp_path: Path,
) -> None:
    root = write(tmp_path / "root", WEB)
    manager = opened(root)
    manager.refresh(FOREVER)
    manager.link(FOREVER)
    for edit, count in EDITS:
        write(root, edit)
        manager.refresh(FOREVER)
        assert linked_by(manager) == count, edit
        assert manager.graph().current
    fresh = services(Options(str(root), str(tmp_path / "fresh"))).manager.single
    fresh.refresh(FOREVER)
    fresh.link(FOREVER)
    assert merged(manager) == merged(fresh)
