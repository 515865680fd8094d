"""Vectors in an index: made with it, kept by merges, made anew for another model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from index_format import CorruptIndexError, Snapshot
from repo_mcp.errors import Problem
from repo_mcp.stored import VECTORS
from repo_mcp.vectors import sums
from repo_mcp.vectors.choice import choose_embedder, open_embedder
from repo_mcp.vectors.packing import pack
from repo_mcp.vectors.sums import vector_of
from tests.repo_mcp.trees import FOREVER, Services, segment_names, served, write
from tests.repo_mcp.vectors.tables import random_table

TREE: dict[str, str | bytes] = {
    "net/http.py": "def parseHTTPHeader(raw):\n    return raw.split(':')\n",
    "docs/größe.md": "# Größe\n\nremove or delete it\n" + "line of words\n" * 300,
    "empty.txt": "",
    "zebra.txt": "read the header\n",
}


def serve(tmp_path: Path, model: Path | None, data: str = "data") -> Services:
    options: dict[str, object] = {"embeddings": False}
    if model is not None:
        options = {"embeddings": True, "embedding_model": str(model)}
    return served(tmp_path / "root", tmp_path / data, workers=1, **options)


def snapshot_of(services: Services) -> Snapshot:
    services.manager.refresh(FOREVER)
    found = services.manager.snapshot()
    assert found is not None
    return found


def rows(snapshot: Snapshot, path: str, width: int) -> list[bytes]:
    file = snapshot.file(path)
    assert file is not None
    held = snapshot.attachment(path, VECTORS)
    return [held[at : at + width] for at in range(0, len(held), width)]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    write(tmp_path / "root", TREE)
    random_table(tmp_path / "model")
    return tmp_path / "model"


def test_every_chunk_has_the_vector_of_its_lines(tmp_path: Path, model: Path) -> None:
    snapshot = snapshot_of(serve(tmp_path, model))
    table, embedder = random_table(tmp_path / "same"), choose_embedder(str(model))
    assert embedder is not None
    for path, content in TREE.items():
        assert isinstance(content, str)
        file = snapshot.file(path)
        assert file is not None
        lines = content.splitlines(keepends=True)
        found = rows(snapshot, path, embedder.width)
        assert len(found) == file.last_chunk - file.first_chunk
        for chunk, row in enumerate(found, file.first_chunk):
            first, last = snapshot.lines_of(chunk)
            vector = vector_of(table, "".join(lines[first - 1 : last]), path)
            assert row == pack(vector[None, :]).tobytes()
            assert snapshot.chunk_rows(chunk, VECTORS, embedder.width) == (
                file.first_chunk,
                b"".join(found),
            )
    assert snapshot.attached_bytes(VECTORS) == embedder.width * snapshot.chunk_count


def test_an_edited_index_equals_a_fresh_one(tmp_path: Path, model: Path) -> None:
    services = serve(tmp_path, model)
    snapshot_of(services)
    write(tmp_path / "root", {"net/http.py": "x = 1\n", "new/remove.py": "def delete(): pass\n"})
    snapshot_of(services)
    services.manager.tidy(FOREVER)
    fresh = serve(tmp_path, model, "fresh")
    snapshot_of(fresh)
    assert segment_names(services.manager) == segment_names(fresh.manager)


def test_without_embeddings_nothing_is_stored(tmp_path: Path, model: Path) -> None:
    assert model.exists()
    snapshot = snapshot_of(serve(tmp_path, None))
    assert snapshot.attached_bytes(VECTORS) == 0
    assert snapshot.chunk_rows(0, VECTORS, 8) == (0, b"")


def test_another_model_makes_the_vectors_anew(tmp_path: Path, model: Path) -> None:
    before = snapshot_of(serve(tmp_path, model))
    held = before.attachment("net/http.py", VECTORS)
    random_table(tmp_path / "other", seed=2)
    services = serve(tmp_path, tmp_path / "other")
    assert services.manager.snapshot() is None
    after = snapshot_of(services)
    assert after.attachment("net/http.py", VECTORS) not in {b"", held}
    assert list(after.paths()) == list(before.paths())


def test_rows_of_another_length_are_damage(tmp_path: Path, model: Path) -> None:
    snapshot = snapshot_of(serve(tmp_path, model))
    with pytest.raises(CorruptIndexError, match=VECTORS):
        snapshot.chunk_rows(0, VECTORS, 7)


def test_a_damaged_vector_is_noticed(tmp_path: Path, model: Path) -> None:
    snapshot = snapshot_of(serve(tmp_path, model))
    segment = next(item for item in snapshot.segments if item.reader.file_count)
    place = tmp_path / "data" / "index" / segment.entry.name
    row = snapshot.attachment("net/http.py", VECTORS)
    assert not list(serve(tmp_path, model).manager.stored.check())
    data = bytearray(place.read_bytes())
    at = data.index(row)
    data[at] ^= 1
    place.chmod(0o644)
    place.write_bytes(data)
    assert list(serve(tmp_path, model).manager.stored.check())


def test_a_model_that_is_gone_is_a_problem(tmp_path: Path, model: Path) -> None:
    with pytest.raises(Problem, match="embedding model"):
        serve(tmp_path, model / "nowhere")


def test_equal_bytes_with_and_without_compiled_sums(
    tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = snapshot_of(serve(tmp_path, model))
    monkeypatch.setattr(sums.text_sums, "__defaults__", (None,))
    open_embedder.cache_clear()
    plain = snapshot_of(serve(tmp_path, model, "plain"))
    open_embedder.cache_clear()
    names = [[entry.name for entry in item.manifest.segments] for item in (compiled, plain)]
    assert names[0] == names[1]
    assert np.frombuffer(compiled.attachment("net/http.py", VECTORS), np.uint8).any()
