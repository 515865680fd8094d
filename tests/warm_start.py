"""Programs and workers that tests start are forked from a process that has imported them.

They are processes as ever, with pipes, signals, limits and exit codes of their own; only the third
of a second is saved that Python takes to start and import. What is started in another way than with
the command lines below starts cold, as everything does outside of Linux.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NoReturn

from tests.repo_mcp.server_process import PROGRAM, UNHURRIED

_CODES: Final = (PROGRAM[-1], UNHURRIED[-1])
_ENTRY: Final = "repo_mcp.processes.entry"
# a limit on its memory leaves no room for modules of others
_COLD: Final = ("repo_mcp.remote.objects",)
# rooms that only programs with these arguments have imported
_ROOMS: Final = {
    "--engine": ("repo_mcp/remote/cluster",),
    "--http": ("repo_mcp/web", "repo_mcp/protocol/http"),
    "web": ("repo_mcp/web",),
}
# parts that import what few programs need, or that they must not have imported
_NOT_PRELOADED: Final = frozenset(
    {"cluster", "http", "objects", "publish", "web", "whoosh_bridge", "__init__", "__main__"}
)
_ROOT: Final = Path(__file__).parents[1]
_SERVE: Final = (
    f"import sys; sys.path.insert(0, {str(_ROOT)!r}); from tests.warm_start import serve;"
    " serve(sys.argv[1:])"
)
_PR_SET_CHILD_SUBREAPER: Final = 36
_NUMBER: Final = struct.Struct("!I")
_start_cold = subprocess.Popen._execute_child  # type: ignore[attr-defined]


class _Parameters:
    """A call of `Popen._execute_child` as names and values."""

    def __init__(self, values: Sequence[Any]) -> None:
        (
            self.args,
            self.executable,
            self.preexec_fn,
            _,
            self.pass_fds,
            self.cwd,
            self.env,
            _,
            _,
            self.shell,
            *self.pipes,
            _,
            self.gid,
            self.gids,
            self.uid,
            self.umask,
            self.session,
            self.group,
        ) = values

    @property
    def streams(self) -> tuple[int, int, int]:
        """The child's ends of its standard streams; its parent's where it has none of its own."""
        stdin, _, _, stdout, _, stderr = self.pipes
        return tuple(  # type: ignore[return-value]
            given if given != -1 else own for own, given in enumerate((stdin, stdout, stderr))
        )

    @property
    def variables(self) -> Mapping[str, str]:
        """The child's variables; its parent's where it has none of its own."""
        return os.environ if self.env is None else self.env

    @property
    def rooms(self) -> tuple[str, ...]:
        """The rooms that the program imports, and others don't."""
        found = (_ROOMS[part] for part in self.args if part in _ROOMS)
        return next(found, ())

    def is_known(self) -> bool:
        """True if a fork of the server does what this command line does."""
        if isinstance(self.args, str | bytes | os.PathLike):
            return False
        match list(self.args):
            case [sys.executable, "-P", "-c", code, *_] if code in _CODES:
                pass
            case [sys.executable, "-P", "-m", name, module] if name == _ENTRY:
                if module.startswith(_COLD):
                    return False
            case _:
                return False
        unusual = (self.executable, self.preexec_fn, self.pass_fds, self.shell)
        return not any(unusual) and self.gid is self.gids is self.uid is None and self.umask < 0


class ForkServer:
    """A process that has imported the program, and forks."""

    def __init__(self, rooms: Sequence[str]) -> None:
        """Start it with these rooms; processes that it forks become children of this one."""
        # a process whose parent has ended is handed to the nearest ancestor that asks for it
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self._lock = threading.Lock()
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _SERVE, *rooms],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                # as every program here sets it before numpy is loaded
                env={**_AT_START, "OPENBLAS_NUM_THREADS": "1"},
                start_new_session=True,
            )
        self.owner = os.getpid()

    def can_start(self, given: _Parameters) -> bool:
        """True if Python would start cold in the same way as it has started here."""
        return _read_at_start(given.variables) == _read_at_start(_AT_START)

    def start(self, given: _Parameters) -> int:
        """Start a process; its number."""
        variables = given.variables.items()
        request = {
            "args": [os.fsdecode(part) for part in given.args],
            "cwd": str(Path(os.fsdecode(given.cwd or os.curdir)).absolute()),
            "env": {os.fsdecode(name): os.fsdecode(value) for name, value in variables},
            "session": given.session,
            "group": given.group,
        }
        data = json.dumps(request).encode()
        with self._lock:
            socket.send_fds(self._socket, [_NUMBER.pack(len(data))], given.streams)
            self._socket.sendall(data)
            (number,) = _NUMBER.unpack(_exactly(self._socket, _NUMBER.size))
        return int(number)

    def close(self) -> None:
        """End it; what it has started goes on."""
        self._socket.close()
        self._process.wait()


