"""The option `--html FILE`: an answer as a page that is one file, without scripts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from index_format.late_import import how_to_install
from repo_mcp.cli.command_line import complain, write_file
from repo_mcp.errors import Problem


def need_pages() -> None:
    """Raise `Problem` where pages can't be made, before any work is done."""
    try:
        import jinja2  # noqa: F401, PLC0415 few commands make pages
        import pygments  # noqa: F401, PLC0415 as above
    except ImportError:
        message = f"--html needs more packages: {how_to_install('web')}"
        raise Problem("argument_invalid", message) from None


def write_html(name: str, template: str, values: Mapping[str, Any]) -> None:
    """Write a page; a file that is there and no page of this program is not overwritten."""
    from repo_mcp.web.render import ALONE_START, View, render_alone  # noqa: PLC0415 as above

    data = render_alone(View(template, dict(values)))
    write_file("--html", name, data, ALONE_START, "the file is no such page")
    complain(f"note: written to {name}")
