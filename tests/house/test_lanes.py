"""Every test that starts a program is in the lane `servers`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
# functions of libraries and of this program that start a program or a process
STARTS: Final = frozenset(
    [f"subprocess.{name}" for name in ("Popen", "call", "check_call", "check_output", "run")]
    + [f"os.{name}" for name in ("execv", "execve", "fork", "forkpty", "posix_spawn", "system")]
    + ["asyncio.create_subprocess_exec", "concurrent.futures.ProcessPoolExecutor", "pty.fork"]
    + ["distributed.LocalCluster", "mcp.client.stdio.stdio_client", "multiprocessing.Process"]
    + [f"repo_mcp.remote.cluster.{name}open_engine" for name in ("", "engine.")]
    + ["repo_mcp.indexing.watch.watcher.Watcher", "repo_mcp.processes.start.Process"]
)


class _Module(NamedTuple):
    """Definitions of a module by name, and the dotted names that its imports stand for."""

    name: str
    definitions: Mapping[str, ast.stmt]
    imported: Mapping[str, str]
    is_marked: bool

    def dotted(self, name: str) -> str:
        first, dot, rest = name.partition(".")
        return f"{self.imported.get(first, f'{self.name}.{first}')}{dot}{rest}"


def _module(name: str, source: str) -> _Module:
    body = ast.parse(source).body
    definitions: dict[str, ast.stmt] = {}
    imported: dict[str, str] = {}
    for statement in body:
        match statement:
            case ast.FunctionDef() | ast.ClassDef() | ast.AsyncFunctionDef():
                definitions[statement.name] = statement
            case ast.Assign(targets=[ast.Name(target)]) | ast.AnnAssign(target=ast.Name(target)):
                definitions[target] = statement
            case ast.ImportFrom(module=str(module)):
                imported |= {n.asname or n.name: f"{module}.{n.name}" for n in statement.names}
            case ast.Import():
                imported |= {n.asname: n.name for n in statement.names if n.asname}
                plain = [n.name.partition(".")[0] for n in statement.names if not n.asname]
                imported |= {name: name for name in plain}
            case _:
                pass
    marks = definitions.get("pytestmark")
    return _Module(name, definitions, imported, marks is not None and _is_marked(marks))


def _is_marked(node: ast.AST) -> bool:
    """True if a decorator or an assignment names the mark."""
    attributes = (part for part in ast.walk(node) if isinstance(part, ast.Attribute))
    return any(_written(attribute) == "pytest.mark.servers" for attribute in attributes)


def _used(module: _Module, definition: ast.stmt, fixtures: Mapping[str, str]) -> Iterator[str]:
    """Dotted names that a definition reads, calls, or takes as a fixture."""
    for node in ast.walk(definition):
        match node:
            case ast.Call(func=called):
                yield module.dotted(_written(called))
            case ast.Name() | ast.Attribute():
                if (dotted := module.dotted(_written(node))) not in STARTS:
                    yield dotted  # else it is a type, or a test replaces it
            case ast.arg(arg=name):
                yield fixtures.get(name, module.dotted(name))
            case _:
                pass


def _written(node: ast.expr) -> str:
    """A name or a chain of attributes as it is written; of another expression the attributes."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attribute):
            return f"{_written(value)}.{attribute}"
        case _:
            return ""


def unmarked_starts(sources: Mapping[str, str]) -> list[str]:
    """Tests without the mark that start a program, by sources under their dotted names."""
    modules = {name: _module(name, source) for name, source in sources.items()}
    uses = {
        f"{name}.{defined}": set(_used(module, definition, _fixtures(name, modules)))
        for name, module in modules.items()
        for defined, definition in module.definitions.items()
    }
    starting, more = set(STARTS), set(STARTS)
    while more:
        more = {name for name, used in uses.items() if used & more} - starting
        starting |= more
    return sorted(
        f"{name}.{defined}"
        for name, module in modules.items()
        if not module.is_marked
        for defined, definition in module.definitions.items()
        if defined.lower().startswith("test") and f"{name}.{defined}" in starting
        if not _is_marked(definition)
    )


def _fixtures(name: str, modules: Mapping[str, _Module]) -> dict[str, str]:
    """Names that the conftest.py beside and above a module define; the nearest one wins."""
    folders = name.split(".")[:-1]
    above = [".".join([*folders[:depth], "conftest"]) for depth in range(1, len(folders) + 1)]
    found = {
        defined: f"{conftest}.{defined}"
        for conftest in above
        if conftest in modules
        for defined in modules[conftest].definitions
    }
    return {key: value for key, value in found.items() if key not in modules[name].definitions}


def test_what_starts_a_program_is_in_the_lane_of_servers() -> None:
    files = [file for folder in ("tests", "bench") for file in (ROOT / folder).rglob("*.py")]
    files = [f for f in files if not {"cases", "data"} & set(f.relative_to(ROOT).parts)]
    names = {file: ".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files}
    sources = {name: file.read_text(encoding="utf-8") for file, name in names.items()}
    assert {"tests.repo_mcp.server_process", "bench.ranking.ripgrep_files"} <= sources.keys()
    assert unmarked_starts(sources) == []


def test_programs_are_found_behind_helpers_and_fixtures() -> None:
    helper = "import subprocess as s\ndef run(): s.run([])\nclass A:\n    def b(self): run()"
    conftest = "from t.helper import A\n@pytest.fixture\ndef served(): return A()"
    uses = {"t.helper": helper, "t.conftest": conftest}
    for source in (
        "from t.helper import run\ndef test_it(): run()",
        "import t.helper\ndef test_it(): t.helper.run()",
        "from t.helper import A as B\ndef go(): B()\ndef test_it(): go()",
        "def test_it(served): pass",
        "from os import fork\nclass TestIt:\n    def test_it(self): fork()",
    ):
        assert len(unmarked_starts({**uses, "t.test_a": source})) == 1, source
        marked = "pytestmark = [pytest.mark.skipif(1), pytest.mark.servers]\n" + source
        assert unmarked_starts({**uses, "t.test_a": marked}) == []
    single = "from os import fork\n@pytest.mark.servers\ndef test_it(): fork()"
    assert unmarked_starts({"t.test_a": single}) == []


def test_types_and_what_a_test_replaces_start_nothing() -> None:
    for source in (
        "import subprocess\ndef test_it(done: subprocess.Popen[bytes]): subprocess.PIPE",
        "import subprocess\ndef test_it(monkeypatch): monkeypatch.setattr(subprocess, 'run', None)",
        "from t.helper import other\ndef test_it(): other()",
        "def test_it(served): pass\ndef served(): pass",
    ):
        helper = "import os\ndef run(): os.fork()\ndef other(): pass"
        conftest = "from t.helper import run\ndef served(): run()"
        uses = {"t.helper": helper, "t.conftest": conftest, "t.test_a": source}
        assert unmarked_starts(uses) == [], source
