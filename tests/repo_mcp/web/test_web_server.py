"""The command `web` as people run it: one link, pages over a socket, and its end."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.repo_mcp.server_process import PROGRAM, UNHURRIED
from tests.repo_mcp.trees import write
from tests.repo_mcp.web.browsing import Document
from tests.waiting import HANG

pytestmark = pytest.mark.servers


@contextmanager
def serving(folder: Path, *given: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The printed link and the process."""
    root = write(folder / "root", {"a.py": "def needle(): pass\n", ".git/HEAD": "x"})
    where = ["--repo-root", str(root), "--data-dir", str(folder / "data")]
    command = [*UNHURRIED, "web", "--port", "0", *where, *given]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().decode().strip(), process
        finally:
            process.kill()


def get(address: str, target: str, **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(address, timeout=HANG)
    connection.request("GET", target, headers=headers)
    response = connection.getresponse()
    response.body = response.read()  # type: ignore[attr-defined]
    connection.close()
    return response


def body(response: http.client.HTTPResponse) -> str:
    text: bytes = response.body  # type: ignore[attr-defined]
    return text.decode()


@pytest.mark.skipif(os.name == "nt", reason="signals differ there")
def test_the_printed_link_leads_to_the_pages_until_ctrl_c(tmp_path: Path) -> None:
    with serving(tmp_path) as (link, process):
        parts = urlsplit(link)
        assert parts.hostname == "127.0.0.1"
        first = get(parts.netloc, f"/?{parts.query}")
        assert (first.status, first.headers["location"]) == (303, "/")
        cookie = first.headers["set-cookie"].partition(";")[0]
        page = get(parts.netloc, "/search?q=needle", Cookie=cookie)
        assert page.status == 200
        assert Document(body(page)).texts("a", "result") == ["a.py"]
        style = get(parts.netloc, "/assets/style.css", Cookie=cookie)
        assert style.headers["content-type"] == "text/css; charset=utf-8"
        process.send_signal(signal.SIGINT)
        assert process.wait(HANG) == -signal.SIGINT  # 130 in a shell
        assert process.stdout
        assert process.stderr
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")


def test_without_the_link_a_connection_is_told_and_closed(tmp_path: Path) -> None:
    with serving(tmp_path) as (link, _):
        address = urlsplit(link).netloc
        for headers in ({}, {"Host": "evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
            refused = get(address, "/search?q=needle", **headers)
            assert (refused.status, refused.headers["connection"]) == (403, "close")
            assert refused.headers["content-type"] == "text/html; charset=utf-8"
            assert "default-src 'none'" in refused.headers["content-security-policy"]
            assert "repo-mcp web" in body(refused)
            assert "needle" not in body(refused)


@pytest.mark.parametrize("port", ["65536", "-1", "x"])
def test_a_port_that_is_none_is_refused(port: str) -> None:
    done = subprocess.run(
        [*PROGRAM, "web", f"--port={port}"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, "65535" in done.stderr) == (2, True)


def test_programs_get_the_link_as_json(tmp_path: Path) -> None:
    with serving(tmp_path, "--json") as (line, _):
        link = json.loads(line)["url"]
        parts = urlsplit(link)
        assert get(parts.netloc, f"/?{parts.query}").status == 303


def test_without_the_packages_it_says_how_to_install_them(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['jinja2'] = None;"
        " from repo_mcp.server import main; sys.exit(main())"
    )
    root = write(tmp_path, {"a.py": "x = 1\n"})
    command = [sys.executable, "-P", "-c", code, "web", "--repo-root", str(root)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "pip install 'repo-mcp[web]'" in done.stderr


@pytest.mark.parametrize("module", ["repo_mcp.server", "repo_mcp.cli.commands", "repo_mcp.app"])
def test_nothing_of_the_pages_is_imported_before_they_are_served(module: str) -> None:
    code = (
        f"import sys, {module};"
        " print([name for name in sys.modules"
        " if name.split('.')[0] in ('jinja2', 'pygments', 'uvicorn')"
        " or name.startswith('repo_mcp.web')])"
    )
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_listening_needs_no_sdk() -> None:
    code = "import sys, repo_mcp.web.server; print([name for name in sys.modules if name == 'mcp'])"
    command = [sys.executable, "-P", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
