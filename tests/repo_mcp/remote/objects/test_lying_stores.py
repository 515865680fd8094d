"""Places that send something else than was asked for cost neither memory nor traffic."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from repo_mcp.remote import publish_index
from tests.repo_mcp.remote.objects.lying_server import (
    GIGABYTES,
    Answer,
    LyingServer,
    Question,
    chunked,
    endless,
)
from tests.repo_mcp.remote.publish.servers import programs
from tests.repo_mcp.repository.test_index_in_place import TREE, build, checkout
from tests.repo_mcp.trees import FOREVER
from tests.waiting import HANG

pytest.importorskip("obstore", reason="the extra `cluster` is not installed")
pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(
        sys.platform != "linux", reason="the memory of a process is limited by the system of Linux"
    ),
]

ROOT: Final = Path(__file__).parents[4]
LENGTH: Final = 1000
MOST_MEMORY: Final = 300 << 20
# what is on its way when a connection ends
BUFFERS: Final = 16 << 20
KINDS: Final[Mapping[str, tuple[str, Callable[[int], dict[str, str]]]]] = {
    "http": ("http://127.0.0.1:{port}/", lambda _: {}),
    "s3": ("s3://bucket/team", programs.s3_variables),
    "azure": ("az://container/team", programs.azure_variables),
    "gcs": ("gs://bucket/team", programs.gcs_variables),
}
_ASK: Final = """
import json, resource, sys
from repo_mcp.errors import Problem
from repo_mcp.remote.objects import object_store
from repo_mcp.remote.objects.remote_reader import open_reader
from tests.memory import peak_memory
object_store.RETRIES = 0
url, method, *arguments = json.loads(sys.argv[1])
place = open_reader(url)
try:
    found = getattr(place, method)(*arguments)
    outcome = ["value", found if isinstance(found, int) else len(list(found))]
except Problem as problem:
    outcome = ["problem", problem.code, problem.detail]
place.close()
child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
print(json.dumps([outcome, max(peak_memory(), child)]))
"""


def ask(kind: str, server: LyingServer, *request: object) -> list[Any]:
    """The outcome of a request in a process of its own, whose memory has kept its limit."""
    url, variables = KINDS[kind]
    done = subprocess.run(
        [sys.executable, "-c", _ASK, json.dumps([url.format(port=server.port), *request])],
        cwd=ROOT,
        env={**os.environ, **variables(server.port)},
        capture_output=True,
        text=True,
        check=True,
        timeout=HANG,
    )
    outcome: list[Any]
    outcome, peak = json.loads(done.stdout)
    assert peak <= MOST_MEMORY
    return outcome


def longer(question: Question) -> Answer:
    headers = {"Content-Range": question.content_range, "Content-Length": str(GIGABYTES)}
    return Answer(206, headers, endless())


def of_another_range(question: Question) -> Answer:
    first = (question.range or (0, 0))[0]
    headers = {
        "Content-Range": f"bytes {first}-{first + GIGABYTES - 1}/{2 * GIGABYTES}",
        "Content-Length": str(GIGABYTES),
    }
    return Answer(206, headers, endless())


def whole(_: Question) -> Answer:
    return Answer(200, {"Content-Length": str(GIGABYTES)}, endless())


def in_chunks(question: Question) -> Answer:
    headers = {"Content-Range": question.content_range, "Transfer-Encoding": "chunked"}
    return Answer(206, headers, chunked(endless()))


def refused(status: int) -> Callable[[Question], Answer]:
    return lambda _: Answer(status, {"Content-Length": str(GIGABYTES)}, endless())


RANGES: Final = {
    "longer": longer,
    "of another range": of_another_range,
    "whole": whole,
    "in chunks": in_chunks,
}


@pytest.mark.parametrize("lie", RANGES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_range_ends_at_what_was_asked_for(kind: str, lie: str) -> None:
    with LyingServer(RANGES[lie]) as server:
        outcome = ask(kind, server, "read", "v1/segments/x.rix", 5, LENGTH)
    assert outcome[:2] == ["problem", "store_unavailable"]
    assert server.sent <= LENGTH + BUFFERS


@pytest.mark.parametrize("kind", KINDS)
def test_an_object_ends_at_its_limit(kind: str) -> None:
    with LyingServer(whole) as server:
        outcome = ask(kind, server, "get", "v1/labels/main.json", LENGTH)
    assert outcome[:2] == ["problem", "publication_invalid"]
    assert server.sent <= LENGTH + BUFFERS


@pytest.mark.parametrize("status", [403, 404, 500])
@pytest.mark.parametrize("kind", KINDS)
def test_a_refusal_without_end_costs_a_request(kind: str, status: int) -> None:
    with LyingServer(refused(status)) as server:
        outcome = ask(kind, server, "read", "v1/segments/x.rix", 5, LENGTH)
    assert outcome[:2] == ["problem", "store_unavailable"]
    assert server.sent <= MOST_MEMORY


def s3_page(rows: int, more: bool) -> bytes:  # noqa: FBT001 a field of the page
    row = (
        "<Contents><Key>team/v1/segments/{}</Key><Size>5</Size><ETag>e</ETag>"
        "<LastModified>2026-11-22T12:00:00.000Z</LastModified></Contents>"
    )
    token = "<NextContinuationToken>t</NextContinuationToken>" * more
    listed = "".join(map(row.format, range(rows)))
    return (
        '<?xml version="1.0"?><ListBucketResult><IsTruncated>'
        f"{str(more).lower()}</IsTruncated>{token}{listed}</ListBucketResult>"
    ).encode()


def azure_page(rows: int, more: bool) -> bytes:  # noqa: FBT001 as above
    row = (
        "<Blob><Name>team/v1/segments/{}</Name><Properties><Content-Length>5</Content-Length>"
        "<Last-Modified>Sun, 22 Nov 2026 12:00:00 GMT</Last-Modified><Etag>e</Etag>"
        "<Content-Type>a/b</Content-Type></Properties></Blob>"
    )
    listed = "".join(map(row.format, range(rows)))
    return (
        f'<?xml version="1.0"?><EnumerationResults><Blobs>{listed}</Blobs>'
        f"<NextMarker>{'t' * more}</NextMarker></EnumerationResults>"
    ).encode()


PAGES: Final = {"s3": s3_page, "azure": azure_page, "gcs": s3_page}


def page_of(kind: str, rows: int, *, more: bool) -> Callable[[Question], Answer]:
    page = PAGES[kind](rows, more)
    return lambda _: Answer(200, {"Content-Length": str(len(page))}, iter([page]))


@pytest.mark.parametrize("kind", PAGES)
def test_an_honest_list_is_read(kind: str) -> None:
    with LyingServer(page_of(kind, 7, more=False)) as server:
        assert ask(kind, server, "rows", "v1/segments") == ["value", 7]


@pytest.mark.parametrize("kind", PAGES)
def test_a_list_of_pages_without_end_is_refused(kind: str) -> None:
    rows = 20_000
    with LyingServer(page_of(kind, rows, more=True)) as server:
        outcome = ask(kind, server, "rows", "v1/segments")
    assert outcome[:2] == ["problem", "store_unavailable"]
    assert "more objects" in outcome[2]
    assert len(server.requests) * rows <= 2 * 250_000


@pytest.mark.parametrize("kind", PAGES)
def test_a_page_without_end_costs_a_request(kind: str) -> None:
    page = PAGES[kind](1, more=True)
    cut = page[: page.index(b"</Key>" if b"</Key>" in page else b"</Name>")]
    headers = {"Content-Length": str(GIGABYTES)}
    with LyingServer(lambda _: Answer(200, headers, endless(cut))) as server:
        outcome = ask(kind, server, "rows", "v1/segments")
    assert outcome[:2] == ["problem", "store_unavailable"]
    assert server.sent <= MOST_MEMORY


_BRING: Final = """
import json, resource, sys
from pathlib import Path
from repo_mcp.errors import Problem
from repo_mcp.remote.objects import object_store
from repo_mcp.remote import pull_index
from tests.memory import peak_memory
from tests.repo_mcp.repository.test_index_in_place import TREE, build, checkout
from tests.repo_mcp.trees import FOREVER
object_store.RETRIES = 0
url, way, folder = json.loads(sys.argv[1])
options = {"index_cache": str(Path(folder) / "cache"), "index_share": "never"}
if way != "pull":
    options |= {"index_from": url, "index_in_place": way == "in place"}
