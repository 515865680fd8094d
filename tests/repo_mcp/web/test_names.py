"""Names in shown code that lead to the symbols that they name."""

from __future__ import annotations

import pytest

from repo_mcp.budget import Budget
from repo_mcp.repository import names_in
from tests.repo_mcp.web.browsing import Browser, Document

FILES: dict[str, str | bytes] = {
    "app/main.py": (
        "from app.disk import Store, put as write\n\n\n"
        "def run(store: Store, other) -> None:\n"
        "    # put and Store are named here\n"
        '    write("put")\n'
        "    store.close()\n"
        "    other.close()\n"
        "    other.unheard()\n"
        "    print(len([]))\n"
    ),
    "app/disk.py": (
        "def put(text: str) -> None: ...\n\n\nclass Store:\n    def close(self) -> None: ...\n"
    ),
    "app/net.py": "class Link:\n    def close(self) -> None: ...\n",
}


@pytest.fixture(scope="module")
def unlinked(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    return Browser(tmp_path_factory.mktemp("names"), FILES)


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Browser:
    made = Browser(tmp_path_factory.mktemp("linked"), FILES)
    assert made.get("/symbol?q=put").status == 200
    return made


def names(browser: Browser, path: str = "app/main.py") -> list[tuple[str, str]]:
    page = Document(browser.get(f"/file?path={path}").text)
    return [("".join(item.text), item["href"]) for item in page.all("a", "name")]


def heading(browser: Browser, target: str) -> str:
    return Document(browser.get(target).text).texts("h1")[0]


def test_before_the_graph_is_linked_names_lead_to_what_is_spelled_so(unlinked: Browser) -> None:
    found = names(unlinked)
    assert ("Store", "/symbol?name=Store") in found
    words = [text for text, _ in found]
    # once in the import: not in the comment, and not in the string
    assert words.count("put") == 1
    assert words.count("close") == 2
    assert not {"unheard", "print", "len", "text", "def"} & set(words)


def test_a_name_leads_to_the_symbol_that_it_means_here(browser: Browser) -> None:
    found = names(browser)
    meant = {text: heading(browser, address) for text, address in found if "id=" in address}
    assert meant["write"] == "app.disk.put"
    assert meant["Store"] == "app.disk.Store"
    assert meant["run"] == "app.main.run"
    closed = [address for text, address in found if text == "close"]
    assert heading(browser, closed[0]) == "app.disk.Store.close"
    assert closed[1:] == ["/symbol?name=close"]
    assert "unheard" not in dict(found)


def test_of_a_name_of_several_symbols_the_page_offers_the_others(browser: Browser) -> None:
    page = Document(browser.get("/symbol?name=close").text)
    assert page.all("ul", "warnings") == []
    first = page.texts("h1")[0]
    (other,) = page.all("ul", "choice")
    offered = [item for item in page.all("a") if "".join(item.text).endswith(".close")]
    both = {first, heading(browser, offered[0]["href"])}
    assert both == {"app.disk.Store.close", "app.net.Link.close"}
    assert "method, app/" in "".join(other.text)


def test_the_definition_on_the_page_of_a_symbol_leads_on(browser: Browser) -> None:
    page = Document(browser.get("/symbol?name=run").text)
    found = {"".join(item.text): item["href"] for item in page.all("a", "name")}
    assert heading(browser, found["write"]) == "app.disk.put"


def test_a_file_that_changed_since_it_was_linked_has_no_links_at_old_places(
    browser: Browser,
) -> None:
    text = str(FILES["app/main.py"])
    file = browser.root / "app/main.py"
    file.write_text(text.replace("write", "zz, write"))
    for name, address in names(browser):
        assert "id=" not in address or heading(browser, address).endswith(name)
        assert name != "zz"
    file.write_text(text)


def test_names_are_looked_for_no_longer_than_the_budget_lasts(unlinked: Browser) -> None:
    repository = unlinked.app.services.repository()
    assert names_in(repository, "app/main.py", {1: "Store"}, Budget(0.0)) == {}
    assert names_in(repository, "app/main.py", {1: "Store"}, Budget(60.0))[1][0].name == "Store"
