"""A server of several roots, and one of a tree in which they are folders."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from repo_mcp.app import App
from repo_mcp.grants.grant import Grant
from repo_mcp.grants.narrowing import narrowed
from repo_mcp.settings import read_options
from tests.waiting import HANG

# what two servers can't have in common: the times of their refreshes, and numbers of generations
_OWN = re.compile(
    r"request_id: \w+|cursor=\S+|\d{4}-\d\d-\d\dT[\d:.]+Z?|\d+(?:\.\d+)? ms"
    r"|generation \d+"
)
ALL = Grant()
TOOLSETS = "default,codeagent,swiftindex"


@contextmanager
def serve(*flags: tuple[str, str], data: Path, grant: Grant = ALL) -> Iterator[App]:
    """A server in this process, whose clock stands still: no wait ends before what it is for."""
    given = [*flags, ("data_dir", str(data)), ("toolsets", TOOLSETS), ("watch", "off")]
    options = narrowed(read_options([*given, ("index_share", "never")], {}), grant)
    app = App(options, lambda: 1.0, links_ahead=False)
    try:
        yield app
    finally:
        threads = [*_threads_of(app)]
        app.services.close()
        for thread in threads:  # they may be publishing
            thread.join(HANG)
            assert not thread.is_alive()


def _threads_of(app: App) -> Iterator[threading.Thread]:
    """The threads that refresh and link for a server."""
    starter = app.services
    parts: list[Any] = [starter._keeper._parts]
    if starter._workspace is not None:
        parts += starter._workspace._views.values()
        parts += (keeper._parts for keeper in starter._workspace.keeper._keepers.values())
    for part in parts:
        if part is not None and part.background._worker.thread is not None:
            yield part.background._worker.thread


def call(app: App, tool: str, /, **arguments: object) -> Mapping[str, Any]:
    """The answer of a tool."""
    return app.call(tool, arguments, lambda: False)


def text_of(app: App, tool: str, /, **arguments: object) -> str:
    """The text of an answer, without what only this server can say."""
    answer = call(app, tool, **arguments)
    return _OWN.sub(
        "", "\n".join(map(str, (part.get("text", part.get("uri")) for part in answer["content"])))
    )


def roots_of(top: Path, names: Mapping[str, str]) -> list[tuple[str, str]]:
    """The flags that name these folders."""
    return [("roots", f"{name}={top / folder}") for name, folder in names.items()]
