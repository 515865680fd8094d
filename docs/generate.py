"""Write the generated parts of the documentation; with --check only say what is out of date.

The maps in ARCHITECTURE.md are made from two things that can't be wrong: the layers that the import
linter enforces, and the first line of each module's docstring. To change a line of the map, change
the docstring. The tables and the example in docs/format.md come from the code itself,
docs/tools.md from the tools' declarations, docs/settings.md from the table of settings,
docs/errors.md from the retrieval toolset's table of errors.
"""

from __future__ import annotations

import ast
import importlib
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
MAP = ROOT / "ARCHITECTURE.md"
FORMAT = ROOT / "docs" / "format.md"
TOOLS = ROOT / "docs" / "tools.md"
SETTINGS = ROOT / "docs" / "settings.md"
ERRORS = ROOT / "docs" / "errors.md"


def layers(package: str) -> list[list[str]]:
    """Names of a package's modules as the linter knows them, top layer first."""
    settings: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for contract in settings["tool"]["importlinter"]["contracts"]:
        if contract["type"] == "layers" and contract["containers"] == [package]:
            return [re.findall(r"\w+", layer) for layer in contract["layers"]]
    sys.exit(f"pyproject.toml has no layers for {package}")


def files_of(package: str, module: str) -> list[Path]:
    """The file of a module, or all files of a folder; nothing while it is not written."""
    single = ROOT / package / f"{module}.py"
    inner = sorted((ROOT / package / module).rglob("*.py"))
    return [single] if single.exists() else [file for file in inner if file.name != "__init__.py"]


def promise(file: Path) -> str:
    """First line of the module's docstring."""
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
    if not text:
        sys.exit(f"{file.relative_to(ROOT)}: a module says in its docstring what it promises")
    return text.splitlines()[0].replace("|", "\\|")


def row(package: str, layer: str, file: Path) -> str:
    """One module: its layer, a link to it and its promise."""
    inside = file.relative_to(ROOT / package).with_suffix("").as_posix()
    return f"| {layer} | [{inside}]({file.relative_to(ROOT).as_posix()}) | {promise(file)} |"


def rows(package: str) -> Iterator[str]:
    """One table row per module, layers counted from the bottom; the linter refuses a "?"."""
    found = layers(package)
    placed: set[Path] = set()
    for number, names in zip(range(len(found), 0, -1), found, strict=True):
        for file in (file for name in names for file in files_of(package, name)):
            placed.add(file)
            yield row(package, str(number), file)
    every = {file for file in (ROOT / package).rglob("*.py") if file.name != "__init__.py"}
    yield from (row(package, "?", file) for file in sorted(every - placed))


def table(package: str) -> str:
    """The map of one package."""
    lines = list(rows(package)) or ["| | | nothing yet |"]
    return "\n".join(["| layer | module | what it promises |", "|---|---|---|", *lines])


def filled(text: str) -> str:
    """The document with every generated part written anew."""

    def fill(match: re.Match[str]) -> str:
        return f"{match[1]}\n{table(match[2])}\n{match[3]}"

    part = re.compile(r"(<!-- map of (\w+).*?-->)\n.*?(<!-- end of map -->)", re.DOTALL)
    return part.sub(fill, text)


def documents() -> Iterator[tuple[Path, str]]:
    """Every document with generated parts, as it should be."""
    sys.path.insert(0, str(ROOT))  # whatever is started as a script finds its own folder alone
    parts = importlib.import_module("docs.format_parts")
    tools = importlib.import_module("docs.tools_page")
    yield MAP, filled(MAP.read_text(encoding="utf-8"))
    yield FORMAT, parts.filled(FORMAT.read_text(encoding="utf-8"))
    yield TOOLS, tools.page()
    yield SETTINGS, importlib.import_module("docs.settings_page").page()
    yield ERRORS, importlib.import_module("docs.errors_page").page()


def main() -> int:
    """Write what is out of date, or with --check report it and fail."""
    old = [(file, text) for file, text in documents() if file.read_text(encoding="utf-8") != text]
    checking = "--check" in sys.argv[1:]
    for file, text in old:
        if checking:
            print(f"{file.name} is out of date: run make docs")
        else:
            file.write_text(text, encoding="utf-8", newline="\n")
            print(f"{file.name} written")
    return 1 if old and checking else 0


if __name__ == "__main__":
    sys.exit(main())
