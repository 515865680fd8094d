"""Pages as files: whole by themselves, harmless, and never written over something else."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from base64 import b64encode
from pathlib import Path

import pytest

from tests.repo_mcp.server_process import PROGRAM
from tests.repo_mcp.trees import write
from tests.repo_mcp.web.browsing import Document
from tests.repo_mcp.web.test_hostile import MARKUP, check_text

pytestmark = pytest.mark.servers

PAGES = [("bundle", MARKUP), ("status",), ("audit",)]


def run(folder: Path, *given: str, program: list[str] | None = None) -> tuple[int, str]:
    """The exit code, and standard error."""
    where = ["--repo-root", str(folder / "root"), "--data-dir", str(folder / "data")]
    command = [*(program or PROGRAM), given[0], *where, "--html", str(folder / "page.html")]
    done = subprocess.run(
        [*command, *given[1:]], capture_output=True, text=True, check=False, encoding="utf-8"
    )
    return done.returncode, done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "root", {"script/a.py": f"def alert():  # {MARKUP}\n    pass\n"})
    return tmp_path


@pytest.mark.parametrize("given", PAGES, ids=lambda given: given[0])
def test_a_page_is_whole_and_leads_nowhere(folder: Path, given: tuple[str, ...]) -> None:
    code, said = run(folder, *given)
    assert code == 0, said
    text = (folder / "page.html").read_text("utf-8")
    (style,) = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)
    page = check_text(text.replace(f"<style>{style}</style>", "", 1))
    assert {item["href"][0] for item in page.all("a")} == {"#"}
    assert page.all("script") == page.all("link") == page.all("form") == []
    (policy,) = [item["content"] for item in page.all("meta") if "http-equiv" in item.attributes]
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'"


def test_only_such_pages_are_replaced(folder: Path) -> None:
    page = folder / "page.html"
    page.write_text("<!doctype html>\n<html>mine</html>\n")
    code, said = run(folder, "status")
    assert (code, "no such page" in said) == (2, True)
    assert page.read_text() == "<!doctype html>\n<html>mine</html>\n"
    page.unlink()
    assert run(folder, "status")[0] == run(folder, "audit")[0] == 0
    assert Document(page.read_text("utf-8")).texts("h1") == ["What clients were shown"]


def test_without_the_packages_nothing_is_done(folder: Path) -> None:
    code = (
        "import sys; sys.modules['jinja2'] = None;"
        " from repo_mcp.server import main; sys.exit(main())"
    )
    program = [sys.executable, "-P", "-c", code]
    for given in PAGES:
        done, said = run(folder, *given, program=program)
        assert (done, "pip install 'repo-mcp[web]'" in said) == (2, True)
    assert not (folder / "page.html").exists()
