"""Written pages: each command in them is run, each figure has a source, and they make a site."""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from docs.sample_shop import run_command, sample_shop
from docs.tool_examples import CALLS, tools_without_example
from docs.written_pages import written_pages
from repo_mcp.cli.known_clients import BY_NAME
from repo_mcp.cli.parser import full_parser

ROOT = Path(__file__).parents[2]
PAGES = written_pages(ROOT)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CLIENT_ADDS = re.compile(r"`((?:claude|codex|gemini|copilot|opencode) mcp add [^`]*)`")
VSCODE_ADDS = re.compile(r"`code --add-mcp '([^`]*)'`")


def test_each_option_in_a_written_page_is_there() -> None:
    known = set(re.findall(r"--[a-z][a-z-]+", commands_help()))
    for page in PAGES:
        for code in re.findall(r"`([^`\n]+)`", FENCED.sub("", page.read_text(encoding="utf-8"))):
            if code.startswith(("-", "repo-mcp ")):
                assert set(re.findall(r"--[a-z][a-z-]+", code)) <= known, (page.name, code)


def commands_help() -> str:
    return " ".join(
        option
        for command in subcommands(full_parser())
        for action in command._actions
        for option in action.option_strings
    )


def subcommands(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from subcommands(command)


def test_every_decision_is_in_the_list_of_decisions() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", (folder / "README.md").read_text("utf-8"))
    assert listed == sorted(page.name for page in folder.glob("[0-9]*.md"))


def test_every_tool_has_an_example() -> None:
    assert tools_without_example() == []
    text = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
    assert text.count("Call and answer:") == sum(map(len, CALLS.values()))
    assert "<!--example" not in text


def test_readme_begins_with_the_demo_and_the_tests() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    first = re.search(r"^```\w*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert first is not None
    assert [line.split()[:2] for line in first[1].splitlines()] == [
        ["make", "demo"],
        ["make", "test"],
    ]
    assert len(text.splitlines()) <= 200


def test_a_clients_own_command_adds_what_install_adds() -> None:
    lines = CLIENT_ADDS.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert len(lines) == 5
    for line in lines:
        client, *words = shlex.split(line.replace(" -- --content", " --content"))
        given = words[words.index("repo-mcp") + 1 :]
        with sample_shop() as root:
            printed = run_command(root, ["install", client, "--print", "--command", "repo-mcp"])
        assert all(f'"{word}"' in printed.out for word in given)
        assert ("--content" in given) is ("--content" in printed.out)
        assert client in BY_NAME


def test_what_is_added_to_vs_code_is_what_install_adds_for_one_repository() -> None:
    (given,) = VSCODE_ADDS.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    entry = json.loads(given)
    with sample_shop() as root:
        options = ["--print", "--command", "repo-mcp", "--scope", "user", "--repo-root", str(root)]
        printed = run_command(root, ["install", "vscode", *options])
        shown = {"/path/to/repository": "/home/you/shop"}
        args = [shown.get(word, word) for word in entry["args"]]
    servers = json.loads(printed.out)["servers"]
    assert servers == {entry["name"]: {"type": "stdio", "command": "repo-mcp", "args": args}}


def test_the_file_for_cursor_is_the_one_that_install_writes() -> None:
    assert "(examples/cursor/mcp.json)" in (ROOT / "README.md").read_text(encoding="utf-8")
    with sample_shop() as root:
        printed = run_command(root, ["install", "cursor", "--print", "--command", "repo-mcp"])
    example = (ROOT / "examples" / "cursor" / "mcp.json").read_text(encoding="utf-8")
    assert json.loads(printed.out) == json.loads(example)


@pytest.mark.servers
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_in_a_written_page_runs_in_the_order_of_the_page(page: Path) -> None:
    examples = PYTHON.findall(page.read_text(encoding="utf-8"))
    with sample_shop() as root:
        for example in examples:
            program = root.parent / "example.py"
            program.write_text(example.replace('"/path/to/repository"', repr(str(root))), "utf-8")
            run = subprocess.run(
                [sys.executable, str(program)],
                cwd=root,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                capture_output=True,
                text=True,
                check=False,
            )
            assert (run.returncode, run.stderr) == (0, "")


class Addresses(HTMLParser):
    """The addresses that a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag in {"script", "img", "iframe", "source"}:
            self.loaded.append(values.get("src") or "")
        elif tag == "link" and values.get("rel") != "canonical":
            self.loaded.append(values.get("href") or "")


@pytest.mark.servers
def test_the_site_is_built_without_a_warning_and_loads_nothing_from_elsewhere(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    pages = sorted(tmp_path.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        reader = Addresses()
        reader.feed(page.read_text(encoding="utf-8"))
        assert [address for address in reader.loaded if "//" in address] == [], page
