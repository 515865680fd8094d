"""Pulling over links that cut connections and answer by halves: all of it, or nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from bench.publish.link import Link
from bench.publish.web import Web
from repo_mcp.errors import Problem
from repo_mcp.remote.objects import object_store
from repo_mcp.remote.publish import ObjectStore, open_store
from tests.repo_mcp.remote.publish.checkouts import Checkout, publish, pull

pytest.importorskip("obstore", reason="the extra `cluster` is not installed")

FILES = {f"m{number}.py": f"word{number} " * 40 for number in range(30)}


@contextmanager
def place(folder: Path, source: Checkout) -> Iterator[Web]:
    publish(open_store(folder.as_uri(), write=True), source)
    with Web(folder) as web:
        yield web


@pytest.fixture(autouse=True)
def few_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_store, "RETRIES", 0)


def store_over(link: Link) -> ObjectStore:
    return open_store(f"http://127.0.0.1:{link.port}/")


def test_a_link_carries_what_it_is_given(tmp_path: Path) -> None:
    source, target = Checkout(FILES), Checkout()
    with place(tmp_path, source) as web, Link(web.port) as link:
        report = pull(store_over(link), target)
        assert target.contents() == source.contents()
        assert link.answered > report.fetched_size
        assert link.connections >= 1


def attempt(link: Link, target: Checkout) -> str:
    """Pull once; the code of the problem, with which the index stays what it was."""
    before = target.contents()
    try:
        pull(store_over(link), target)
    except Problem as problem:
        code = problem.code
    else:
        return ""
    assert target.contents() == before
    return code


@pytest.mark.differential
@settings(max_examples=15, deadline=None)
@given(
    cuts=st.lists(st.one_of(st.none(), st.integers(0, 9000)), min_size=1, max_size=6),
    before=st.booleans(),
)
def test_cut_connections_leave_the_old_or_the_new_index(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int | None], *, before: bool
) -> None:
    """Answers end at any byte, in headers and in bodies; later connections are whole."""
    source = Checkout(FILES)
    target = Checkout({"old.py": "old"} if before else {})
    new = source.contents()
    folder = tmp_path_factory.mktemp("published")

    def cut_after(connection: int) -> int | None:
        return cuts[connection] if connection < len(cuts) else None

    with place(folder, source) as web, Link(web.port, cut_after=cut_after) as link:
        # a pull makes connections until one fails, so that so many pulls meet all that are cut
        codes = [code for code in (attempt(link, target) for _ in range(len(cuts) + 1)) if code]
        assert {*codes} <= {"store_unavailable", "publication_invalid"}
        assert len(codes) <= len(cuts)
        assert target.contents() == new
        assert target.is_sound()


def test_half_of_a_segment_is_never_taken_for_the_whole(tmp_path: Path) -> None:
    """A server that lies: the length that it tells is that of the half it sends."""
    source = Checkout(FILES)
    with place(tmp_path, source) as web:
        (segment,) = (tmp_path / "v1" / "segments").glob(source.segments()["index"][0])
        segment.write_bytes(segment.read_bytes()[: segment.stat().st_size // 2])
        target = Checkout()
        with Link(web.port) as link, pytest.raises(Problem) as caught:
            pull(store_over(link), target)
    assert caught.value.code == "publication_invalid"
    assert target.contents() == {}


def test_a_link_that_ends_ends_its_connections(tmp_path: Path) -> None:
    with place(tmp_path, Checkout(FILES)) as web:
        with Link(web.port) as link:
            store = store_over(link)
            assert store.get("v1/labels/main.json", 1 << 10) is not None
        with pytest.raises(Problem) as caught:
            store.get("v1/labels/main.json", 1 << 10)
    assert caught.value.code == "store_unavailable"
