"""A published index that is read where it is: equal answers, no copy, nothing altered believed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from index_format import WeightedTerm, top_chunks
from repo_mcp.errors import Problem
from repo_mcp.remote import publish_index
from repo_mcp.services import Services, services
from repo_mcp.settings import Options
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, indexed, segment_names

pytest.importorskip("obstore", reason="the extra `cluster` is not installed")
TREE: dict[str, str | bytes] = {
    f"pkg/m{number}.py": f"import pkg.m{number // 2}\n\n\ndef call{number}():\n"
    f"    return pkg.m{number // 2}.call{number // 2}()\n"
    for number in range(40)
}


def checkout(
    folder: Path,
    files: dict[str, str | bytes] = TREE,
    **options: Any,  # noqa: ANN401 any option
) -> Services:
    root = folder / "root"
    root.mkdir(parents=True, exist_ok=True)
    write(root, files)
    return services(Options(str(root), str(folder / "data"), **options))


def build(parts: Services) -> int:
    done = parts.manager.refresh(FOREVER)
    parts.manager.tidy(FOREVER)
    parts.manager.link(FOREVER)
    return done.added


@pytest.fixture
def published(tmp_path: Path) -> Services:
    made = checkout(tmp_path / "one")
    build(made)
    publish_index(made.settings, made.manager.single, (tmp_path / "published").as_uri(), FOREVER)
    return made


def in_place(tmp_path: Path, **options: Any) -> Services:  # noqa: ANN401 any option
    url = (tmp_path / "published").as_uri()
    options |= {"index_from": url, "index_in_place": True, "index_cache": str(tmp_path / "blocks")}
    return checkout(tmp_path / "two", **options)


def copies(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "two" / "data").rglob("seg-*.rix"))


def hits(parts: Services) -> list[Any]:
    snapshot = parts.manager.snapshot()
    assert snapshot is not None
    return top_chunks(snapshot, [WeightedTerm("symbol", b"call"), WeightedTerm("body", b"pkg")], 20)


def test_answers_are_those_of_a_copy_and_no_segment_is_copied(
    published: Services, tmp_path: Path
) -> None:
    parts = in_place(tmp_path)
    assert build(parts) == 0
    assert segment_names(parts.manager.single) == segment_names(published.manager.single)
    assert hits(parts) == hits(published)
    assert parts.manager.graph().current
    assert copies(tmp_path) == []
    assert parts.manager.stored.disk_use().shared > 0


def test_what_differs_is_indexed_here(published: Services, tmp_path: Path) -> None:
    assert published.manager.graph().current
    root = write(tmp_path / "two" / "root", TREE)
    (root / "pkg" / "m7.py").write_text("def changed():\n    return 7\n", "utf-8")
    (root / "pkg" / "m9.py").unlink()
    given = {"index_from": (tmp_path / "published").as_uri(), "index_in_place": True}
    options = {**given, "index_cache": str(tmp_path / "blocks")}
    parts = services(Options(str(root), str(tmp_path / "two" / "data"), **options))  # type: ignore[arg-type]
    done = parts.manager.refresh(FOREVER)
    assert (done.added, done.updated, done.removed) == (0, 1, 1)
    parts.manager.link(FOREVER)
    assert parts.manager.graph().current
    assert sorted(indexed(parts.manager.single)) == sorted(set(TREE) - {"pkg/m9.py"})
    assert len(copies(tmp_path)) >= 1


def test_what_is_read_in_place_is_never_merged_into_a_copy(tmp_path: Path) -> None:
    """Though it is no canonical layout, and though all that was edited here is merged."""
    made = checkout(tmp_path / "one", {})
    for at in range(3):
        write(Path(made.settings.root), dict(list(TREE.items())[at::3]))
        made.manager.refresh(FOREVER)
    before = segment_names(made.manager.single)
    assert len(before) == 3
    publish_index(made.settings, made.manager.single, (tmp_path / "published").as_uri(), FOREVER)
    parts = in_place(tmp_path)
    build(parts)
    assert segment_names(parts.manager.single) == before
    for number in range(12):
        path = f"pkg/m{number}.py"
        (Path(parts.settings.root) / path).write_text(f"def late{number}(): pass\n", "utf-8")
        parts.manager.refresh_paths([path], FOREVER, deep=True)
        parts.manager.tidy(FOREVER)
    own = set(segment_names(parts.manager.single)).difference(before)
    assert len(own) < 6
    text = tmp_path / "two" / "data" / "index"
    assert {path.name for path in text.rglob("seg-*.rix")}.isdisjoint(before)
    assert sorted(indexed(parts.manager.single)) == sorted(TREE)


def test_with_keys_every_byte_is_verified_and_so_copied(published: Services) -> None:
    pytest.importorskip("nacl", reason="the extra `cluster` is not installed")
    tmp_path = Path(published.settings.root).parents[1]
    parts = in_place(tmp_path, index_trust=(f"ed25519:{'A' * 43}",))
    assert build(parts) == len(TREE)  # nobody has signed it


def test_an_altered_page_is_refused_and_the_index_made_here(
    published: Services, tmp_path: Path
) -> None:
    for file in (tmp_path / "published" / "v1" / "segments").iterdir():
        data = file.read_bytes()
        middle = len(data) // 2
        file.write_bytes(data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :])
    parts = in_place(tmp_path)
    build(parts)
    build(parts)
    assert sorted(indexed(parts.manager.single)) == sorted(TREE)
    assert hits(parts) == hits(published)


def test_a_place_that_vanishes_is_an_error_or_a_build(published: Services, tmp_path: Path) -> None:
    build(in_place(tmp_path))
    before = hits(published)
    shutil.rmtree(tmp_path / "published")
    shutil.rmtree(tmp_path / "blocks")
    (tmp_path / "published").mkdir()
    parts = in_place(tmp_path)
    try:
        build(parts)
    except Problem as problem:
        assert problem.code == "index_unavailable"  # noqa: PT017 either is right
        return
    assert hits(parts) == before
