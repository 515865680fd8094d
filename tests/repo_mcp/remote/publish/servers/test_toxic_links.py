"""Publishing to and pulling from real servers, over links on which requests fail in any way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from repo_mcp.errors import Problem
from repo_mcp.remote.objects import object_store
from repo_mcp.remote.publish import open_store
from tests.repo_mcp.remote.publish.checkouts import (
    Checkout,
    broken_publications,
    label_of,
    publish,
    pull,
)
from tests.repo_mcp.remote.publish.conftest import ServedStore
from tests.repo_mcp.remote.publish.servers import programs
from tests.repo_mcp.remote.publish.servers.toxic_link import Toxic, ToxicLink, at, every_third, unix

pytest.importorskip("obstore", reason="the extra `cluster` is not installed")
BEFORE, AFTER = {"a.py": "one two"}, {"a.py": "one three", "b.py": "four"}


@pytest.fixture
def once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each request is sent once, so that each failure is met by who made the request."""
    monkeypatch.setattr(object_store, "RETRIES", 0)


@pytest.mark.usefixtures("once")
@pytest.mark.parametrize("toxic", Toxic)
def test_publishing_is_whole_whatever_happens_to_any_request(
    served_store: ServedStore, toxic: Toxic
) -> None:
    link, source = served_store.link, Checkout(BEFORE)
    known = {publish(served_store.open(), source).publication}
    number, is_over = 0, False
    codes: set[str] = set()
    while not is_over:
        source.change({**AFTER, "number.py": f"word{number}"})
        link.begin(at(number, toxic))
        try:
            publish(served_store.open(), source)
        except Problem as problem:
            codes.add(problem.code)
        is_over = number >= len(link.requests)
        link.begin(lambda _: None)
        store = served_store.open()
        assert list(broken_publications(store)) == []
        found = label_of(store)
        report = publish(store, source)
        assert found in known | {report.publication}
        assert label_of(store) == report.publication
        known.add(report.publication)
        number += 1
    target = Checkout()
    pull(served_store.open(), target)
    assert target.contents() == source.contents()
    assert codes == (set() if toxic is Toxic.LATE else {"store_unavailable"})


@pytest.mark.usefixtures("once")
@pytest.mark.parametrize("toxic", Toxic)
def test_pulling_is_whole_or_nothing_whatever_happens_to_any_request(
    served_store: ServedStore, toxic: Toxic
) -> None:
    source = Checkout(AFTER)
    publish(served_store.open(), source)
    _pull_at_each_request(served_store.url, served_store.link, source, toxic)


@pytest.fixture
def web(tmp_path: Path) -> Iterator[tuple[ToxicLink, Checkout]]:
    """A folder that was published to, as nginx serves it."""
    source = Checkout(AFTER)
    publish(open_store((tmp_path / "published").as_uri(), write=True), source)
    (tmp_path / "nginx").mkdir()
    with (
        programs.nginx(tmp_path / "nginx", tmp_path / "published") as socket,
        ToxicLink(unix(socket)) as link,
    ):
        yield link, source


@pytest.mark.servers
@pytest.mark.usefixtures("once")
@pytest.mark.parametrize("toxic", Toxic)
def test_a_web_server_is_pulled_from_whatever_happens_to_any_request(
    web: tuple[ToxicLink, Checkout], toxic: Toxic
) -> None:
    link, source = web
    _pull_at_each_request(f"{link.url}/", link, source, toxic)


def _pull_at_each_request(url: str, link: ToxicLink, source: Checkout, toxic: Toxic) -> None:
    number, is_over = 0, False
    codes: set[str] = set()
    while not is_over:
        link.begin(at(number, toxic))
        target = Checkout()
        try:
            pull(open_store(url), target)
        except Problem as problem:
            codes.add(problem.code)
            assert target.contents() == {}
            link.begin(lambda _: None)
            pull(open_store(url), target)
        else:
            is_over = number >= len(link.requests)
        assert target.contents() == source.contents()
        assert target.is_sound()
        number += 1
    assert number > 3
    assert codes == (set() if toxic is Toxic.LATE else {"store_unavailable"})


def test_each_request_is_made_again_whatever_happens_to_it(served_store: ServedStore) -> None:
    """Also those whose answers are cut, and those that obstore does not repeat."""
    link, source, target = served_store.link, Checkout(BEFORE), Checkout()
    for toxic in (Toxic.LOST, Toxic.HALF):
        number, is_over = 0, False
        while not is_over:
            source.change({**AFTER, "number.py": f"{toxic} {number}"})
            link.begin(at(number, toxic))
            publish(served_store.open(), source)
            is_over = number >= len(link.requests)
            number += 1
    pull(served_store.open(), target)
    assert target.contents() == source.contents()


def test_retries_publish_and_pull_where_a_third_of_all_requests_fail(
    served_store: ServedStore,
) -> None:
    source, target = Checkout(BEFORE), Checkout()
    served_store.link.begin(every_third)
    for files in (AFTER, BEFORE, AFTER):
        source.change(files)
        publish(served_store.open(), source)
        pull(served_store.open(), target)
        assert target.contents() == source.contents()
    assert list(broken_publications(served_store.open())) == []
    assert len(served_store.link.requests) > 30


@pytest.mark.servers
def test_retries_pull_from_a_web_server_where_a_third_of_all_requests_fail(
    web: tuple[ToxicLink, Checkout],
) -> None:
    link, source = web
    link.begin(every_third)
    for _ in range(3):
        target = Checkout()
        pull(open_store(f"{link.url}/"), target)
        assert target.contents() == source.contents()
