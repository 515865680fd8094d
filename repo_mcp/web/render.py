"""Renders templates: every text is made visible and escaped, and none can be exempted.

Templates get plain values, never markup: what is put out is first made visible as on a terminal
(control characters, those that change the direction of text, and lone surrogates are written as
escapes) and then escaped for HTML.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from index_format.tuples import NamedTuple
from repo_mcp.console import visible
from repo_mcp.text.plurals import counted, duration, size_text
from repo_mcp.web.addresses import current_revision, file_link, link

_TEMPLATES: Final = Path(__file__).with_name("templates")
_ASSETS: Final = Path(__file__).with_name("assets")
_STYLE: Final = "style.css"
# pages that every page leads to: name, address, title
_PAGES: Final = (
    ("files", "/folder", "Files"),
    ("search", "/search", "Search"),
    ("ask", "/ask", "Ask"),
    ("bundle", "/bundle", "Bundle"),
    ("symbols", "/symbol", "Symbols"),
    ("audit", "/audit", "Audit"),
    ("history", "/history", "History"),
    ("changes", "/changes", "Changes"),
    ("status", "/status", "Status"),
)
# the beginning of a page that is a file: such a file may be replaced by a newer one
ALONE_START: Final = (
    b'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    b'<meta name="generator" content="repo-mcp">\n'
)


class View(NamedTuple):
    """A template and its values."""

    template: str
    values: dict[str, Any]
    status: int = 200


def shown(text: str) -> str:
    """The text as one line that any reader sees alike."""
    if text.isascii():
        return visible(text)
    return visible(text).encode("utf-8", "backslashreplace").decode("utf-8")


def render(view: View, repository: str = "") -> bytes:
    """The page, with the name of the repository in its head."""
    values = {"alone": False, "repository": repository, "revision": current_revision()}
    return _render(view, values)


def render_alone(view: View) -> bytes:
    """The page as one file, with its style inside; it leads to no other page and runs no script."""
    style = _environment().get_template(_STYLE).render().encode("utf-8")
    digest = b64encode(sha256(style).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'sha256-{digest}'"
    return _render(view, {"alone": True, "repository": "", "revision": "", "policy": policy})


def _render(view: View, values: dict[str, Any]) -> bytes:
    template = _environment().get_template(view.template)
    return template.render({**view.values, **values}).encode("utf-8")


def _put_out(value: object) -> object:
    return shown(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader([_TEMPLATES, _ASSETS]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_put_out,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals.update(
        link=link, file_link=file_link, counted=counted, duration=duration, pages=_PAGES
    )
    made.filters.update(size=size_text)
    return made
