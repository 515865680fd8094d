"""Commands and pages are about all roots, too."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from docs.sample_shop import Output, run_command
from repo_mcp.settings import read_options
from repo_mcp.web.server import guarded
from repo_mcp.web.tools import page_app
from tests.repo_mcp.clocks import Clock
from tests.repo_mcp.tree_files import write
from tests.repo_mcp.web.browsing import PHRASE, Browser, Document

COMMANDS = [
    ("status", "lib: ready, 3 files"),
    ("search add_tax", "web/till.py"),
    ("search 'add_tax repo:lib'", "lib/rates.py"),
    ("search -e add_tax", "web/till.py:1:from rates import add_tax"),
    ("files", "web/till.py"),
    ("open web/till.py:1", "from rates import add_tax"),
    ("outline lib/rates.py", "def add_tax"),
    ("refs add_tax", "web/till.py"),
    ("callers add_tax", "total"),
    ("symbol add_tax", "web/till.py"),
    ("symbol lib:add_tax", "web/till.py"),
    ("impact add_tax", "total"),
    ("research 'who uses add_tax'", "web/till.py"),
    ("bundle 'how does total add taxes'", "lib/rates.py"),
    ("check", "sound"),
    ("compact", "merge"),
    ("doctor", "2 roots"),
    ("config", "--workspace"),
]


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two roots with an index, from a file beside them."""
    top = tmp_path_factory.mktemp("faces")
    write(
        top / "lib",
        {
            "pyproject.toml": '[project]\nname = "rates"\n',
            "rates.py": "def add_tax(price):\n    return price\n",
            "README.md": "# Rates\n",
        },
    )
    write(
        top / "web",
        {"till.py": "from rates import add_tax\n\n\ndef total():\n    return add_tax(1)\n"},
    )
    write(top, {"all.toml": '[roots]\nlib = "lib"\nweb = "web"\n'})
    assert command(top, "index --graph").code == 0
    return top


def command(top: Path, words: str) -> Output:
    """The output of a command in one of the roots."""
    name, *rest = shlex.split(words)
    flags = ["--workspace", str(top / "all.toml"), "--data-dir", str(top / "data")]
    return run_command(top / "web", [name, *flags, *rest], piped=True)


@pytest.mark.servers
@pytest.mark.parametrize(("words", "expected"), COMMANDS)
def test_a_command_is_about_all_roots(top: Path, words: str, expected: str) -> None:
    found = command(top, words)
    assert expected in found.out, found
    assert found.code in {0, 1}


@pytest.mark.servers
def test_a_record_of_the_state_has_the_roots(top: Path) -> None:
    found = json.loads(command(top, "status --json").out)
    assert [(root["name"], root["files"]) for root in found["roots"]] == [("lib", 3), ("web", 1)]


@pytest.mark.servers
@pytest.mark.parametrize(
    "name", ["publish file:///nowhere", "pull file:///nowhere", "scip export --output x.scip"]
)
def test_an_index_is_published_by_itself(top: Path, name: str) -> None:
    found = command(top, name)
    assert found.code == 2
    assert "one root of lib, web: name it, as in `--root lib`" in found.err


@pytest.mark.servers
def test_a_root_of_the_file_is_published_by_its_name(top: Path) -> None:
    """Its index is the one that it has in the workspace: no other is made."""
    before, store = folders_beside_lib(top / "data"), (top / "store").as_uri()
    assert command(top, f"publish {store} --root lib").code == 0
    assert command(top, f"pull {store} --root lib").code == 0
    assert folders_beside_lib(top / "data") == before


def folders_beside_lib(data: Path) -> list[Path]:
    (own,) = (data / "roots").glob("lib-*")
    return sorted(path for path in data.rglob("*") if path.is_dir() and own not in path.parents)


@pytest.mark.servers
def test_roots_by_folders_are_named_by_folders(top: Path) -> None:
    roots = ["--root", str(top / "lib"), "--root", str(top / "web")]
    data = ["--data-dir", str(top / "data")]
    found = run_command(top, ["publish", "file:///nowhere", *roots, *data], piped=True)
    assert re.search(r"`--repo-root \S+/lib --data-dir \S+/data/roots/lib-\w+`", found.err)


PAGES = [
    ("/", "web/"),
    ("/search?q=add_tax", "web/till.py"),
    ("/search?q=add_tax+repo:lib", "lib/rates.py"),
    ("/folder?path=web", "till.py"),
    ("/file?path=web/till.py", "total"),
    ("/symbol?name=add_tax", "web/till.py"),
    ("/status", "lib: ready"),
    ("/bundle?prompt=how+does+total+add+taxes", "lib/rates.py"),
]


@pytest.mark.parametrize(("address", "expected"), PAGES)
def test_a_page_is_about_all_roots(top: Path, address: str, expected: str) -> None:
    flags = [("workspace", str(top / "all.toml")), ("data_dir", str(top / "data"))]
    browser = Browser.__new__(Browser)
    browser.app = page_app(read_options([*flags, ("watch", "off")], {}), Clock())
    browser._served, browser._cookie = guarded(browser.app, PHRASE), ""
    found = browser.get(address)
    assert found.status == 200
    assert expected in "".join(Document(found.text).texts("body"))