parts = checkout(Path(folder), **options)
outcome = "pulled"
if way == "pull":
    try:
        pull_index(parts.settings, parts.manager, url, "main", FOREVER)
    except Problem as problem:
        outcome = problem.code
built = build(parts)
found = parts.manager.snapshot()
child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
print(json.dumps([outcome, built == len(TREE), found.file_count, max(peak_memory(), child)]))
"""


def of_folder(folder: Path, lie: str) -> Callable[[Question], Answer]:
    """Answers from a folder, but for what is asked of segments."""

    def answer(question: Question) -> Answer:
        path = folder / question.path.lstrip("/")
        if not path.is_file():
            return Answer(404, {"Content-Length": "0"}, iter(()))
        data = path.read_bytes()
        if "/segments/" in question.path:
            if question.method == "HEAD" and lie != "sizes":
                return Answer(200, {"Content-Length": str(len(data))}, iter(()))
            return longer(question) if lie == "sizes" else RANGES[lie](question)
        return Answer(200, {"Content-Length": str(len(data))}, iter([data]))

    return answer


@pytest.mark.parametrize("lie", ["longer", "sizes"])
@pytest.mark.parametrize("way", ["pull", "copied", "in place"])
def test_whoever_reads_a_store_that_lies_builds_the_index_here(
    tmp_path: Path, way: str, lie: str
) -> None:
    made = checkout(tmp_path / "one")
    build(made)
    folder = tmp_path / "published"
    publish_index(made.settings, made.manager.single, folder.as_uri(), FOREVER)
    with LyingServer(of_folder(folder, lie)) as server:
        request = [f"http://127.0.0.1:{server.port}/", way, str(tmp_path / "two")]
        done = subprocess.run(
            [sys.executable, "-c", _BRING, json.dumps(request)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
            timeout=HANG,
        )
    outcome, is_built, count, peak = json.loads(done.stdout)
    assert outcome in {"pulled", "store_unavailable", "publication_invalid"}
    assert outcome != "pulled" or way != "pull"
    assert (is_built, count) == (True, len(TREE))
    assert peak <= MOST_MEMORY
    assert server.sent <= 3 * BUFFERS
