"""A plain web server of a folder: the standard library's, with answers to requests for ranges."""

from __future__ import annotations

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final, Self

_RANGE: Final = re.compile(r"bytes=(\d+)-(\d+)")
# what servers send with files; the folder's do not change while they are read
_MODIFIED: Final = "Sun, 22 Nov 2026 12:00:00 GMT"


class Web:
    """Serves a folder on a port of this machine, and keeps the paths that were asked for."""

    def __init__(self, folder: Path) -> None:
        """Begin to serve."""
        requests: list[str] = []
        self.requests = requests

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                """Answer with a file, or a part of it."""
                requests.append(self.path)
                file = folder / self.path.lstrip("/")
                asked = _RANGE.fullmatch(self.headers.get("Range", ""))
                code = 404 if not file.is_file() else 206 if asked else 200
                self.send_response(code)
                data = b""
                if code == 206 and asked:
                    size = file.stat().st_size
                    first, last = int(asked[1]), min(int(asked[2]), size - 1)
                    self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
                    with file.open("rb") as opened:  # a segment is far larger than what is asked
                        opened.seek(first)
                        data = opened.read(last + 1 - first)
                elif code == 200:
                    data = file.read_bytes()
                self.send_header("Content-Length", str(len(data)))
                self.send_header("Last-Modified", _MODIFIED)
                self.end_headers()
                self.wfile.write(data)

            def do_HEAD(self) -> None:
                """Say how long a file is."""
                requests.append(self.path)
                file = folder / self.path.lstrip("/")
                self.send_response(200 if file.is_file() else 404)
                self.send_header(
                    "Content-Length", str(file.stat().st_size if file.is_file() else 0)
                )
                self.send_header("Last-Modified", _MODIFIED)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        """Serve while the block lasts."""
        return self

    def __exit__(self, *_: object) -> None:
        """End."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
