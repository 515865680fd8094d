"""Pages in a real browser: by keyboard, on a narrow screen, without scripts, for everyone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from tests.repo_mcp.web.chromium.visiting import AXE, Visitor, required, visit
from tests.repo_mcp.web.test_hostile import CONTROLS, MARKUP, PATHS

pytestmark = pytest.mark.servers

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NARROW = {"width": 400, "height": 800}
PAGES = [
    "/",
    "/search?q=needle",
    "/search?q=needle&mode=literal",
    "/search?q=zzzzz",
    "/search?q=(&mode=regex",
    "/file?path=src/box.py&line=5",
    "/file?path=src/deep/down/wide.c",
    "/file?path=.env",
    "/bundle",
    "/bundle?prompt=needle+and+inner",
    "/symbol",
    "/symbol?q=needle",
    "/symbol?path=src/box.py",
    "/folder",
    "/folder?path=src",
    "/uses",
    "/uses?path=src",
    "/symbol?name=needle",
    "/audit",
    "/audit?client=nobody",
    "/status",
    "/ask",
    "/ask?q=needle",
    "/history",
    "/changes",
    "/nowhere",
]
HOSTILE = [
    "/",
    "/uses",
    "/symbol?name=needle",
    "/search?q=needle",
    "/search?q=needle&mode=literal",
    f"/search?q={quote(MARKUP)}",
    f"/search?q={quote(CONTROLS)}&mode=literal",
    *(f"/file?path={quote(path)}" for path in PATHS),
    f"/bundle?prompt=needle+{quote(MARKUP)}",
    "/symbol?q=needle",
    f"/symbol?path={quote(PATHS[0])}",
    "/folder",
    "/audit",
    "/status",
]
SEEN = """() => {
  const at = document.activeElement;
  if (at === null || at === document.body) return null;
  const style = getComputedStyle(at);
  const shape = at.querySelector('rect');
  const drawn = shape === null ? '' : getComputedStyle(shape).strokeWidth;
  const where = at.getBoundingClientRect();
  return {
    name: at.tagName + ' ' + (at.getAttribute('href') || at.getAttribute('name') || ''),
    visible: style.outlineStyle !== 'none' || parseFloat(drawn) >= 2,
    shown: where.width > 0 && where.height > 0 && where.bottom > 0 && where.right > 0,
  };
}"""


def detail(visitor: Visitor) -> str:
    """The page of a symbol."""
    visitor.open("/symbol?q=needle")
    target = visitor.page.locator("th a").first.get_attribute("href")
    assert target
    return str(target)


@pytest.mark.parametrize("target", [*PAGES, "symbol"])
def test_nothing_scrolls_sideways_on_a_narrow_screen(
    browser: Browser, link: str, target: str
) -> None:
    with visit(browser, link, viewport=NARROW) as visitor:
        visitor.open(detail(visitor) if target == "symbol" else target)
        assert visitor.page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
        assert visitor.troubles == []


@pytest.mark.parametrize("width", [400, 700, 1000, 1280])
def test_the_line_that_is_asked_for_is_in_sight(browser: Browser, link: str, width: int) -> None:
    with visit(browser, link, viewport={"width": width, "height": 800}) as visitor:
        for line in (300, 11_000):
            visitor.open(f"/file?path=src/long.txt&line={line}#L{line}")
            hit = visitor.page.evaluate(
                f"""() => {{
                  const box = document.getElementById("L{line}").getBoundingClientRect();
                  const on = document.elementFromPoint(box.left + 60, box.top + box.height / 2);
                  return on !== null && on.closest(".line") !== null && on.closest(".line").id;
                }}"""
            )
            assert hit == f"L{line}"


def test_all_of_a_long_file_can_be_found_in_its_page(browser: Browser, link: str) -> None:
    with visit(browser, link) as visitor:
        visitor.open("/file?path=src/long.txt")
        assert visitor.page.evaluate("window.find('row 12000')")


@pytest.mark.parametrize("width", [400, 1280])
def test_numbers_are_not_broken(browser: Browser, link: str, width: int) -> None:
    with visit(browser, link, viewport={"width": width, "height": 800}) as visitor:
        for target in ("/search?q=needle", "/", "/status"):
            visitor.open(target)
            broken = visitor.page.evaluate(
                """() => [...document.querySelectorAll(".number")].filter((number) => {
                  const text = document.createRange();
                  text.selectNodeContents(number);
                  return new Set([...text.getClientRects()].map((part) => part.top)).size > 1;
                }).map((number) => number.textContent)"""
            )
            assert broken == []


@pytest.mark.parametrize("target", [*PAGES, "symbol"])
def test_every_page_can_be_walked_by_keyboard(browser: Browser, link: str, target: str) -> None:
    with visit(browser, link) as visitor:
        visitor.open(detail(visitor) if target == "symbol" else target)
        visitor.page.focus(".skip")
        walked: list[str] = []
        for _ in range(60):
            visitor.page.keyboard.press("Tab")
            found = visitor.page.evaluate(SEEN)
            if found is None:
                break
            assert found["visible"], found
            assert found["shown"], found
            walked.append(found["name"])
        assert walked[:2] == ["A /", "A /folder"]


def test_a_search_needs_no_mouse(browser: Browser, link: str) -> None:
    with visit(browser, link) as visitor:
        page = visitor.page
        page.wait_for_selector("#q:focus")  # without a click
        page.keyboard.type("needle")
        page.wait_for_selector("a.result")
        assert page.url == f"{visitor.base}/search?q=needle"
        assert "passage" in page.locator("#count").inner_text()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Escape")
        page.keyboard.press("ArrowDown")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert "/file?path=" in page.url
        assert page.locator("div.line").count() > 0
        assert visitor.troubles == []


def test_typing_on_shows_what_was_typed_last(browser: Browser, link: str) -> None:
    with visit(browser, link) as visitor:
        for text in ("nee", "dle", " wide"):
            visitor.page.keyboard.type(text)
        visitor.page.wait_for_url("**/search?q=needle+wide")
        visitor.page.wait_for_selector("#results:not([aria-busy]) a.result")
        assert visitor.page.title() == "needle wide · root"


def test_without_javascript_forms_and_links_do_the_same(browser: Browser, link: str) -> None:
    with visit(browser, link, java_script_enabled=False) as visitor:
        page = visitor.page
        page.fill("#q", "needle")
        page.check("input[value=literal]")
        page.press("#q", "Enter")
        assert "mode=literal" in page.url
        assert page.locator("a.result").count() > 1
        page.locator("a.result").first.click()
        assert page.locator("div.line").count() > 0
        visitor.open("/bundle")
        page.fill("#prompt", "needle and inner")
        page.click("button")
        assert page.locator("article").count() > 0
        visitor.open("/symbol")
        page.fill("#q", "needle")
        page.press("#q", "Enter")
        page.locator("th a").first.click()
        assert page.locator("svg a.box").count() > 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("target", [*PAGES, "symbol"])
def test_axe_has_no_serious_findings(
    browser: Browser,
    link: str,
    target: str,
    scheme: Any,  # noqa: ANN401 of Playwright
) -> None:
    if not AXE.exists() and not required():
        pytest.skip("needs axe-core, which `make browser` fetches")
    with visit(browser, link, color_scheme=scheme) as visitor:
        visitor.open(detail(visitor) if target == "symbol" else target)
        visitor.page.evaluate(AXE.read_text("utf-8"))
        found = visitor.page.evaluate("axe.run()")
    serious = [
        (item["id"], [node["html"] for node in item["nodes"]][:3])
        for item in found["violations"]
        if item["impact"] in {"serious", "critical"}
    ]
    assert serious == []


@pytest.mark.parametrize("target", HOSTILE)
def test_a_hostile_repository_changes_nothing(
    browser: Browser, hostile_link: str, target: str
) -> None:
    with visit(browser, hostile_link, viewport=NARROW) as visitor:
        visitor.open(target)
        page = visitor.page
        assert visitor.troubles == []
        assert page.locator("img, iframe, object, embed, base").count() == 0
        assert page.locator("script:not([src='/assets/search.js'])").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
        assert page.evaluate("document.dir") == ""


def test_the_policy_stops_scripts_and_styles_within_a_page(browser: Browser, link: str) -> None:
    with visit(browser, link) as visitor:
        ran = visitor.page.evaluate(
            """() => {
              const script = document.createElement('script');
              script.textContent = 'window.ran = true';
              document.body.append(script);
              document.body.setAttribute('style', 'display: none');
              return [window.ran === true, getComputedStyle(document.body).display];
            }"""
        )
        assert ran == [False, "block"]
        assert any("Content Security Policy" in text for text in visitor.troubles)


def test_another_site_sees_nothing(browser: Browser, link: str, tmp_path: Path) -> None:
    with visit(browser, link) as visitor:
        page = visitor.page
        other = visitor.base.replace("127.0.0.1", "localhost")
        answer = page.context.request.get(f"{other}/status")
        assert answer.status == 403
        answered: list[tuple[str, int]] = []
        page.on("response", lambda found: answered.append((found.url, found.status)))
        (tmp_path / "other.html").write_text(
            f'<!doctype html><img src="{visitor.base}/status"><iframe src="{visitor.base}/status">'
        )
        page.goto((tmp_path / "other.html").as_uri())
        page.wait_for_load_state("networkidle")
        # a browser may also give up a refused request without telling its status, and may still
        # fetch what the page before has named
        assert {status for url, status in answered if url.endswith("/status")} <= {403}
        assert all("Languages" not in frame.content() for frame in page.frames)


def test_a_page_as_a_file_is_shown_with_its_style(
    browser: Browser, link: str, tmp_path: Path
) -> None:
    from repo_mcp.web.render import View, render_alone  # noqa: PLC0415 only with a browser

    values = {"page": "", "title": "Title", "reason": MARKUP, "hint": "", "warnings": []}
    (tmp_path / "page.html").write_bytes(render_alone(View("failure.html", values)))
    with visit(browser, link, color_scheme="dark") as visitor:
        visitor.page.goto((tmp_path / "page.html").as_uri())
        colour = visitor.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert colour == "rgb(20, 24, 29)"
        assert visitor.page.locator("bdi").inner_text() == MARKUP
        assert visitor.troubles == []
