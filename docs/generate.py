"""Write the generated parts of the documentation; with --check only say what is out of date.

The tables and the example in docs/format.md come from the code itself, docs/tools.md from the
tools' declarations, docs/settings.md from the table of settings, docs/graph.md from the options and
records of the graph's commands, docs/repo-mcp.1 and the scripts for shells from the parser,
docs/terminal.md by running commands, figures and outputs of commands in written pages from results
of benchmarks and by running them, docs/errors.md from the retrieval toolset's errors, the list in
docs/frameworks.md from the descriptions of frameworks, docs/vectors.md from the card of the word
vectors and the list of repositories that they were trained on, docs/costs.md, docs/exams.md,
docs/benchmarks.md and its plots from results of benchmarks. The packages of clients in plugins/,
their marketplace files and server.json are made of one description of the product.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FORMAT = ROOT / "docs" / "format.md"
TOOLS = ROOT / "docs" / "tools.md"
SETTINGS = ROOT / "docs" / "settings.md"
ERRORS = ROOT / "docs" / "errors.md"
GRAPH = ROOT / "docs" / "graph.md"
MANUAL = ROOT / "docs" / "repo-mcp.1"
SCRIPTS = ROOT / "repo_mcp" / "cli" / "help" / "scripts"
TERMINAL = ROOT / "docs" / "terminal.md"
VECTORS = ROOT / "docs" / "vectors.md"
COSTS = ROOT / "docs" / "costs.md"
BENCHMARKS = ROOT / "docs" / "benchmarks.md"
PICTURE = ROOT / "docs" / "pictures" / "answer.svg"


def documents() -> Iterator[tuple[Path, str]]:
    """Every document with generated parts, as it should be."""
    sys.path.insert(0, str(ROOT))  # whatever is started as a script finds its own folder alone
    parts = importlib.import_module("docs.format_parts")
    tools = importlib.import_module("docs.tools_page")
    yield FORMAT, parts.filled(FORMAT.read_text(encoding="utf-8"))
    yield TOOLS, tools.page()
    yield SETTINGS, importlib.import_module("docs.settings_page").page()
    yield GRAPH, importlib.import_module("docs.graph_page").page()
    yield ERRORS, importlib.import_module("docs.errors_page").page()
    frameworks = importlib.import_module("docs.frameworks_page")
    yield frameworks.PAGE, frameworks.page()
    shells = importlib.import_module("docs.shell_files")
    yield MANUAL, shells.manual()
    for shell, text in shells.scripts().items():
        yield SCRIPTS / f"repo-mcp.{shell}", text
    yield TERMINAL, importlib.import_module("docs.terminal_page").page()
    yield PICTURE, importlib.import_module("docs.terminal_picture").answer_picture()
    yield from importlib.import_module("docs.written_pages").filled_pages(ROOT)
    yield VECTORS, importlib.import_module("docs.vectors_page").page()
    yield COSTS, importlib.import_module("docs.costs_page").page()
    exams = importlib.import_module("docs.exams_page")
    yield exams.PAGE, exams.page()
    benchmarks = importlib.import_module("docs.benchmarks_page")
    yield BENCHMARKS, benchmarks.page()
    for plot in benchmarks.plots():
        yield BENCHMARKS.with_suffix("") / f"{plot.name}.svg", plot.text
    yield from importlib.import_module("release.packages").files()


def current(file: Path) -> str:
    """A document as it stands; nothing before it is first written."""
    return file.read_text(encoding="utf-8") if file.exists() else ""


def main() -> int:
    """Write what is out of date, or with --check report it and fail."""
    old = [(file, text) for file, text in documents() if current(file) != text]
    checking = "--check" in sys.argv[1:]
    for file, text in old:
        if checking:
            print(f"{file.name} is out of date: run make docs")
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
            print(f"{file.name} written")
    return 1 if old and checking else 0


if __name__ == "__main__":
    sys.exit(main())