_servers: dict[tuple[str, ...], ForkServer] = {}
# variables before any test has set some for itself: of those that the first program is started
# with, all others would differ
_AT_START: Final = dict(os.environ)


def start_warm() -> None:
    """Let programs that this process starts be forked from now on."""
    if sys.platform == "linux":
        subprocess.Popen._execute_child = _execute_child  # type: ignore[attr-defined]


def _execute_child(self: subprocess.Popen[Any], *values: Any) -> None:  # noqa: ANN401 as Popen's
    given = _Parameters(values)
    server = _server_for(given.rooms) if given.is_known() else None
    if server is None or not server.can_start(given):
        _start_cold(self, *values)
        return
    self.pid = server.start(given)
    self._child_created = True  # type: ignore[attr-defined]
    self._close_pipe_fds(*given.pipes)  # type: ignore[attr-defined]


def _server_for(rooms: tuple[str, ...]) -> ForkServer:
    """The one of this process with these rooms."""
    server = _servers.get(rooms)
    if server is None or server.owner != os.getpid():
        server = _servers[rooms] = ForkServer(rooms)
        atexit.register(server.close)
    return server


def _read_at_start(env: Mapping[str, str]) -> dict[str, str]:
    """The variables that modules read when they are loaded, except for the one that means `-P`."""
    names = (name for name in env if name.startswith(("PYTHON", "LC_", "LANG", "DASK_")))
    return {name: env[name] for name in names if name != "PYTHONSAFEPATH"}


def _exactly(source: socket.socket, length: int) -> bytes:
    data = b""
    while len(data) < length:
        part = source.recv(length - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def serve(rooms: Sequence[str]) -> NoReturn:
    """Fork what is asked for on the socket that is standard input, until that closes."""
    gc.disable()
    del sys.path[0]
    import_module(_ENTRY).lean_numpy.install()
    for name in _modules(rooms):
        import_module(name)
    gc.freeze()  # a collection in a fork would touch, and so copy, all of it
    requests = socket.socket(fileno=os.dup(0))
    while True:
        head, streams, _, _ = socket.recv_fds(requests, _NUMBER.size, 3)
        if not head:
            os._exit(0)
        request = json.loads(_exactly(requests, *_NUMBER.unpack(head)))
        source, sink = os.pipe()
        between = os.fork()
        if not between:
            between = os.getpid()
            started = os.fork()
            if started:
                os.write(sink, _NUMBER.pack(started))
                os._exit(0)
            while os.getppid() == between:  # as in any other start, its parent is there to stay
                os.sched_yield()
            _run(request, streams)
        os.close(sink)
        for stream in streams:
            os.close(stream)
        os.waitpid(between, 0)
        requests.sendall(os.read(source, _NUMBER.size))
        os.close(source)


def _modules(rooms: Sequence[str]) -> list[str]:
    """The program's modules, of these rooms too."""
    packages = ("index_format", "code_graph", "repo_mcp")
    files = [file for package in packages for file in _ROOT.glob(f"{package}/**/*.py")]
    left_out = _NOT_PRELOADED.difference(part for room in rooms for part in room.split("/"))
    parts = [file.relative_to(_ROOT).with_suffix("").parts for file in files]
    return sorted(".".join(part) for part in parts if left_out.isdisjoint(part))


def _run(request: Mapping[str, Any], streams: Sequence[int]) -> NoReturn:
    """Become the process that was asked for."""
    if request["session"]:
        os.setsid()
    elif request["group"] >= 0:
        os.setpgid(0, request["group"])
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for file in list(Path("/proc/self/fd").iterdir()):
        if int(file.name) > 2:
            with suppress(OSError):  # the one that lists them
                os.close(int(file.name))
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    _open_standard_streams()
    _, _, kind, what, *rest = request["args"]
    sys.argv = ["-c" if kind == "-c" else str(import_module(what).__file__), *rest]
    gc.enable()
    code = 1
    try:
        if kind == "-c":
            exec(what, {"__name__": "__main__"})  # noqa: S102 the two texts above
        else:
            import_module(what).main()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
    except KeyboardInterrupt:
        traceback.print_exc()
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException:  # noqa: BLE001 as the interpreter does
        traceback.print_exc()
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for output in (sys.stdout, sys.stderr):
        output.flush()
    os._exit(code)


def _open_standard_streams() -> None:
    """Open the streams anew, as the interpreter does for the files that are theirs now."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        before = getattr(sys, name)
        stream = open(  # noqa: SIM115 for as long as the process runs
            number,
            "r" if name == "stdin" else "w",
            encoding=before.encoding,
            errors=before.errors,
            closefd=False,
            buffering=1 if name == "stderr" or os.isatty(number) else -1,
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
