"""Takes to an emulator of Google Cloud Storage the writes in XML that it lacks.

obstore speaks XML. fake-gcs-server reads, lists and removes objects by the XML interface, but takes
writes, and their conditions, by the JSON interface alone. This server stands before it: a PUT of an
object, and the parts of a large one, become an upload there, with the same condition on the
generation of the object; all else is passed on as it is. What the emulator decides (whether a
generation is the one that is named, which bytes are in a range) is its own. It lists all objects on
one page, however many there are.
"""

from __future__ import annotations

import http.client
import json
import threading
import uuid
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Self
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

from tests.waiting import HANG

_CONDITION: Final = "x-goog-if-generation-match"
_BEGUN: Final = (
    "<InitiateMultipartUploadResult><UploadId>{}</UploadId></InitiateMultipartUploadResult>"
)
_ENDED: Final = b"<CompleteMultipartUploadResult><ETag>1</ETag></CompleteMultipartUploadResult>"
_MARK: Final = "part-of-an-upload"
# those that belong to one connection
_HOP: Final = {"connection", "transfer-encoding", "content-length", "date", "server", "host"}


class GcsFront:
    """A server in this process, until the block ends."""

    def __init__(self, behind: int) -> None:
        """Stand before the emulator at a port."""
        values = {"behind": behind, "parts": {}}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), values))
        self._server.daemon_threads = True
        self.port: int = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(HANG)


def ask(
    port: int, method: str, path: str, body: bytes = b"", headers: Mapping[str, str] | None = None
) -> tuple[int, dict[str, str], bytes]:
    """One request to the emulator: status, headers and body of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=HANG)
    try:
        connection.request(method, path, body, dict(headers or {}))
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def upload(port: int, bucket: str, name: str, data: bytes, generation: str | None) -> Any:  # noqa: ANN401 JSON
    """Write an object if it still has this generation (0: if there is none): status and record."""
    named = {"contentType": "application/octet-stream", "name": name}
    head = f"--{_MARK}\r\nContent-Type: application/json\r\n\r\n{json.dumps(named)}\r\n"
    head += f"--{_MARK}\r\nContent-Type: application/octet-stream\r\n\r\n"
    condition = {} if generation is None else {"ifGenerationMatch": generation}
    query = urlencode({"uploadType": "multipart", "name": name, **condition})
    status, _, answer = ask(
        port,
        "POST",
        f"/upload/storage/v1/b/{quote(bucket, safe='')}/o?{query}",
        head.encode() + data + f"\r\n--{_MARK}--\r\n".encode(),
        {"Content-Type": f"multipart/related; boundary={_MARK}"},
    )
    return status, json.loads(answer) if status == http.client.OK else answer


class _Handler(BaseHTTPRequestHandler):
    behind: int
    parts: dict[str, dict[int, bytes]]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._pass_on()

    def do_HEAD(self) -> None:
        self._pass_on()

    def do_DELETE(self) -> None:
        if "uploadId" not in self._query():
            self._pass_on()
            return
        self.parts.pop(self._query()["uploadId"][0], None)
        self._answer(204)

    def do_PUT(self) -> None:
        query, data = self._query(), self._body()
        if "uploadId" not in query:
            self._upload(data)
            return
        self.parts[query["uploadId"][0]][int(query["partNumber"][0])] = data
        self._answer(200, headers={"ETag": f'"{query["partNumber"][0]}"'})

    def do_POST(self) -> None:
        query, data = self._query(), self._body()
        if not {"uploads", "uploadId"} & query.keys():
            self._pass_on(data)
        elif "uploads" in query:
            name = uuid.uuid4().hex
            self.parts[name] = {}
            self._answer(200, _BEGUN.format(name).encode())
        else:
            held = self.parts.pop(query["uploadId"][0])
            self._upload(b"".join(held[number] for number in sorted(held)), is_large=True)

    def _upload(self, data: bytes, *, is_large: bool = False) -> None:
        _, bucket, name = urlsplit(self.path).path.split("/", 2)
        found = upload(
            self.behind, unquote(bucket), unquote(name), data, self.headers.get(_CONDITION)
        )
        status, record = found
        if status != http.client.OK:
            self._answer(status, record)
            return
        generation = str(record["generation"])
        headers = {"ETag": f'"{record["etag"]}"', "x-goog-generation": generation}
        self._answer(200, _ENDED if is_large else b"", headers)

    def _pass_on(self, data: bytes = b"") -> None:
        headers = {name: text for name, text in self.headers.items() if name.lower() not in _HOP}
        status, answered, body = ask(self.behind, self.command, self.path, data, headers)
        self._answer(status, body, answered)

    def _query(self) -> dict[str, list[str]]:
        return parse_qs(urlsplit(self.path).query, keep_blank_values=True)

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _answer(
        self, status: int, body: bytes = b"", headers: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(status)
        length = str(len(body))
        for name, text in (headers or {}).items():
            if name.lower() == "content-length" and self.command == "HEAD":
                length = text
            elif name.lower() not in _HOP:
                self.send_header(name, text)
        self.send_header("Content-Length", length)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""
