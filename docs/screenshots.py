"""Takes the pictures of the pages that the documentation shows, of this repository's own code.

Needs a Chromium and Playwright: `make screenshots` runs it, with `ARGS` for some of them by name.
Not part of `make docs`: pictures of another machine's fonts differ.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from tests.repo_mcp.web.chromium.visiting import (
    Visitor,
    chromium,
    index,
    missing,
    served_pages,
    served_roots,
    visit,
)

if TYPE_CHECKING:  # it is no dependency: see `make browser`
    from playwright.sync_api import Browser

ROOT: Final = Path(__file__).parents[1]
PICTURES: Final = ROOT / "docs" / "pictures"
SHOWN: Final = (
    "repo_mcp/web",
    "code_graph",
    "repo_mcp/text",
    "docs/decisions",
    "docs/web.md",
    "README.md",
)
MOST_BYTES: Final = 150_000
WIDE: Final = (1100, 760)
NARROW: Final = (400, 760)


class Shot(NamedTuple):
    """A picture: its name, what is opened, and how."""

    name: str
    target: str
    scheme: str = "light"
    size: tuple[int, int] = WIDE


SHOTS: Final = (
    Shot("home", "/"),
    Shot("search", "/search?q=rectangles+of+a+treemap"),
    Shot("search-lines", "/search?q=def+_%5Cw%2Bpath&mode=regex", "dark"),
    Shot("search-narrow", "/search?q=rectangles+of+a+treemap", "dark", NARROW),
    Shot("file", "/file?path=repo_mcp/web/treemap.py&line=40&end=49"),
    Shot("bundle", "/bundle?prompt=rectangles+of+the+treemap+overlap+in+squarify"),
    Shot("bundle-narrow", "/bundle?prompt=rectangles+of+the+treemap+overlap", "light", NARROW),
    Shot("symbols", "/symbol?q=lay*", size=(1100, 700)),
    Shot("symbol", "lay_out", "dark"),
    Shot("uses", "/uses?path=code_graph"),
    Shot("audit", "/audit"),
    Shot("status", "/status"),
    Shot("nothing", "/search?q=rectangels"),
    Shot("blocked", "/file?path=.env"),
)

# the same of several roots, which are folders of this tree
ROOTS: Final = {"pages": "repo_mcp/web", "graph": "code_graph", "decisions": "docs/decisions"}
SHOTS_OF_ROOTS: Final = (Shot("roots", "/search?q=edges+of+a+graph", size=(1100, 700)),)


def copy_shown(folder: Path) -> Path:
    """A tree of some of this repository's files, indexed whenever a part has come."""
    root = folder / "repo-mcp"
    for name in SHOWN:
        source, target = ROOT / name, root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "pictures", "benchmarks")
            shutil.copytree(source, target, ignore=ignored)
        else:
            shutil.copy(source, target)
        index(root, folder / "data")
    (root / ".env").write_text("TOKEN=hidden\n")
    # a page that waits for the graph is no picture of a usual day
    index(root, folder / "data", "symbols", "lay*")
    return root


def take(visitor: Visitor, shot: Shot) -> None:
    """Take one picture."""
    target = shot.target
    if not target.startswith("/"):
        visitor.open(f"/symbol?q={target}")
        link = visitor.page.locator("th a").first.get_attribute("href")
        target = str(link)
    visitor.open(target)
    visitor.page.evaluate("document.activeElement.blur()")
    path = PICTURES / f"{shot.name}.png"
    visitor.page.screenshot(path=path)
    size = path.stat().st_size
    print(f"{path.relative_to(ROOT)}: {size:,} bytes")
    if size > MOST_BYTES:
        sys.exit(f"{path.name} is larger than {MOST_BYTES:,} bytes")


def take_all(browser: Browser, link: str, shots: Iterable[Shot]) -> None:
    """Take these pictures of the pages at a link."""
    for shot in shots:
        width, height = shot.size
        size = {"width": width, "height": height}
        with visit(browser, link, color_scheme=shot.scheme, viewport=size) as visitor:
            take(visitor, shot)


def main() -> None:
    """Take all pictures anew, or those that are named."""
    if missing():
        sys.exit(f"pictures are not taken: this {missing()}")
    PICTURES.mkdir(exist_ok=True)
    names = set(sys.argv[1:])
    alone = [shot for shot in SHOTS if not names or shot.name in names]
    several = [shot for shot in SHOTS_OF_ROOTS if not names or shot.name in names]
    with tempfile.TemporaryDirectory() as made, chromium() as browser:
        folder = Path(made)
        root = copy_shown(folder)
        if alone:
            with served_pages(root, folder / "data") as link:
                take_all(browser, link, alone)
        if several:
            roots = {name: root / path for name, path in ROOTS.items()}
            with served_roots(roots, folder / "roots") as link:
                take_all(browser, link, several)


if __name__ == "__main__":
    main()
