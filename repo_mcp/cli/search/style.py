"""Formats the output of commands: colours, links, paths as seen from the current folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final, TextIO

from repo_mcp.cli.command_line import CommandLine
from repo_mcp.cli.search.environment import wants_colours, wants_links
from repo_mcp.cli.search.scope import Roots, shown_path
from repo_mcp.console import visible

_COLOURS: Final[Mapping[str, str]] = {
    "path": "1;35",
    "symbol": "36",
    "line": "32",
    "match": "1;31",
    "aside": "2",
    "heading": "1",
}
_PLAIN: Final = "plain"
_NOWHERE: Final[Roots] = MappingProxyType({})


class Style:
    """Formats kinds of text, with or without colours and links; always `visible`."""

    def __init__(
        self,
        *,
        terminal: bool,
        colours: bool,
        heading: bool | None = None,
        link: Callable[[str], str] | None = None,
        folder: str = "",
        columns: int | None = None,
    ) -> None:
        """Choose the format for a terminal, or for a file or program.

        `link` gives the address of a path, paths are shown as seen from `folder`, and lines are
        cut to `columns`.
        """
        self.terminal = terminal
        self.colours = colours
        self.heading = terminal if heading is None else heading
        self.columns = columns
        self._link = link
        self._folder = folder

    def __call__(self, kind: str, text: str) -> str:
        """The text in the style of this kind."""
        shown = visible(text)
        if not self.colours or kind == _PLAIN or not shown:
            return shown
        return f"\x1b[{_COLOURS[kind]}m{shown}\x1b[0m"

    def path(self, path: str) -> str:
        """A path of the repository, as seen from the current folder."""
        shown = self("path", shown_path(path, self._folder))
        if self._link is None:
            return shown
        return f"\x1b]8;;{self._link(path)}\x1b\\{shown}\x1b]8;;\x1b\\"

    def marked(self, text: str, spans: Iterable[tuple[int, int]]) -> str:
        """The text with these spans, in order, highlighted as matches."""
        if not self.colours:
            return visible(text)
        shown: list[str] = []
        at = 0
        for begin, end in spans:
            shown += [visible(text[at:begin]), self("match", text[begin:end])]
            at = end
        return "".join([*shown, visible(text[at:])])


def style_of(
    out: TextIO | None,
    args: CommandLine | None = None,
    roots: Roots = _NOWHERE,
    folder: str = "",
) -> Style:
    """The style for a stream, as the command line and the environment say."""
    given = {} if args is None else vars(args)
    terminal = out is not None and out.isatty()
    links = bool(roots) and wants_links(out, given.get("hyperlinks") or "auto")
    return Style(
        terminal=terminal,
        colours=wants_colours(out, given.get("color") or "auto"),
        heading=given.get("heading"),
        link=_address_in(roots) if links else None,
        folder=folder,
        columns=given.get("max_columns"),
    )


def _address_in(roots: Roots) -> Callable[[str], str]:
    """Addresses of the files of a repository; what is not plain ASCII is escaped in them."""
    from urllib.parse import quote  # noqa: PLC0415 for terminals only

    host = f"file://{quote(socket_name())}"
    above = {folder: f"{host}{quote(os.fsencode(root))}/" for folder, root in roots.items()}

    def address(path: str) -> str:
        folder = max((folder for folder in above if path.startswith(folder)), key=len, default="")
        below = path[len(folder) :].encode("utf-8", "surrogatepass")
        return f"{above.get(folder, host)}{quote(below)}"

    return address


def socket_name() -> str:
    """The name of this computer, which tells a terminal that a file is on it."""
    return os.uname().nodename if hasattr(os, "uname") else ""
