"""A program between a client and its server that copies lines both ways and records each.

    python recorder.py RECORD COMMAND…

The record has one JSON object a line: seconds since the start, where it came from, and the message,
or the text where it is none.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, Any


def main() -> None:
    """Start the server, copy until it ends, and end as it did."""
    record = _Record(sys.argv[1])
    command = sys.argv[2:]
    record.add("start", {"command": command, "folder": str(Path.cwd())})
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _passed_on(record, server))
        pairs = ((sys.stdin.buffer, server.stdin, "client"), (server.stderr, None, "stderr"))
        for source, target, name in pairs:
            given = (source, target, name, record)
            threading.Thread(target=_copy, args=given, daemon=True).start()
        _copy(server.stdout, sys.stdout.buffer, "server", record)
        ended = server.wait()
    record.add("end", ended)
    os._exit(ended if ended >= 0 else 128 - ended)


class _Record:
    def __init__(self, path: str) -> None:
        self._began = time.monotonic()
        self._lock = threading.Lock()
        self._file = Path(path).open("a", encoding="utf-8", buffering=1)  # noqa: SIM115 open to the end

    def add(self, source: str, message: object) -> None:
        row = {"seconds": round(time.monotonic() - self._began, 4), "from": source}
        with self._lock:
            self._file.write(json.dumps({**row, "message": message}) + "\n")

    def add_line(self, source: str, line: bytes) -> None:
        try:
            message: object = json.loads(line)
        except ValueError:
            message = line.decode("utf-8", "replace")
        self.add(source, message)


def _copy(source: IO[bytes], target: IO[bytes] | None, name: str, record: _Record) -> None:
    for line in iter(source.readline, b""):
        record.add_line(name, line)
        try:
            if target is not None:
                target.write(line)
                target.flush()
        except OSError:  # the other end is gone; what still comes is recorded
            target = None
    if name == "client":
        record.add("end of input", None)
        if target is not None:
            target.close()


def _passed_on(record: _Record, server: subprocess.Popen[bytes]) -> Any:  # noqa: ANN401 a handler
    def handle(number: int, _: object) -> None:
        record.add("signal", signal.Signals(number).name)
        server.send_signal(number)

    return handle


if __name__ == "__main__":
    main()
