"""Answers of language servers about a project's declarations and imports."""

from __future__ import annotations

import ast
import json
import subprocess
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bench.graph import python_oracle, typescript_oracle
from bench.graph.edges import Where
from bench.graph.projects import Project
from bench.graph.pyright import Pyright
from bench.graph.python_files import Position

VERSION: Final = 2
_DECLARING: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SCRIPT: Final = Path(__file__).with_name("typescript_tasks.mjs")
Line = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Answers:
    """The lines that name each declaration, the files that each file imports."""

    references: Mapping[Where, set[Line]] = field(default_factory=dict)
    imports: Mapping[str, set[str]] = field(default_factory=dict)
    # functions and types of a module that no decorator stands before
    at_top: frozenset[Where] = frozenset()
    # those without a use whose name stands where the oracle knows nothing, as in code for another
    # platform
    unsure: frozenset[Where] = frozenset()


def of_python(project: Project, root: Path, keep: Path, declared: Sequence[Where]) -> Answers:
    """The answers of pyright."""
    stored = keep / "truth" / f"tasks-{project.name}-{VERSION}.json"
    files = {
        path.relative_to(root).as_posix(): ast.parse(path.read_bytes())
        for path in sorted(root.rglob("*.py"))
    }
    if not stored.exists():
        seen = python_oracle.configured(project, root, keep)
        with Pyright(python_oracle.install(keep), seen) as server:
            references = [_python_references(server, root, each) for each in declared]
            # what is asked before the server has read all files has no answer
            asked = zip(declared, references, strict=True)
            references = [
                found if found or found is None else _python_references(server, root, each)
                for each, found in asked
            ]
            names = _names(root, files)
            row = {
                "references": references,
                "unsure": [
                    not found and _is_unsure(server, root, each, names.get(each.name, ()))
                    for each, found in zip(declared, references, strict=True)
                ],
                "imports": {
                    path: sorted(_python_imports(server, root, path, module, files))
                    for path, module in files.items()
                },
            }
        stored.write_text(json.dumps(row), "utf-8")
    tops = (
        Where(path, node.lineno, node.name)
        for path, module in files.items()
        for node in module.body
        if isinstance(node, _DECLARING) and not node.decorator_list
    )
    return _answers(json.loads(stored.read_text("utf-8")), declared, frozenset(tops))


def of_typescript(project: Project, root: Path, keep: Path, declared: Sequence[Where]) -> Answers:
    """The answers of TypeScript's language service."""
    stored = keep / "truth" / f"tasks-{project.name}-{VERSION}.json"
    if not stored.exists():
        seen = typescript_oracle.prepared(project, root, keep)
        questions = stored.with_suffix(".questions")
        questions.write_text(json.dumps(declared), "utf-8")
        options = json.dumps(typescript_oracle.compiler_options(project))
        module = typescript_oracle.compiler(keep)
        part = stored.with_suffix(".part")
        files = [str(questions), str(part)]
        command = ["node", "--max-old-space-size=6000", str(_SCRIPT), str(module), str(seen)]
        subprocess.run([*command, options, *files], check=True)
        part.replace(stored)
    tops = (where for where in declared if not _line(root, where)[:1].isspace())
    return _answers(json.loads(stored.read_text("utf-8")), declared, frozenset(tops))


ANSWERS: Final[dict[str, Callable[[Project, Path, Path, Sequence[Where]], Answers]]] = {
    "python": of_python,
    "typescript": of_typescript,
}


def _answers(
    row: Mapping[str, Any], declared: Sequence[Where], at_top: frozenset[Where]
) -> Answers:
    references = {}
    for where, places in zip(declared, row["references"], strict=True):
        if places is not None:
            references[where] = {(path, line) for path, line in places} - {where[:2]}
    imports = {path: set(found) for path, found in row["imports"].items()}
    flags = row.get("unsure", [False] * len(declared))
    unsure = (where for where, is_so in zip(declared, flags, strict=True) if is_so)
    return Answers(references, imports, at_top, frozenset(unsure))


def _names(root: Path, paths: Iterable[str]) -> Mapping[str, Sequence[tuple[str, Position]]]:
    """The places of all names in code, as tokens, by name."""
    found: dict[str, list[tuple[str, Position]]] = {}
    for path in paths:
        with (root / path).open("rb") as file:
            for token in tokenize.tokenize(file.readline):
                if token.type == tokenize.NAME:
                    found.setdefault(token.string, []).append((path, Position(*token.start)))
    return found


def _is_unsure(
    server: Pyright, root: Path, where: Where, places: Iterable[tuple[str, Position]]
) -> bool:
    """True if the name stands at another place, and what it means there is not known."""
    for path, at in places:
        if (path, at.line) == where[:2]:
            continue
        server.open(path, (root / path).read_text("utf-8"))
        (found,) = server.definitions(path, [at])
        server.close(path)
        if not found:
            return True
    return False


def _line(root: Path, where: Where) -> str:
    text = (root / where.path).read_bytes().decode("utf-8", "replace")
    return text.split("\n")[where.line - 1]


def _python_references(server: Pyright, root: Path, where: Where) -> list[Line] | None:
    words = ast_words(_line(root, where))
    columns = [column for column, word in words if word == where.name]
    if not columns:
        return None
    return [
        (path, at.line)
        for path, at in server.references(where.path, Position(where.line, columns[0]))
        if not Path(path).is_absolute()
    ]


def ast_words(line: str) -> list[tuple[int, str]]:
    """The words of a line with their columns."""
    found: list[tuple[int, str]] = []
    word = ""
    for column, character in enumerate(f"{line} "):
        if character == "_" or character.isalnum():
            word += character
        elif word:
            found.append((column - len(word), word))
            word = ""
    return found


def _python_imports(
    server: Pyright, root: Path, path: str, module: ast.Module, files: Mapping[str, ast.Module]
) -> Iterator[str]:
    """The files that a file imports: a module that is named, or a package by its dots."""
    lines = (root / path).read_bytes().decode("utf-8", "replace").split("\n")
    asked: list[Position] = []
    for node in ast.walk(module):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                if alias.name != "*":
                    last = alias.name.rpartition(".")[2]
                    column = alias.col_offset + len(alias.name) - len(last)
                    asked.append(Position(alias.lineno, column))
        if isinstance(node, ast.ImportFrom) and node.module:
            head = lines[node.lineno - 1].partition(" import")[0]
            last = node.module.rpartition(".")[2]
            asked.append(Position(node.lineno, head.rfind(last)))
        elif isinstance(node, ast.ImportFrom):
            package = Path(path).parents[node.level - 1] / "__init__.py"
            if package.as_posix() in files:
                yield package.as_posix()
    server.open(path, "\n".join(lines))
    for found in server.definitions(path, asked):
        for other, at in found:
            if at == (1, 0) and other in files and not _is_name(root, other):
                yield other
    server.close(path)


def _is_name(root: Path, path: str) -> bool:
    """True if the file begins with a name, which a definition there may mean."""
    first = (root / path).read_bytes()[:1].decode("utf-8", "replace")
    return first.isidentifier() and not (root / path).read_text("utf-8").startswith(
        ("from ", "import ")
    )
