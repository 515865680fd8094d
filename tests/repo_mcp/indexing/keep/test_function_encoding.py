"""Functions are encoded behind all other work, file by file, and each content once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from repo_mcp.budget import Budget
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep.background import BackgroundRefresh
from repo_mcp.indexing.keep.function_encoding import EncodingState, FunctionEncoding
from repo_mcp.indexing.keep.manager import IndexManager
from repo_mcp.vectors.function_encoder import FunctionEncoder
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, segment_names, served, text_of
from tests.repo_mcp.vectors.encoder_files import write_encoder
from tests.waiting import until

MEANINGS = (("remove", "delete"), ("paint", "canvas"))
FUNCTION = "def {}(row):\n    remove(row)\n    return row\n"
TREE: dict[str, str | bytes] = {
    "a.py": FUNCTION.format("first") + FUNCTION.format("second"),
    "b.py": FUNCTION.format("third"),
    "short.py": "def fourth(): pass\n",
    "text.md": "# Words\n\nmore\n\nwords\n",
}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tokenizers")
    return write_encoder(tmp_path / "model", MEANINGS)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", TREE)


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of functions in the order in which they are encoded."""
    names: list[str] = []
    encode = FunctionEncoder.functions

    def functions(encoder: FunctionEncoder, named: Sequence[tuple[str, str]]) -> list[bytes]:
        names.extend(name for name, _ in named)
        return encode(encoder, named)

    monkeypatch.setattr(FunctionEncoder, "functions", functions)
    return names


@pytest.fixture
def manager(root: Path, tmp_path: Path, model: Path) -> IndexManager:
    found = served(root, tmp_path / "data", function_encoder=str(model)).manager
    found.refresh(FOREVER)
    return found


def run(manager: IndexManager, *, busy_after: int = 1000) -> FunctionEncoding:
    """Encode until there is other work, after so many files."""
    left = iter(range(busy_after))
    found = manager.encoding()
    assert found is not None
    with suppress(Problem):
        found.encode(Budget(cancelled=lambda: next(left, None) is None))
    return found


def test_nothing_is_encoded_without_an_encoder(root: Path, tmp_path: Path) -> None:
    assert served(root, tmp_path / "data").manager.encoding() is None


def test_each_function_is_encoded_once(manager: IndexManager, encoded: list[str]) -> None:
    assert run(manager).state == (3, 3, None)
    assert sorted(encoded) == ["first", "second", "third"]
    assert run(manager).state == (3, 3, None)
    assert len(encoded) == 3


def test_the_index_does_not_depend_on_it(root: Path, tmp_path: Path, manager: IndexManager) -> None:
    run(manager)
    segments, generation = segment_names(manager), text_of(manager).generation
    manager.close()
    without = served(root, tmp_path / "data").manager
    assert without.refresh(FOREVER).updated == 0
    assert (segment_names(without), text_of(without).generation) == (segments, generation)


def test_other_work_comes_first_and_the_rest_is_encoded_later(
    manager: IndexManager, encoded: list[str]
) -> None:
    stopped = run(manager, busy_after=1)
    assert stopped.state.encoded < stopped.state.all == 3
    done = [*encoded]
    assert run(manager).state == (3, 3, None)
    assert sorted(encoded) == ["first", "second", "third"]
    assert encoded[: len(done)] == done


def test_an_edit_costs_its_file(root: Path, manager: IndexManager, encoded: list[str]) -> None:
    run(manager)
    encoded.clear()
    write(root, {"b.py": FUNCTION.format("fifth")})
    (root / "a.py").rename(root / "moved.py")
    manager.refresh(FOREVER)
    assert run(manager).state == (3, 3, None)
    assert encoded == ["fifth"]


def test_a_file_that_changed_since_it_was_indexed_waits_for_the_index(
    root: Path, manager: IndexManager, encoded: list[str]
) -> None:
    write(root, {"b.py": FUNCTION.format("fifth"), "a.py": FUNCTION.format("sixth")})
    (root / "a.py").unlink()
    assert run(manager).state == (0, 3, None)
    assert encoded == []


def test_methods_are_named_by_their_class(
    root: Path, manager: IndexManager, encoded: list[str]
) -> None:
    write(root, {"c.py": "class Shelf:\n    def drop(self):\n        x = 1\n        return x\n"})
    manager.refresh(FOREVER)
    run(manager)
    assert {"Shelf", "Shelf.drop"} <= set(encoded)


@pytest.fixture
def background(manager: IndexManager) -> Iterator[BackgroundRefresh]:
    made = BackgroundRefresh(manager, None, links=10)
    yield made
    made.close()


def test_a_background_thread_encodes_when_all_else_is_done(
    manager: IndexManager, background: BackgroundRefresh, root: Path
) -> None:
    encoding = background.encoding
    assert encoding is not None
    assert encoding.state == EncodingState()
    background.refresh(FOREVER)
    until(lambda: encoding.state == EncodingState(3, 3))
    assert manager.graph().current
    write(root, {"c.py": FUNCTION.format("fifth")})
    background.refresh(FOREVER)
    until(lambda: encoding.state == EncodingState(4, 4))
    assert encoding.state.text == "4 of 4 functions are encoded"


def test_a_process_that_ends_does_not_wait_for_a_large_file(
    root: Path, manager: IndexManager, encoded: list[str]
) -> None:
    write(root, {"large.py": "".join(FUNCTION.format(f"f{number}") for number in range(200))})
    manager.refresh(FOREVER)
    encoding = manager.encoding()
    assert encoding is not None
    with pytest.raises(Problem):
        encoding.encode(Budget(cancelled=lambda: len(encoded) > 20))
    assert 20 < len(encoded) < 100
    # the file is not half there
    assert encoding.state.encoded <= 3
    assert run(manager).state.encoded == 203


def test_an_encoder_that_can_not_be_used_stops_nothing(
    root: Path, tmp_path: Path, model: Path
) -> None:
    (model / "model.onnx").write_bytes(b"damaged")
    found = served(root, tmp_path / "data", function_encoder=str(model)).manager
    background = BackgroundRefresh(found, None)
    try:
        background.refresh(FOREVER)
        encoding = background.encoding
        assert encoding is not None
        until(lambda: encoding.state.failure is not None)
        assert "can't be loaded" in encoding.state.text
        assert background.refresh(FOREVER).complete
    finally:
        background.close()
