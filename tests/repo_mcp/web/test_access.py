"""Access to the pages, and the headers that each of them is sent with."""

from __future__ import annotations

import pytest

from repo_mcp.web.access import PageRules
from tests.repo_mcp.web.browsing import HOST, PHRASE, Browser, Document


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    return Browser(tmp_path_factory.mktemp("access"), {"a.py": "def needle(): pass\n"})


@pytest.fixture(scope="module")
def cookie(browser: Browser) -> str:
    answer = browser.request(f"/?token={PHRASE}", {"host": HOST})
    return answer.headers["set-cookie"].partition(";")[0]


def test_the_link_is_exchanged_for_a_cookie(browser: Browser) -> None:
    answer = browser.request(f"/?token={PHRASE}", {"host": HOST})
    assert (answer.status, answer.headers["location"], answer.body) == (303, "/", b"")
    value, *rules = answer.headers["set-cookie"].split("; ")
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} < set(rules)
    assert PHRASE not in value
    assert browser.request("/", {"host": HOST, "cookie": f"a=b; {value}"}).status == 200


REFUSED = [
    ({"host": HOST}, "/"),
    ({"host": HOST}, "/?token=wrong"),
    ({"host": HOST}, "/?token="),
    ({"host": HOST}, f"/?{'a=1&' * 99}token={PHRASE}"),
    ({"host": HOST}, "/?token=%ff%ed%a0%80"),
    ({"host": HOST}, f"/search?token={PHRASE}"),
    ({"host": HOST}, "/search?q=needle"),
    ({"host": HOST}, "/assets/style.css"),
    ({"host": HOST}, "/nowhere"),
    ({"host": HOST, "cookie": "repo_mcp_8000=wrong"}, "/"),
    ({"host": HOST, "cookie": f"repo_mcp_8000={PHRASE}"}, "/"),
    ({"host": HOST, "authorization": f"Bearer {PHRASE}"}, "/"),
    ({"host": "evil.example"}, f"/?token={PHRASE}"),
    ({"host": "evil.example:8000"}, f"/?token={PHRASE}"),
    ({"host": "10.0.0.5:8000"}, f"/?token={PHRASE}"),
    ({}, f"/?token={PHRASE}"),
    ({"host": HOST, "sec-fetch-site": "cross-site"}, f"/?token={PHRASE}"),
    ({"host": HOST, "origin": "null"}, f"/?token={PHRASE}"),
]


@pytest.mark.parametrize(("headers", "target"), REFUSED)
def test_who_has_not_used_the_link_sees_what_to_do(
    browser: Browser, headers: dict[str, str], target: str
) -> None:
    answer = browser.request(target, headers)
    assert answer.status == 403
    assert "set-cookie" not in answer.headers
    assert "needle" not in answer.text
    assert "repo-mcp web" in answer.text
    assert Document(answer.text).texts("h1") != []
    assert "default-src 'none'" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"sec-fetch-site": "none"}, 200),
        ({"sec-fetch-site": "same-origin"}, 200),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"origin": f"http://{HOST}"}, 200),
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"host": "localhost:8000"}, 200),
        ({"host": "[::1]:8000"}, 200),
        ({"host": "127.0.0.1:8001"}, 403),
        ({"host": "evil.example:8000"}, 403),
    ],
)
def test_with_the_cookie_only_these_pages_may_ask(
    browser: Browser, cookie: str, headers: dict[str, str], status: int
) -> None:
    given = {"host": HOST, "cookie": cookie, **headers}
    assert browser.request("/search?q=needle", given).status == status


def test_two_hosts_are_refused() -> None:
    rules = PageRules(PHRASE)
    refused = rules(b"/?token=sesame", [(b"host", b"localhost"), (b"host", b"localhost")])
    assert refused is not None
    assert rules(b"/?token=sesame", [(b"host", b"localhost")]) is None


def test_without_a_token_nothing_is_served() -> None:
    with pytest.raises(ValueError, match="token"):
        PageRules("")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_nothing_can_be_changed(browser: Browser, method: str) -> None:
    answer = browser.get("/search?q=needle", method)
    assert (answer.status, answer.headers["allow"], answer.body) == (405, "GET, HEAD", b"")


@pytest.mark.parametrize("target", ["/", "/assets/style.css", "/nowhere"])
def test_a_head_is_that_of_the_page(browser: Browser, target: str) -> None:
    page, head = browser.get(target), browser.get(target, "HEAD")
    assert (head.status, head.headers, head.body) == (page.status, page.headers, b"")
    assert int(head.headers["content-length"]) == len(page.body)


def test_the_head_of_the_status_has_no_body(browser: Browser) -> None:
    # The page tells how far indexing is, so that its length may change from request to request.
    page, head = browser.get("/status"), browser.get("/status", "HEAD")
    assert (head.status, set(head.headers), head.body) == (page.status, set(page.headers), b"")
    assert int(head.headers["content-length"]) > 0


@pytest.mark.parametrize(
    "target",
    [
        *("/", "/search?q=needle", "/search.json?q=needle", "/file?path=a.py", "/status"),
        *("/assets/style.css", "/assets/search.js", "/assets/icon.svg", "/nowhere"),
        f"/?token={PHRASE}",
    ],
)
def test_every_answer_forbids_what_it_does_not_need(browser: Browser, target: str) -> None:
    headers = browser.get(target).headers
    policy = dict(item.split(" ", 1) for item in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    assert set(policy.values()) <= {"'none'", "'self'"}
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
