"""Commands in documents: each line is run, or is in a list that says why a test does not run it."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from unittest import mock

import pytest

from docs.costs_page import RUN
from docs.sample_shop import run_command, sample_shop
from repo_mcp.cli.parser import parse

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "bench").rglob("*.md"),
        *(ROOT / "examples").glob("*.md"),
        *(ROOT / "tests" / "fuzz").glob("*.md"),
    ]
)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
# words that a command begins with, after variables
PROGRAMS = (
    "repo-mcp",
    "make",
    "pip",
    "pipx",
    "uv",
    "python",
    "python3",
    "dask",
    "rm",
    "npx",
    "git",
)
ASSIGNMENT = re.compile(r"(\w+)=(\S*) ")
HOME = "~/.local/share/repo-mcp"
REGISTRY = "it installs from an index of packages, into a home folder"
REMOVES = "it removes what the lines above it have installed"
MACHINES = "it needs machines that are there; tests/repo_mcp/remote/cluster starts such processes"
SERVES = "it would take this process's standard input and output; tests/repo_mcp/dependencies"
TOKENS = "it needs a file of tokens; tests/repo_mcp/protocol/http has some"
TRAINS = "it trains on hundreds of repositories"
CLIENTS = "it drives clients of others, which are installed from an index of packages"
DRIVEN = "bench.clients --keep ~/clients --trees ~/trees --server ~/clean/bin/repo-mcp"
PACKAGES = "bench.clients.packages --keep ~/clients --server ~/clean/bin/repo-mcp"
# lines that no test runs
NOT_RUN = {
    "pipx install .": REGISTRY,
    "pipx install --force .": REGISTRY,
    "pipx install --force '.[cluster]'": REGISTRY,
    "pipx install --force '.[web]'": REGISTRY,
    "pipx install --force '.[pdf]'": REGISTRY,
    "uv tool install .": REGISTRY,
    "uv tool install --force .": REGISTRY,
    "uv tool install --force '.[web]'": REGISTRY,
    f"python3 -m venv {HOME}": REGISTRY,
    f"python3 -m venv {HOME} && {HOME}/bin/pip install .": REGISTRY,
    f"{HOME}/bin/pip install --upgrade .": REGISTRY,
    f"{HOME}/bin/pip install '.[web]'": REGISTRY,
    f"{HOME}/bin/pip install --require-hashes -r requirements.lock": REGISTRY,
    f"{HOME}/bin/pip install --no-deps repo_mcp-VERSION-PLATFORM.whl": REGISTRY,
    "pipx uninstall repo-mcp": REMOVES,
    "uv tool uninstall repo-mcp": REMOVES,
    f"rm -r {HOME}": REMOVES,
    "rm -r .repo_mcp": REMOVES,
    "repo-mcp index --engine local:4": MACHINES,
    'repo-mcp search --engine local:4 "parse header"': MACHINES,
    "dask scheduler --host 10.0.0.1 --port 8786": MACHINES,
    "dask worker tcp://10.0.0.1:8786 --nthreads 1 --nworkers 8": MACHINES,
    "dask scheduler --protocol tls --tls-ca-file ca.pem --tls-cert scheduler.pem"
    " --tls-key scheduler.key": MACHINES,
    "dask worker tls://10.0.0.1:8786 --tls-ca-file ca.pem --tls-cert worker.pem"
    " --tls-key worker.key": MACHINES,
    "repo-mcp serve --engine tls://10.0.0.1:8786": MACHINES,
    "repo-mcp index --engine dask://10.0.0.1:8786 --store s3://bucket/team/parts": MACHINES,
    "repo-mcp serve --engine dask://10.0.0.1:8786": MACHINES,
    'repo-mcp search --engine dask://10.0.0.1:8786 "parse header"': MACHINES,
    "repo-mcp serve --engine dask://10.0.0.1:8786 --segments s3://bucket/team/repo": MACHINES,
    "repo-mcp serve --dependencies": SERVES,
    "repo-mcp serve --http --repo-root shop --http-tokens tokens.toml": TOKENS,
    "repo-mcp serve --http --repo-root s3://bucket/team/repo": SERVES,
    "python3 -m venv ~/clean && ~/clean/bin/pip install .": REGISTRY,
    f".venv/bin/python -m {DRIVEN}": CLIENTS,
    f".venv/bin/python -m {DRIVEN} --roots": CLIENTS,
    f".venv/bin/python -m {DRIVEN.replace('--trees ~/trees', '--killed')}": CLIENTS,
    RUN: "it drives a client that is signed in, whose model is paid for",
    f".venv/bin/python -m {PACKAGES}": CLIENTS,
    "python -m bench.vectors --mirror DIR --keep DIR": TRAINS,
    "python -m bench.vectors.questions --texts --mirror DIR --keep DIR": TRAINS,
    "python -m tests.fuzz.run --target glob --input FILE": "tests/fuzz runs it with inputs",
}
# pages whose commands belong together, and run in their order
IN_ORDER = {"cluster.md", "graph.md", "workspaces.md"}


def without_comment(line: str) -> str:
    return re.sub(r"\s+#.*$", "", line).strip()


def lines_of(page: Path) -> Iterator[str]:
    """Commands in the blocks of a page that are not outputs, as they are written."""
    for language, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language in {"", "sh"}:
            for line in block.splitlines():
                words = ASSIGNMENT.sub("", line).split()
                if words and (words[0] in PROGRAMS or "/bin/" in words[0]):
                    yield without_comment(line)


LINES = {(page, line) for page in DOCUMENTS for line in lines_of(page)}
OWN = sorted(
    {
        line
        for page, line in LINES
        if line.startswith("repo-mcp ") and page.name not in IN_ORDER and line not in NOT_RUN
    }
)
MADE = sorted({line for _, line in LINES if line.startswith("make ")})
MODULES = sorted(
    {
        code
        for page in DOCUMENTS
        for code in CODE.findall(page.read_text(encoding="utf-8"))
        if re.match(r"(\.venv/bin/)?python -m (bench|tests)\.", code)
    }
)


@pytest.mark.servers
@pytest.mark.parametrize("line", OWN)
def test_each_command_runs(line: str) -> None:
    with sample_shop() as root:
        output = run_command(root, shlex.split(line)[1:])
    assert output.code in {0, 1}, output


@pytest.mark.servers
@pytest.mark.parametrize("line", MADE)
def test_each_target_is_there(line: str) -> None:
    run = subprocess.run(
        [*shlex.split(line), "-n"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr


def test_every_other_line_says_why_it_is_not_run() -> None:
    kept = {line for page, line in LINES if page.name in IN_ORDER and " --engine " not in line}
    others = {line for _, line in LINES} - set(OWN) - set(MADE) - kept
    others |= {
        line for line in kept if line.split()[0] in {"pipx", "dask"} or " serve --http " in line
    }
    assert others == set(NOT_RUN)


def test_every_block_of_commands_is_marked_as_one() -> None:
    """Without a mark, a line is looked at only if it begins with a program that is known here."""
    for page in DOCUMENTS:
        for language, block in BLOCK.findall(page.read_text(encoding="utf-8")):
            for line in block.splitlines() if language == "sh" else ():
                words = ASSIGNMENT.sub("", without_comment(line)).split()
                known = not words or words[0] in PROGRAMS or "/bin/" in words[0]
                assert known, (page.name, line)


def every_command() -> Iterator[str]:
    """Commands of this program in blocks of all documents, those with a prompt too."""
    for page in DOCUMENTS:
        for _, block in BLOCK.findall(page.read_text(encoding="utf-8")):
            for line in block.splitlines():
                command = ASSIGNMENT.sub("", line.partition("$ ")[2] or line)
                if command.startswith("repo-mcp "):
                    yield command


@pytest.mark.parametrize(
    "line", sorted({line for line in every_command() if not re.search(r"[|<>]", line)})
)
def test_each_command_in_any_document_is_understood(line: str) -> None:
    words = shlex.split(line, comments=True)
    if words[1] in {"tax", "searchh"} or {"--globb", "litteraal", "-P"} & set(words):
        with pytest.raises(SystemExit):
            parse(words[1:])
    else:
        assert parse(words[1:]).command == words[1]


def test_commands_of_published_indexes_run_in_the_order_of_their_page(tmp_path: Path) -> None:
    bucket = f"file://{tmp_path.as_posix()}"
    lines = [
        line
        for line in dict.fromkeys(lines_of(ROOT / "docs" / "cluster.md"))
        if line not in NOT_RUN
    ]
    assert len(lines) == 8
    public = ""
    with sample_shop() as root:
        for line in lines:
            text = line.replace("s3://bucket", bucket).replace("ed25519:…", public)
            given = dict(ASSIGNMENT.findall(text))
            words = shlex.split(ASSIGNMENT.sub("", text).replace("~", str(root.parent)))
            with ExitStack() as stack:
                stack.enter_context(mock.patch.dict(os.environ, given))
                output = run_command(root, words[1:])
            assert output.code in {0, 1}, (line, output)
            if words[1] == "keygen":
                public = output.out.split()[-1]


def test_commands_on_the_graph_run_on_the_library_that_they_name(tmp_path: Path) -> None:
    library = Path(sysconfig.get_paths()["stdlib"])
    (tmp_path / ".git").mkdir()
    for name in ("json", "re"):
        shutil.copytree(
            library / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    lines = list(dict.fromkeys(lines_of(ROOT / "docs" / "graph.md")))
    assert len(lines) == 10
    with sample_shop():
        for line in lines:
            command, _, file = line.partition(" > ")
            words = [
                str(tmp_path / word) if word.endswith(".proof.json") else word
                for word in shlex.split(command)
            ]
            output = run_command(tmp_path, words[1:])
            assert output.code == 0, (line, output)
            if file:
                (tmp_path / file).write_text(output.out, encoding="utf-8")


@pytest.mark.parametrize("code", MODULES)
def test_each_program_for_measurements_is_there_with_its_options(code: str) -> None:
    module, *given = code.partition(" -m ")[2].split()
    spec = importlib.util.find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    places = [Path(spec.origin).parent] if spec.submodule_search_locations else [Path(spec.origin)]
    files = [
        file for place in places for file in (place.rglob("*.py") if place.is_dir() else [place])
    ]
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    options = [word.strip("[]") for word in given if word.startswith(("--", "[--"))]
    assert [option for option in options if f'"{option}"' not in text] == []


def test_commands_of_several_roots_run_over_folders_of_their_names() -> None:
    with sample_shop() as root:
        for name in ("service", "library", "handbook"):
            (root.parent / name).mkdir()
            (root.parent / name / "notes.md").write_text("retry\n", encoding="utf-8")
        lines = list(lines_of(ROOT / "docs" / "workspaces.md"))
        # a server would take this process's standard input and output
        (line,) = [line for line in lines if " serve " not in line]
        output = run_command(root, shlex.split(line.replace("~/work", str(root.parent)))[1:])
        assert output.code in {0, 1}, (line, output)
