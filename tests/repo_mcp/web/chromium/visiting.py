"""Pages of a tree of files in a headless Chromium, as a person opens them with the printed link."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

from tests.repo_mcp.server_process import UNHURRIED

if TYPE_CHECKING:  # it is no dependency: see `make browser`
    from playwright.sync_api import Browser, Page

AXE: Final = Path(__file__).parents[4] / ".browser" / "package" / "axe.min.js"
_PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome")


def missing() -> str:
    """The missing requirement of a machine that is to show pages, or empty."""
    try:
        import playwright.sync_api  # noqa: F401, PLC0415 it is no dependency
    except ImportError:
        return "needs playwright, which `make browser` installs"
    return "" if program() else "needs chromium"


def program() -> str:
    """The browser's program; empty if there is none."""
    return next(filter(None, map(shutil.which, _PROGRAMS)), "")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 as above

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program())
        try:
            yield browser
        finally:
            browser.close()


def index(root: Path, data: Path, *command: str) -> None:
    """Index a tree, by this command or `index`."""
    where = ["--repo-root", str(root), "--data-dir", str(data)]
    subprocess.run([*UNHURRIED, *(command or ["index"]), *where], check=True, capture_output=True)


@contextmanager
def served_pages(root: Path, data: Path) -> Iterator[str]:
    """The link to the pages of a tree."""
    index(root, data)
    with _served(["--repo-root", str(root), "--data-dir", str(data)]) as link:
        yield link


@contextmanager
def served_roots(roots: Mapping[str, Path], data: Path) -> Iterator[str]:
    """The link to the pages of several roots, by their names."""
    where = [part for name, root in roots.items() for part in ("--root", f"{name}={root}")]
    where += ["--data-dir", str(data)]
    subprocess.run([*UNHURRIED, "index", *where], check=True, capture_output=True)
    with _served(where) as link:
        yield link


@contextmanager
def _served(where: Sequence[str]) -> Iterator[str]:
    command = [*UNHURRIED, "web", "--json", *where]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout
        try:
            yield json.loads(process.stdout.readline())["url"]
        finally:
            process.kill()


class Visitor(NamedTuple):
    """A tab of a browser that was given the link, and what went wrong in it."""

    page: Page
    base: str
    troubles: list[str]

    def open(self, target: str) -> int:
        """Open a page; its status."""
        response = self.page.goto(self.base + target)
        assert response is not None
        return int(response.status)


@contextmanager
def visit(browser: Browser, link: str, **options: Any) -> Iterator[Visitor]:  # noqa: ANN401 of Playwright
    """A visitor with a context of its own; scripts of pages are not kept from failing aloud."""
    parts = urlsplit(link)
    base = f"{parts.scheme}://{parts.netloc}"
    context = browser.new_context(**options)
    page = context.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("dialog", lambda dialog: troubles.append(f"dialog: {dialog.message}"))
    page.on("console", lambda said: troubles.extend(_told(said.type, said.text)))
    page.on("request", lambda asked: troubles.extend(_elsewhere(asked.url, base)))
    page.goto(link)
    try:
        yield Visitor(page, base, troubles)
    finally:
        context.close()


def _told(kind: str, text: str) -> Sequence[str]:
    """Errors on the console; that a page's status is an error is told, too."""
    return [text] if kind == "error" and "Failed to load resource" not in text else []


def _elsewhere(url: str, base: str) -> Sequence[str]:
    return [] if url.startswith((f"{base}/", "data:", "file:", "about:")) else [f"request: {url}"]


def required() -> bool:
    """True if a machine without a browser fails instead of skipping: for `make browser`."""
    return bool(os.environ.get("BROWSER_TESTS"))
