"""A published index that is read at once and copied meanwhile: in the end, all of it is here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from index_format import Snapshot
from repo_mcp.errors import Problem
from repo_mcp.indexing.keep import background as background_module
from repo_mcp.indexing.keep.background import BackgroundRefresh
from repo_mcp.remote import publish_index
from repo_mcp.remote.objects import object_store, ranges
from repo_mcp.services import Services, services
from repo_mcp.settings import Options
from tests.repo_mcp.remote.publish.servers import programs
from tests.repo_mcp.remote.publish.servers.toxic_link import Toxic, ToxicLink, from_on, tcp
from tests.repo_mcp.repository.test_index_in_place import TREE, build, checkout, hits
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.trees import FOREVER, indexed, segment_names
from tests.waiting import HANG, until

pytestmark = pytest.mark.servers

pytest.importorskip("obstore", reason="the extra `cluster` is not installed")


@pytest.fixture
def published(tmp_path: Path) -> Services:
    made = checkout(tmp_path / "one")
    build(made)
    publish_index(made.settings, made.manager.single, (tmp_path / "published").as_uri(), FOREVER)
    return made


@pytest.fixture(scope="module")
def moto_port() -> Iterator[int]:
    with programs.moto_server() as port:
        yield port


@pytest.fixture
def bucket(moto_port: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[ToxicLink]:
    """A link to an empty bucket, on which each request is sent once."""
    monkeypatch.setattr(object_store, "RETRIES", 0)
    programs.new_bucket(moto_port)
    ranges.shared_reader.cache_clear()  # the link of an earlier test has another port
    with ToxicLink(tcp(moto_port)) as link:
        for name, value in programs.s3_variables(link.port).items():
            monkeypatch.setenv(name, value)
        yield link


def copying(tmp_path: Path, **options: Any) -> Services:  # noqa: ANN401 any option
    options = {
        "index_from": (tmp_path / "published").as_uri(),
        "index_cache": str(tmp_path / "cache"),
        **options,
    }
    return checkout(tmp_path / "two", **options)


def own_segments(tmp_path: Path) -> list[str]:
    return sorted(file.name for file in (tmp_path / "two" / "data").rglob("seg-*.rix"))


def copy(parts: Services) -> tuple[int, int]:
    manager = parts.manager
    assert manager.copies
    return manager.copy(FOREVER)


def forget_blocks(tmp_path: Path) -> None:
    """Let the copier ask for all of it, as small segments come whole with their first pages."""
    for file in (tmp_path / "cache" / "blocks").rglob("*"):
        if file.is_file():
            file.unlink()


def snapshot_of(parts: Services) -> Snapshot:
    found = parts.manager.snapshot()
    assert found is not None
    return found


def test_the_first_answer_comes_before_a_segment_is_copied(
    published: Services, tmp_path: Path
) -> None:
    parts = copying(tmp_path)
    assert parts.manager.refresh(FOREVER).added == 0
    assert hits(parts) == hits(published)
    assert own_segments(tmp_path) == []
    count = len(segment_names(published.manager.single))
    copied, left = copy(parts)
    assert (copied >= count, left) == (True, 0)
    assert hits(parts) == hits(published)
    assert parts.manager.stored.disk_use().shared == 0


def test_nothing_is_needed_of_the_place_any_more(published: Services, tmp_path: Path) -> None:
    """By this process, whose segments were open before, and by the next one."""
    parts = copying(tmp_path)
    assert build(parts) == 0
    early = snapshot_of(parts)
    copy(parts)
    (tmp_path / "published").rename(tmp_path / "gone")
    expected = hits(published)
    assert sorted(path for path in early.paths() if early.file(path)) == sorted(TREE)
    assert hits(parts) == expected
    again = copying(tmp_path)
    assert build(again) == 0
    assert hits(again) == expected
    assert again.manager.graph().current
    assert copy(again) == (0, 0)


def test_a_server_copies_by_itself(published: Services, tmp_path: Path) -> None:
    parts = copying(tmp_path)
    background = BackgroundRefresh(parts.manager, None)
    try:
        background.wait_until_ready(FOREVER.within(HANG))
        assert hits(parts) == hits(published)
        assert until(lambda: own_segments(tmp_path) != [] and copy(parts) == (0, 0))
        assert background.notes == []
    finally:
        background.close()
    (tmp_path / "published").rename(tmp_path / "gone")
    assert hits(parts) == hits(published)


def test_a_server_that_starts_later_goes_on(published: Services, tmp_path: Path) -> None:
    build(copying(tmp_path))
    assert own_segments(tmp_path) == []
    parts = copying(tmp_path)
    background = BackgroundRefresh(parts.manager, None)
    try:
        background.freshen()
        assert until(lambda: own_segments(tmp_path) != [] and copy(parts) == (0, 0))
    finally:
        background.close()
    assert hits(parts) == hits(published)


def test_segments_are_merged_once_they_are_here(tmp_path: Path) -> None:
    made = checkout(tmp_path / "one", {})
    for at in range(3):
        write(Path(made.settings.root), dict(list(TREE.items())[at::3]))
        made.manager.refresh(FOREVER)
    before = segment_names(made.manager.single)
    assert len(before) == 3
    publish_index(made.settings, made.manager.single, (tmp_path / "published").as_uri(), FOREVER)
    parts = copying(tmp_path)
    assert build(parts) == 0
    assert segment_names(parts.manager.single) == before
    write(Path(parts.settings.root), {f"pkg/m{n}.py": f"x{n} = {n}\n" for n in range(30)})
    parts.manager.refresh(FOREVER)
    parts.manager.tidy(FOREVER)
    assert set(before).isdisjoint(own_segments(tmp_path))
    copy(parts)
    parts.manager.tidy(FOREVER)
    assert len(segment_names(parts.manager.single)) == 1
    assert sorted(indexed(parts.manager.single)) == sorted(TREE)


def test_what_is_copied_is_lent_to_other_checkouts(published: Services, tmp_path: Path) -> None:
    """Not before: the folder that they share would be filled over the network."""
    git = tmp_path / "two" / "root" / ".git"
    write(git, {"HEAD": "1" * 40 + "\n"})
    (git / "refs").mkdir()
    (git / "objects").mkdir()
    parts = copying(tmp_path, index_share="always")
    assert build(parts) == 0
    lent = tmp_path / "cache" / "v1" / "segments"
    assert list(lent.iterdir()) == []
    copy(parts)
    parts.manager.tidy(FOREVER)
    assert sorted(file.name for file in lent.iterdir()) != []
    assert own_segments(tmp_path) == []
    (tmp_path / "published").rename(tmp_path / "gone")
    assert hits(parts) == hits(published)


def test_an_altered_segment_ends_reading_and_the_index_is_made_here(
    published: Services, tmp_path: Path
) -> None:
    parts = copying(tmp_path)
    assert build(parts) == 0
    for file in (tmp_path / "published" / "v1" / "segments").iterdir():
        data = file.read_bytes()
        file.write_bytes(data[:-100] + bytes([data[-100] ^ 1]) + data[-99:])
    forget_blocks(tmp_path)
    copy(parts)
    assert sorted(indexed(parts.manager.single)) == sorted(TREE)
    assert hits(parts) == hits(published)
    assert copy(parts) == (0, 0)
    assert own_segments(tmp_path) != []


def test_a_place_that_is_lost_is_tried_again(
    published: Services, tmp_path: Path, bucket: ToxicLink, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Copied parts answer; a server goes on copying once the place is there again."""
    monkeypatch.setattr(background_module, "_COPY_PAUSES", (0.0,) * 1000)
    url = "s3://bucket/team/repo"
    publish_index(published.settings, published.manager.single, url, FOREVER)
    parts = copying(tmp_path, index_from=url)
    assert build(parts) == 0
    expected = hits(published)
    assert hits(parts) == expected
    bucket.begin(from_on(0, Toxic.RESET))
    forget_blocks(tmp_path)
    with pytest.raises(Problem) as caught:
        copy(parts)
    assert caught.value.code == "store_unavailable"
    background = BackgroundRefresh(parts.manager, None)
    try:
        background.freshen()
        assert until(lambda: any("still read at its address" in note for note in background.notes))
        bucket.begin(lambda _: None)
        assert until(lambda: own_segments(tmp_path) != [] and copy(parts) == (0, 0))
        assert until(lambda: not any("address" in note for note in background.notes))
    finally:
        background.close()
    bucket.begin(from_on(0, Toxic.RESET))
    assert hits(copying(tmp_path, index_from=url)) == expected
    assert bucket.requests == []


@pytest.mark.parametrize("toxic", [Toxic.REFUSED, Toxic.RESET, Toxic.HALF])
def test_copying_is_whole_whatever_happens_to_any_request(
    published: Services, tmp_path: Path, bucket: ToxicLink, toxic: Toxic
) -> None:
    url = "s3://bucket/team/repo"
    publish_index(published.settings, published.manager.single, url, FOREVER)
    parts = copying(tmp_path, index_from=url)
    assert build(parts) == 0
    forget_blocks(tmp_path)
    failed, left = 0, 1
    while left:
        bucket.begin(from_on(1, toxic))
        try:
            _, left = copy(parts)
        except Problem as problem:
            assert problem.code == "store_unavailable"  # noqa: PT017 the loop goes on
            failed += 1
    assert failed > 2
    assert hits(parts) == hits(published)
    assert sorted(indexed(parts.manager.single)) == sorted(TREE)


def test_with_trusted_keys_an_index_is_copied_before_it_is_used(
    published: Services, tmp_path: Path
) -> None:
    trusting = Options(
        published.settings.root,
        str(tmp_path / "three"),
        index_from=(tmp_path / "published").as_uri(),
        index_trust=(f"ed25519:{'A' * 43}",),
    )
    assert not services(trusting).manager.copies
