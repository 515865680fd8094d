"""One browser, and pages of two trees: a usual one and a hostile one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.repo_mcp.trees import write
from tests.repo_mcp.web.chromium.visiting import chromium, missing, required, served_pages
from tests.repo_mcp.web.test_hostile import PATHS, TEXT

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FILES: dict[str, str | bytes] = {
    "src/box.py": (
        "def inner() -> int:\n    return 1\n\n\ndef needle() -> int:\n    return inner()\n"
    ),
    "src/use.py": "from src.box import needle\n\n\ndef outer() -> int:\n    return needle()\n",
    "src/deep/down/wide.c": "int needle(void) { return 0; } /* " + "wide " * 300 + "*/\n",
    "src/long.txt": "".join(f"row {number}\n" for number in range(1, 12_001)),
    "docs/needle.md": "# Needle\n\nHow a needle is found.\n",
    **{f"{'a_folder_with_a_long_name' * 2}/n{number}.py": "NEEDLE = 0\n" for number in range(175)},
    **{f"src/part{number}/needle{number}.py": f"NEEDLE = {number}\n" for number in range(30)},
}


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    lacks = missing()
    if lacks and not required():
        pytest.skip(lacks)
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="session")
def link(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    del browser  # without one there is nothing to serve
    folder = tmp_path_factory.mktemp("pages")
    with served_pages(write(folder / "root", FILES), folder / "data") as served:
        yield served


@pytest.fixture(scope="session")
def hostile_link(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    del browser
    if sys.platform == "win32":
        pytest.skip("no such names there")
    folder: Path = tmp_path_factory.mktemp("hostile")
    files: dict[str, str | bytes] = dict.fromkeys(PATHS, TEXT.replace("\x00", ""))
    with served_pages(write(folder / "root", files), folder / "data") as served:
        yield served
