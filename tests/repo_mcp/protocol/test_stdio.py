"""The stdio transport: frames, descriptors, threads, shutdown."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from repo_mcp.protocol.stdio import MAX_FRAME, frames, pieces
from tests.repo_mcp.server_process import PROGRAM, Server, request, running
from tests.repo_mcp.trees import write
from tests.waiting import HANG

pytestmark = pytest.mark.servers

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "t", "version": "1"},
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write(tmp_path / "root", {"a.py": "def needle(): pass\n"})


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"a\nb\n", [b"a", b"b"]),
        (b"a\r\n\r\n \n\tb\n", [b"a", b"b"]),
        (b"a\rb\xe2\x80\xa8c\n", [b"a\rb\xe2\x80\xa8c"]),
        (b"whole\nhalf", [b"whole"]),
    ],
)
def test_frames_end_at_line_feeds_only(data: bytes, expected: list[bytes]) -> None:
    assert list(frames([data])) == expected
    assert list(frames(bytes([byte]) for byte in data)) == expected


def test_a_frame_over_the_limit_is_passed_over_and_the_next_is_read(
    root: Path, tmp_path: Path
) -> None:
    with running(root, tmp_path / "data") as server:
        server.raw(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"')
        for _ in range(MAX_FRAME // 65536 + 1):
            server.raw(b"x" * 65536)
        server.raw(b'"}}\n')
        assert server.receive()["error"]["code"] == -32600
        assert server.ask(2, "ping")["result"] == {}
        assert server.close() == 0


@pytest.mark.skipif(os.name == "nt", reason="it has other descriptors")
def test_input_of_any_number_is_waited_for() -> None:
    """`select` knows numbers below 1,024 alone."""
    import fcntl  # noqa: PLC0415 not available on Windows
    import resource  # noqa: PLC0415 as above

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2048:
        pytest.skip("so many files can't be open here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2048), hard))
    given, taken = os.pipe()
    high = fcntl.fcntl(given, fcntl.F_DUPFD, 1024)
    os.write(taken, b"one\n")
    os.close(taken)
    try:
        assert list(frames(pieces(high, lambda: None))) == [b"one"]
    finally:
        os.close(given)
        os.close(high)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_malformed_frames_are_answered_and_the_server_goes_on(root: Path, tmp_path: Path) -> None:
    with running(root, tmp_path / "data") as server:
        server.send(b"", b"{", b"\xff", b"[]", b'{"jsonrpc":"2.0","id":9,"method":"x"}', b"\x00")
        codes = [server.receive()["error"]["code"] for _ in range(5)]
        assert codes == [-32700, -32700, -32600, -32601, -32700]
        assert server.ask(1, "initialize", **HELLO)["result"]["protocolVersion"] == "2025-06-18"
        assert server.close() == 0


def test_a_tool_call_over_the_pipe(root: Path, tmp_path: Path) -> None:
    with running(root, tmp_path / "data") as server:
        found = server.ask("x", "tools/call", name="repo_search", arguments={"query": "needle"})
        assert found["result"]["structuredContent"]["result"]["hits"][0]["path"] == "a.py"
        assert server.close() == 0


def keep_busy(server: Server) -> None:
    """Have it do something that takes seconds."""
    server.send(request("slow", "tools/call", name="repo.refresh_index", arguments={"force": True}))


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """Takes seconds to index."""
    text = "\n".join(f"word{n} other{n * 7}" for n in range(3000))
    return write(tmp_path / "large", {f"{n}.py": f"{n}\n{text}" for n in range(150)})


def test_a_long_call_holds_up_nothing_and_can_be_cancelled(large: Path, tmp_path: Path) -> None:
    with running(large, tmp_path / "data") as server:
        keep_busy(server)
        assert server.ask(1, "ping")["result"] == {}
        assert server.ask(2, "tools/list")["result"]["tools"]
        cancel = {"requestId": "slow"}
        message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel}
        server.send(json.dumps(message).encode())
        found = server.ask(3, "tools/call", name="repo.status", arguments={})
        assert found["result"]["structuredContent"]["result"]["index_status"] in {
            "missing",
            "partial",
        }
        assert server.close() == 0


def computed(process: int) -> float:
    """Seconds of a core that a process has used, whether it has ended or not: it is not waited for.

    Unlike the time of day, that is the same on a busy machine.
    """
    stat = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks Linux what it has computed")
@pytest.mark.parametrize("way", ["end of input", signal.SIGTERM, signal.SIGINT])
def test_the_server_leaves_soon_whatever_it_is_doing(
    large: Path, tmp_path: Path, way: str | signal.Signals
) -> None:
    with running(large, tmp_path / "data") as server:
        keep_busy(server)
        server.ask(1, "ping")
        before = computed(server.process.pid)
        if isinstance(way, signal.Signals):
            server.process.send_signal(way)
        else:
            server.end()
        os.waitid(os.P_PID, server.process.pid, os.WEXITED | os.WNOWAIT)
        assert computed(server.process.pid) - before < 1
        code = server.close()
        # a signal ends it by itself: what waits for it sees that it did
        assert code == (-way if isinstance(way, signal.Signals) and os.name != "nt" else 0)
        assert server.process.stderr
        assert server.process.stderr.read() == b""


def test_a_closed_output_ends_the_server(root: Path, tmp_path: Path) -> None:
    with running(root, tmp_path / "data") as server:
        server.ask(1, "ping")
        assert server.process.stdout
        server.process.stdout.close()
        server.send(request(2, "ping"))
        assert server.process.wait(timeout=HANG) == 0


@pytest.mark.parametrize("missing", ["", "2>&-"])
def test_a_stray_print_does_not_reach_the_wire(root: Path, tmp_path: Path, missing: str) -> None:
    program = (
        "import os, sys\n"
        "from repo_mcp.protocol.session import Session\n"
        "from repo_mcp import dispatch\n"
        "receive = Session.receive\n"
        "def noisy(self, line):\n"
        "    os.fstat(2); print('stray'); os.write(1, b'stray'); os.system('echo stray')\n"
        "    return receive(self, line)\n"
        "Session.receive = noisy\n"
        "dispatch.main()\n"
    )
    command = [
        *PROGRAM[:2],
        "-c",
        program,
        "--repo-root",
        str(root),
        "--data-dir",
        str(tmp_path / "d"),
    ]
    shell = ["/bin/sh", "-c", f'exec "$@" {missing}', "sh", *command]
    asked = request(1, "ping") + b"\n"
    done = subprocess.run(shell, input=asked, capture_output=True, timeout=HANG, check=True)
    assert done.stdout == b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
    assert (done.stderr.count(b"stray") == 3) is (not missing)
