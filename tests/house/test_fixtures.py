"""A loop over no fixtures proves nothing: folders of fixtures are never empty."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
FIXTURE_FOLDERS = ("golden", "gallery", "data")


def hollow(tests: Path) -> Iterator[Path]:
    """Every folder in or below a fixture folder that holds neither a file nor a folder."""
    for name in FIXTURE_FOLDERS:
        for top in tests.rglob(name):
            folders = [top, *top.rglob("*")]
            yield from (item for item in folders if item.is_dir() and not any(item.iterdir()))


def test_no_fixture_folder_is_empty() -> None:
    assert list(hollow(TESTS)) == []


def test_an_empty_fixture_folder_is_noticed(tmp_path: Path) -> None:
    full, empty = tmp_path / "a" / "golden", tmp_path / "b" / "gallery"
    full.mkdir(parents=True)
    (full / "one.bin").write_bytes(b"x")
    empty.mkdir(parents=True)
    assert list(hollow(tmp_path)) == [empty]
    (full / "nested").mkdir()
    assert sorted(hollow(tmp_path)) == [full / "nested", empty]
