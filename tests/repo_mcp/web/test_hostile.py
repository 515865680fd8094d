"""Names and texts of a hostile repository change nothing on any page."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from urllib.parse import quote

import pytest

from repo_mcp.console import HIDDEN
from repo_mcp.web.render import shown
from tests.repo_mcp.web.browsing import Answer, Browser, Document

ALLOWED = {
    "html": {"lang"},
    "head": set[str](),
    "meta": {"charset", "name", "content", "http-equiv"},
    "title": set(),
    "link": {"rel", "href", "type"},
    "script": {"src", "defer"},
    "body": set(),
    "a": {"class", "href", "aria-current"},
    "header": {"class"},
    "nav": {"aria-label"},
    "main": {"id"},
    "h1": {"class"},
    "h2": {"id"},
    "h3": set(),
    "h4": set(),
    "p": {"class", "id", "role"},
    "pre": {"class"},
    "figure": {"class"},
    "figcaption": {"class"},
    "details": set(),
    "summary": set(),
    "textarea": {"id", "name", "rows", "maxlength", "spellcheck", "placeholder"},
    "div": {"class", "id", "role", "tabindex", "aria-label", "aria-labelledby"},
    "section": {"class"},
    "article": {"id"},
    "aside": {"class", "aria-label"},
    "ul": {"class"},
    "li": {"class"},
    "bdi": {"class"},
    "span": {"class", "id", "aria-hidden"},
    "code": {"class"},
    "mark": set(),
    "strong": {"class"},
    "form": {"class", "id", "action", "method", "role", "aria-label"},
    "label": {"class", "for"},
    "input": {"id", "name", "type", "value", "maxlength", "autocomplete", "autocapitalize"}
    | {"spellcheck", "placeholder", "autofocus", "checked", "class", "min"},
    "button": {"type"},
    "select": {"name"},
    "option": {"value", "selected"},
    "fieldset": {"class"},
    "legend": {"class"},
    "table": {"class"},
    "tr": set(),
    "th": {"class", "scope"},
    "td": {"class"},
    "svg": {"class", "viewbox", "aria-hidden", "aria-label", "role", "aria-labelledby"}
    | {"preserveaspectratio", "width", "height"},
    "defs": set(),
    "marker": {"id", "viewbox", "refx", "refy", "markerwidth", "markerheight", "markerunits"}
    | {"orient"},
    "path": {"class", "d", "marker-end"},
    "g": {"class"},
    "rect": {"class", "x", "y", "width", "height", "rx"},
    "text": {"class", "x", "y"},
}
INNER = re.compile(
    r"/(?:$|assets/|ask|search|file|folder|uses|home\.json|status|outline\.json|bundle|history|changes|audit|symbol|(?:caller|callee|dependen)\w+\.json)"
)
MARKUP = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'`&amp;{{7*7}}{% raw %}"
CONTROLS = "\x00\x1b[31m\x07\x7f\x85\u202e\u2066\u200f\u2028\u061c"
PATHS = [
    "<script>alert(1)<.py",
    "\"onmouseover='alert(1).py",
    "a&lt;b&#60;/{{7*7}}.py",
    "needle \u202egnp.py",
    "sp ace?#%2e&x=1.py",
    "javascript:alert(1)/x.py",
    "needle" * 30 + ".py",
    "-*[ab]?/needle.md",
]
TEXT = f"def needle():  # {MARKUP}{CONTROLS}\n    return '{MARKUP}'\n" + "needle" * 500 + "\n"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    if sys.platform == "win32":
        pytest.skip("no such names there")
    folder = tmp_path_factory.mktemp("hostile")
    files: dict[str, str | bytes] = dict.fromkeys(PATHS, TEXT.replace("\x00", ""))
    return Browser(folder, files)


def check(answer: Answer) -> Document:
    """Only known elements with known attributes, links to these pages, and no hidden character."""
    for name, value in answer.headers.items():
        assert (name + value).isprintable()
    return check_text(answer.text)


def check_text(text: str) -> Document:
    """The same of HTML."""
    page = Document(text)
    for element in page.elements:
        assert set(element.attributes) <= ALLOWED[element.tag], element
        for name in ("href", "src", "action"):
            target = element.attributes.get(name)
            if target is not None and not target.startswith("#"):
                assert INNER.match(target), target
    assert not {chr(code) for code in HIDDEN if code != 10} & set(text)
    return page


TARGETS = [
    "/",
    "/search?q=needle",
    "/search?q=needle&mode=literal",
    "/search?q=n%5Cw%2Ble&mode=regex",
    f"/search?q={quote(MARKUP)}",
    f"/search?q={quote(CONTROLS)}&mode=literal",
    f"/search?q=needle&folder={quote(MARKUP)}&lang={quote(MARKUP)}&kind={quote(MARKUP)}",
    f"/search?q=needle&mode={quote(MARKUP)}&cursor={quote(MARKUP)}",
    "/search?q=%ff%fe%ed%a0%80&mode=literal",
    "/search?q=%ff%fe%ed%a0%80",
    f"/file?path={quote(MARKUP)}",
    f"/file?path={quote(CONTROLS)}",
    "/file?path=%ff%fe%ed%a0%80",
    "/file?path=a.py&line=%ff",
    "/file?path=a.py&line=99999999999999999999",
    "/status",
    "/ask?q=needle",
    f"/ask?q={quote(MARKUP)}&names={quote(MARKUP)},needle,{quote(PATHS[0])}&want=uses",
    f"/ask?more={quote(MARKUP)}%0A{quote(CONTROLS)}&from={quote(MARKUP)}&to=needle",
    f"/ask?names={quote(CONTROLS)}&want={quote(MARKUP)}",
    "/ask",
    "/bundle?prompt=needle",
    f"/bundle?prompt={quote(MARKUP)}needle&max_files={quote(MARKUP)}",
    f"/bundle?prompt={quote(CONTROLS)}",
    "/bundle?prompt=needle%ff",
    "/bundle",
    "/symbol",
    "/symbol?q=needle",
    f"/symbol?q={quote(MARKUP)}",
    f"/symbol?id={quote(MARKUP)}",
    f"/symbol?path={quote(PATHS[0])}",
    *(
        f"{page}{query}"
        for page in ("/folder", "/uses")
        for query in (
            *("", f"?path={quote(MARKUP)}", f"?path={quote(CONTROLS)}"),
            f"?path={quote(PATHS[0].rpartition('/')[0])}",
            *("?path=-*%5Bab%5D%3F", "?path=%ff%fe%ed%a0%80"),
        )
    ),
    "/audit",
    f"/audit?client={quote(MARKUP)}&tool={quote(CONTROLS)}",
    f"/audit?since={quote(MARKUP)}&cursor={quote(MARKUP)}",
    "/%3Cscript%3E",
    "/search?" + "&".join(f"a{number}=1" for number in range(100)),
]


@pytest.mark.parametrize("target", TARGETS)
def test_no_page_has_more_than_its_own_elements(browser: Browser, target: str) -> None:
    answer = browser.get(target)
    assert answer.status < 500, answer.text
    check(answer)


@pytest.mark.parametrize("path", PATHS)
def test_a_hostile_file_is_shown_as_it_is(browser: Browser, path: str) -> None:
    page = check(browser.get(f"/file?path={quote(path)}"))
    assert page.texts("h1") == [shown(path.rpartition("/")[2])]
    rows = TEXT.replace("\x00", "").split("\n")
    assert page.texts("code")[:2] == [shown(row) for row in rows[:2]]


def test_names_lead_to_their_files(browser: Browser) -> None:
    page = check(browser.get("/search?q=needle&mode=literal"))
    results = page.all("a", "result")
    assert {"".join(item.text) for item in results} == {shown(path) for path in PATHS}
    for item in results:
        target = check(browser.get(item["href"]))
        assert target.texts("h1") == ["".join(item.text).rpartition("/")[2]]


def test_folders_with_special_names_can_be_narrowed_to(browser: Browser) -> None:
    page = check(browser.get(f"/search?q=needle&folder={quote('-*[ab]?')}"))
    assert page.texts("a", "result") == ["-*[ab]?/needle.md"]


@pytest.mark.parametrize("target", TARGETS)
def test_headers_and_json_are_plain(browser: Browser, target: str) -> None:
    page, question, query = target.partition("?")
    answer = browser.get(f"{page}.json{question}{query}")
    is_json = answer.headers["content-type"] == "application/json"
    assert answer.body.isascii() or not is_json
    assert is_json or answer.status == 404
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.skipif(os.name == "nt", reason="names are Unicode there")
def test_a_name_that_is_no_unicode_breaks_nothing(tmp_path: Path) -> None:
    browser = Browser(tmp_path, {"a.py": "def needle(): pass\n"})
    folder = os.fsencode(browser.root)
    with open(folder + b"/needle\xff.py", "wb") as file:  # noqa: PTH123 a name of bytes
        file.write(b"needle\n")
    for target in ("/search?q=needle", "/status", "/file?path=needle%ff.py"):
        check(browser.get(target))


def test_text_is_visible_whatever_it_holds() -> None:
    assert shown("a\u202eb\x00\udc80\ud800\t") == "a\\u202eb\\x00\\udc80\\ud800\t"


def test_no_template_takes_markup_from_a_value() -> None:
    package = Path(__file__).parents[3] / "repo_mcp" / "web"
    texts = [
        file.read_text("utf-8") for file in package.rglob("*.*") if file.suffix in {".html", ".py"}
    ]
    assert texts
    for text in texts:
        assert not re.search(r"\|\s*safe\b|Markup|autoescape false|autoescape=False", text)
        # a page that is a file has the style that others link to
        own = text.replace('<style>{% include "style.css" %}</style>', "", 1)
        assert not re.search(r"\son\w+=|style=|<style|javascript:", own)
