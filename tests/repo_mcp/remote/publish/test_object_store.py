"""Places for objects: one contract for memory, folders, S3 and Azure; web servers are only read."""

from __future__ import annotations

import os
import re
import stat
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from index_format.late_import import how_to_install
from repo_mcp.errors import Problem
from repo_mcp.remote.objects import object_store
from repo_mcp.remote.objects.remote_store import RemoteStore
from repo_mcp.remote.publish import ObjectStore, open_store
from tests.repo_mcp.remote.publish.checkouts import (
    Checkout,
    broken_publications,
    label_of,
    publish,
    pull,
)
from tests.repo_mcp.remote.publish.conftest import ServedStore
from tests.repo_mcp.remote.publish.objects import DictObjects

obstore = pytest.importorskip("obstore.store", reason="the extra `cluster` is not installed")
Maker = Callable[[], ObjectStore]
NAME = "v1/labels/main.json"


@pytest.fixture(params=["dict", "memory", "folder", "s3", "azure", "gcs"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    if request.param == "dict":
        return DictObjects()
    if request.param == "memory":
        return RemoteStore(obstore.MemoryStore())
    if request.param == "folder":
        return open_store((tmp_path / "published").as_uri(), write=True)
    found = request.getfixturevalue(request.param)
    assert isinstance(found, ServedStore)
    return found.open()


def test_the_contract_of_a_place(place: ObjectStore) -> None:
    assert place.get(NAME, 10) is None
    assert place.create(NAME, b"one")
    assert not place.create(NAME, b"two")
    found = place.get(NAME, 10)
    assert found is not None
    assert found.data == b"one"
    assert place.replace(NAME, b"three", found.version)
    assert not place.replace(NAME, b"four", found.version)
    large = bytes(range(256)) * (6 << 12)
    place.put("v1/segments/x.rix", [large[:100], large[100:]])
    assert place.read("v1/segments/x.rix", 300, 20) == large[300:320]
    assert place.read("v1/segments/x.rix", len(large) - 5, 5) == large[-5:]
    rows = {row.name: row for row in place.rows("v1")}
    assert {name: row.size for name, row in rows.items() if "/lock/" not in name} == {
        NAME: 5,
        "v1/segments/x.rix": len(large),
    }
    assert [row.name for row in place.rows("v1/segments")] == ["v1/segments/x.rix"]
    assert rows[NAME].modified <= rows["v1/segments/x.rix"].modified
    assert place.size("v1/segments/x.rix") == len(large)
    assert place.size("v1/segments/y.rix") is None
    with pytest.raises(Problem):
        place.get("v1/segments/x.rix", 100)
    place.remove(NAME)
    place.remove(NAME)
    assert place.get(NAME, 10) is None
    assert not place.replace(NAME, b"five", found.version)


def test_a_missing_object_is_no_segment(place: ObjectStore) -> None:
    with pytest.raises(Problem) as caught:
        place.read("v1/segments/none.rix", 0, 5)
    assert caught.value.code == "publication_invalid"


def test_what_is_published_there_can_be_pulled(place: ObjectStore) -> None:
    source, target = Checkout({"a.py": "one two"}), Checkout()
    publish(place, source)
    source.change({"a.py": "one three"})
    publish(place, source, pin=True)
    pull(place, target)
    assert target.contents() == source.contents()
    assert list(broken_publications(place)) == []


def test_labels_that_many_move_at_once_name_one_of_theirs(tmp_path: Path) -> None:
    url = (tmp_path / "published").as_uri()
    checkouts = [Checkout({"a.py": f"word{number}"}) for number in range(6)]
    done: list[str] = []

    def work(checkout: Checkout) -> None:
        done.append(publish(open_store(url, write=True), checkout).publication)

    threads = [threading.Thread(target=work, args=(checkout,)) for checkout in checkouts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    place = open_store(url)
    assert len(set(done)) == len(checkouts)
    assert label_of(place) in done
    assert list(broken_publications(place)) == []


class Web:
    """A web server of a folder on this machine, which knows ranges and counts requests."""

    def __init__(self, folder: Path, *, ranges: bool = True) -> None:
        web = self
        self.requests: list[str] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                web.requests.append(self.path)
                file = folder / self.path.lstrip("/")
                if not file.is_file():
                    self.send_error(404)
                    return
                data = file.read_bytes()
                asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
                self.send_response(206 if asked and ranges else 200)
                if asked and ranges:
                    first, last = int(asked[1]), min(int(asked[2]), len(data) - 1)
                    self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
                    data = data[first : last + 1]
                self.send_header("Content-Length", str(len(data)))
                self.send_header("Last-Modified", "Sun, 22 Nov 2026 12:00:00 GMT")
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        self._thread = threading.Thread(target=self.server.serve_forever)
        self._thread.start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self._thread.join()


def test_a_plain_web_server_is_read_by_ranges(tmp_path: Path) -> None:
    source = Checkout({"a.py": "one two"}, commit="1" * 40)
    publish(open_store(tmp_path.as_uri(), write=True), source)
    web = Web(tmp_path)
    try:
        for before in ((), ("1" * 40,)):
            target = Checkout(commit="2" * 40, before=before)
            report = pull(open_store(web.url), target)
            assert report.ancestor == bool(before)
            assert target.contents() == source.contents()
    finally:
        web.stop()
    assert len(web.requests) < 20


def test_a_web_server_without_ranges_is_said(tmp_path: Path) -> None:
    publish(open_store(tmp_path.as_uri(), write=True), Checkout({"a.py": "one two"}))
    web = Web(tmp_path, ranges=False)
    target = Checkout()
    try:
        with pytest.raises(Problem, match="does not support") as caught:
            pull(open_store(web.url), target)
    finally:
        web.stop()
    assert caught.value.code == "store_unavailable"
    assert target.contents() == {}


def test_a_server_that_is_not_there_is_said_without_secrets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(object_store, "RETRIES", 0)
    web = Web(Path("/nonexistent"))
    web.stop()
    url = web.url.replace("http://", "http://user:hidden@") + "?sig=hidden"
    with pytest.raises(Problem) as caught:
        pull(open_store(url), Checkout())
    assert caught.value.code == "store_unavailable"
    assert "hidden" not in caught.value.reason


@pytest.mark.parametrize("url", ["", "nonsense", "ftp://x/y", "/a/folder", "javascript:x"])
def test_an_address_of_another_kind_is_refused(url: str) -> None:
    with pytest.raises(Problem, match="address"):
        open_store(url)


@pytest.mark.parametrize("url", ["file://folder", "file://host/folder", "file:folder", "file:"])
def test_a_folder_needs_its_full_path(url: str) -> None:
    with pytest.raises(Problem, match="full path"):
        open_store(url, write=True)


def test_a_web_server_is_not_published_to() -> None:
    with pytest.raises(Problem, match="only read"):
        open_store("https://example.org/x", write=True)


def test_a_folder_that_is_not_there_is_made_by_publishing_alone(tmp_path: Path) -> None:
    url = (tmp_path / "none").as_uri()
    with pytest.raises(Problem, match="no such folder"):
        open_store(url)
    assert not (tmp_path / "none").exists()
    open_store(url, write=True)
    assert (tmp_path / "none").is_dir()


@pytest.mark.skipif(sys.platform == "win32", reason="permissions are those of POSIX")
@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_who_reads_a_folder_is_decided_by_the_mask_of_who_publishes(
    tmp_path: Path, mask: int
) -> None:
    before = os.umask(mask)
    try:
        place = open_store((tmp_path / "published").as_uri(), write=True)
        place.put("v1/segments/x.rix", [b"x"])
        assert place.create(NAME, b"one")
    finally:
        os.umask(before)
    for path in (tmp_path / "published").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o777 if path.is_dir() else 0o666) & ~mask


def test_a_folder_needs_no_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore", None)
    source, target, url = Checkout({"a.py": "one two"}), Checkout(), tmp_path.as_uri()
    publish(open_store(url, write=True), source)
    pull(open_store(url), target)
    assert target.contents() == source.contents()


def test_without_the_package_it_is_said_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore", None)
    monkeypatch.delitem(sys.modules, "repo_mcp.remote.objects.remote_store", raising=False)
    with pytest.raises(Problem, match=re.escape(how_to_install("cluster"))):
        open_store("s3://bucket/x")
