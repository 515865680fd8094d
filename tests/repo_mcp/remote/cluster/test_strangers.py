"""Nobody but the process that opens an engine of this machine gets in where it listens."""

from __future__ import annotations

import json
import os
import socket
import ssl
import stat
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, suppress
from multiprocessing.util import get_temp_dir
from pathlib import Path
from typing import NamedTuple

import pytest

pytest.importorskip("distributed", reason="the extra `cluster` is not installed")

import psutil
from distributed import LocalCluster

from repo_mcp.remote.cluster import open_engine
from repo_mcp.remote.cluster.local import MOST_STRANGERS
from tests.waiting import HANG

pytestmark = pytest.mark.servers

INTRUDER = Path(__file__).with_name("intruder.py")
NOBODY = 65_534
WORKERS = 2
# those of a scheduler, and those of workers and their nannies
OPERATIONS = ("run_function", "run")
USERS = [
    pytest.param(
        NOBODY,
        id="another user",
        marks=pytest.mark.skipif(
            not hasattr(os, "getuid") or os.getuid() != 0, reason="only root becomes another user"
        ),
    ),
    pytest.param(None, id="the same user"),
]


class Listeners(NamedTuple):
    """Where this process and its children can be connected to."""

    ports: frozenset[tuple[str, int]]
    others: frozenset[str]


def listeners(apart: Collection[psutil.Process] = ()) -> Listeners:
    """The listeners without those of some children and of what these have started."""
    ports, others = set(), set()
    for process in processes(apart):
        with suppress(psutil.NoSuchProcess):
            for item in process.net_connections("all"):
                kind = (item.family, item.type)
                if item.status == psutil.CONN_LISTEN:
                    ports.add((str(item.laddr.ip), int(item.laddr.port)))
                elif item.laddr and kind != (socket.AF_INET, socket.SOCK_STREAM):
                    others.add(f"{item.family.name} {item.laddr}")
    return Listeners(frozenset(ports), frozenset(others))


def processes(apart: Collection[psutil.Process]) -> Iterator[psutil.Process]:
    this = psutil.Process()
    yield this
    for child in this.children():
        if child not in apart:
            yield child
            with suppress(psutil.NoSuchProcess):
                yield from child.children(recursive=True)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listeners]:
    """The listeners of an engine whose workers have registered, and nothing else."""
    before = listeners()
    with open_engine(f"local:{WORKERS}", str(tmp_path_factory.mktemp("workers"))) as engine:
        engine._client.wait_for_workers(WORKERS, timeout=HANG)
        now = listeners()
        yield Listeners(now.ports - before.ports, now.others - before.others)


def intrude(
    addresses: Iterable[str],
    folder: Path,
    user: int | None,
    files: Mapping[str, str] | None = None,
) -> tuple[dict[str, str], list[str]]:
    """The end of each attempt, and the folders that code made where it ran."""
    folder.mkdir()
    attempts = [
        (address, operation, str(folder / f"{address.replace('/', '')} {operation}"))
        for address in addresses
        for operation in OPERATIONS
    ]
    done = subprocess.run(
        [sys.executable, "-P", str(INTRUDER)],
        input=json.dumps(
            {"user": user, "attempts": attempts, "files": files or {}, "patience": 60}
        ),
        capture_output=True,
        text=True,
        timeout=HANG,
        check=True,
    )
    ends = json.loads(done.stdout)
    assert len(ends) == len(attempts)
    names = (Path(item[2]).name for item in attempts)
    return dict(zip(names, ends, strict=True)), sorted(item.name for item in folder.iterdir())


@pytest.mark.parametrize("user", USERS)
def test_strangers_run_nothing_in_an_engine_of_this_machine(
    opened: Listeners, tmp_path: Path, user: int | None
) -> None:
    addresses = [f"{way}://{host}:{port}" for host, port in opened.ports for way in ("tcp", "tls")]
    ends, made = intrude(addresses, tmp_path / "made", user)
    assert made == []
    assert {name: end for name, end in ends.items() if "Closed" not in end} == {}


@pytest.mark.parametrize("user", USERS)
def test_a_stranger_runs_code_where_dask_listens_without_certificates(
    tmp_path: Path, user: int | None
) -> None:
    with LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=0, processes=True, protocol="tcp", dashboard_address="127.0.0.1:0"
    ) as cluster:
        _, made = intrude([cluster.scheduler_address], tmp_path / "made", user)
    assert [name.split()[1] for name in made] == ["run_function"]


def test_only_scheduler_nannies_and_workers_listen_on_this_machine_alone(
    opened: Listeners,
) -> None:
    assert len(opened.ports) == 1 + 2 * WORKERS
    assert {host for host, _ in opened.ports} == {"127.0.0.1"}
    for family, _, path in (item.partition(" ") for item in opened.others):
        # on which the process that forks workers is asked for one
        assert family == "AF_UNIX"
        for place in (Path(path), Path(path).parent):
            assert stat.S_IMODE(place.stat().st_mode) & 0o077 == 0


def test_each_listener_asks_for_a_certificate_before_anything_else(opened: Listeners) -> None:
    trusting = ssl.create_default_context()
    trusting.check_hostname = False
    trusting.verify_mode = ssl.CERT_NONE
    for at in opened.ports:
        with (
            socket.create_connection(at, HANG) as plain,
            pytest.raises(ssl.SSLError, match=r"(?i)certificate.required|handshake.failure"),
            trusting.wrap_socket(plain) as encrypted,
        ):
            encrypted.read()


def test_connections_that_are_held_open_give_way(tmp_path: Path) -> None:
    before = listeners()
    with open_engine("local:1", str(tmp_path)) as engine, ExitStack() as held:
        engine._client.wait_for_workers(1, timeout=HANG)
        for at in listeners().ports - before.ports:
            strangers = [
                held.enter_context(socket.create_connection(at, HANG))
                for _ in range(2 * MOST_STRANGERS)
            ]
            for stranger in strangers[:MOST_STRANGERS]:
                with suppress(ConnectionResetError):
                    assert stranger.recv(1) == b""
        assert list(engine._client.run(os.getpid).values()) != []


def test_the_private_key_is_never_in_a_folder_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes: list[int] = []
    load = ssl.SSLContext.load_cert_chain

    def loading(context: ssl.SSLContext, certificate: str, key: str) -> None:
        modes.append(Path(key).parent.stat().st_mode & 0o777)
        load(context, certificate, key)

    get_temp_dir()  # is made once for a process, wherever that is
    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", loading)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    mask = os.umask(0)
    try:
        with open_engine("local:1", str(tmp_path / "data")):
            # who made this one first could have put modules into it
            assert [item.name for item in tmp_path.iterdir()] == ["data"]
    finally:
        os.umask(mask)
    assert set(modes) == {0o700}


def test_modules_are_imported_from_new_folders_of_this_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.path)
    mask = os.umask(0)
    try:
        with open_engine("local:1", str(tmp_path / "data")) as engine:
            there = engine._client.run(imported_from)
            added = (set(sys.path) | {path for paths in there.values() for path in paths}) - before
    finally:
        os.umask(mask)
    folders = {Path(path).relative_to(tmp_path / "data").parts[0] for path in added if path}
    assert len(folders) == 1
    assert folders.pop().startswith("engine-")


def imported_from() -> list[str]:
    return sys.path
