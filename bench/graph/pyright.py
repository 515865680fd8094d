"""Asks pyright's language server where names are declared."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import unquote, urlsplit

from bench.graph.python_files import Position

PACKAGE: Final = "pyright@1.1.414"
# questions that are sent before an answer is read; they and the answers fit into a pipe
_WINDOW: Final = 64
_ERROR: Final = 1


class Pyright:
    """A running language server over one folder."""

    def __init__(self, script: Path, root: Path) -> None:
        self.root = root.resolve()
        self._next = 0
        command = ["node", "--max-old-space-size=6000", str(script), "--stdio"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout

    def __enter__(self) -> Self:
        """Greet the server."""
        uri = self.root.as_uri()
        capabilities = {
            "workspace": {"configuration": True, "workspaceFolders": True},
            "textDocument": {"diagnostic": {"dynamicRegistration": False}},
        }
        self._ask(
            "initialize",
            {
                "processId": None,
                "rootUri": uri,
                "capabilities": capabilities,
                "workspaceFolders": [{"uri": uri, "name": "root"}],
            },
        )
        self._tell("initialized", {})
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the server."""
        self._process.kill()
        self._process.wait()

    def open(self, path: str, text: str) -> None:
        """Let the server hold a file."""
        document = {"uri": self._uri(path), "languageId": "python", "version": 1, "text": text}
        self._tell("textDocument/didOpen", {"textDocument": document})

    def change(self, path: str, text: str, version: int) -> None:
        """Give an open file another text; versions grow."""
        document = {"uri": self._uri(path), "version": version}
        changes = {"textDocument": document, "contentChanges": [{"text": text}]}
        self._tell("textDocument/didChange", changes)

    def errors(self, path: str) -> list[int]:
        """The lines of an open file with errors."""
        return [line for line, _ in self.messages(path)]

    def messages(self, path: str) -> list[tuple[int, str]]:
        """The errors of an open file, with their lines."""
        document = {"textDocument": {"uri": self._uri(path)}}
        number = self._send("textDocument/diagnostic", document)
        (report,) = self._answers([number])[number]
        found = [item for item in report["items"] if item["severity"] == _ERROR]
        return [(item["range"]["start"]["line"] + 1, item["message"]) for item in found]

    def close(self, path: str) -> None:
        """Let the server forget a file."""
        self._tell("textDocument/didClose", {"textDocument": {"uri": self._uri(path)}})

    def definitions(
        self, path: str, positions: Sequence[Position]
    ) -> list[list[tuple[str, Position]]]:
        """For each position the declarations: their paths (absolute if outside) and positions."""
        found: list[list[tuple[str, Position]]] = []
        for begin in range(0, len(positions), _WINDOW):
            numbers = [
                self._send(
                    "textDocument/definition",
                    {
                        "textDocument": {"uri": self._uri(path)},
                        "position": {"line": at.line - 1, "character": at.column},
                    },
                )
                for at in positions[begin : begin + _WINDOW]
            ]
            answers = self._answers(numbers)
            found += [[self._location(each) for each in answers[number]] for number in numbers]
        return found

    def references(self, path: str, at: Position) -> list[tuple[str, Position]]:
        """The places that name what is declared at a position, without the declaration."""
        question = {
            "textDocument": {"uri": self._uri(path)},
            "position": {"line": at.line - 1, "character": at.column},
            "context": {"includeDeclaration": False},
        }
        number = self._send("textDocument/references", question)
        return [self._location(each) for each in self._answers([number])[number]]

    def _location(self, location: dict[str, Any]) -> tuple[str, Position]:
        path = Path(unquote(urlsplit(location["uri"]).path))
        start = location["range"]["start"]
        position = Position(start["line"] + 1, start["character"])
        if path.is_relative_to(self.root):
            return path.relative_to(self.root).as_posix(), position
        return str(path), position

    def _uri(self, path: str) -> str:
        return (self.root / path).as_uri()

    def _ask(self, method: str, parameters: dict[str, Any]) -> None:
        self._answers([self._send(method, parameters)])

    def _send(self, method: str, parameters: dict[str, Any]) -> int:
        self._next += 1
        self._write({"id": self._next, "method": method, "params": parameters})
        return self._next

    def _tell(self, method: str, parameters: dict[str, Any]) -> None:
        self._write({"method": method, "params": parameters})

    def _write(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._input.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._input.flush()

    def _answers(self, numbers: Iterable[int]) -> dict[int, list[dict[str, Any]]]:
        """The answers to these questions; questions of the server are answered meanwhile."""
        waiting, found = set(numbers), dict[int, list[dict[str, Any]]]()
        while waiting:
            message = self._read()
            if "method" in message:
                if "id" in message:
                    items = (message.get("params") or {}).get("items", ())
                    self._write({"id": message["id"], "result": [{} for _ in items] or None})
                continue
            number = message["id"]
            waiting.discard(number)
            result = message.get("result") or []
            found[number] = result if isinstance(result, list) else [result]
        return found

    def _read(self) -> dict[str, Any]:
        length = 0
        while line := self._output.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            raise EOFError("pyright ended")
        message: dict[str, Any] = json.loads(self._output.read(length))
        return message
