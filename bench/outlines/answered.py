"""Compares whole answers of `repo.outline` with the units that universal-ctags finds.

    python -m bench.outlines.answered LANGUAGE… --held-out --keep FOLDER --git FOLDER

The projects are those of `bench.graph`, and `--keep` and `--git` are its folders. Each file is
asked for without options, as an assistant does, and its cursor is followed to the end. A unit is
found if the answer has a row of its name and of a matching kind that its line stands in. `first` is
the share that the first page alone has; it names the others by number (`+12`, or so many of each
kind), and one more option lists them. `--differences` shows samples.

Units are functions and methods, classes, structures, unions, interfaces, enumerations, names of
types, macros, and constants of a file. Left out of what ctags finds are the kinds that are values
in a unit (fields, members, properties, events, enumerators, parameters, locals), that contain units
and declare nothing (namespaces, packages, modules, `impl`), that bind the names of other files
(imports), variables that are no constants, and macros without a value, such as guards of headers. A
function that a macro declares (`TEST(Shop, Sells) {`) has the macro's name in ctags and the test's
in an answer: it is found by its line. No units are tags that their line refutes: statements and
calls that ctags takes for methods (`try (…)`, `=> Write(…)`), constants inside of functions, and
macros behind fields in capitals. Precision is the share of rows of these kinds outside of functions
that ctags has in any of its kinds, or the parser of the language itself, for Go, Java, Rust and
TypeScript: ctags sees neither signatures of overloads nor methods of literals, for example. What
neither sees counts against it. ctags knows no Swift: its units are what the compiler's index has,
in files that it compiles, where `bench.graph` has judged the project.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench import machine
from bench.graph.edges import Truth
from bench.graph.projects import SPLITS, projects, tree
from bench.graph.swift_oracle import stored_truth
from bench.graph.typescript_oracle import compiler
from bench.outlines.oracles import ORACLES
from code_graph import Languages
from repo_mcp.app import App
from repo_mcp.settings import Options

_TYPESCRIPT: Final = Path(__file__).with_name("parsers") / "typescript.mjs"
_TYPE: Final = "type"
_CALLED: Final = "called"
_VALUE: Final = "value"
# kinds of ctags that are units, by language; the others are left out
_UNITS: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "c": ("C", {"function": _CALLED, "prototype": _CALLED, "macro": _VALUE}),
    "cpp": ("C++", {"function": _CALLED, "prototype": _CALLED, "macro": _VALUE, "class": _TYPE}),
    # its typedefs are aliases of imports, and variables of `using`
    "csharp": ("C#", {"method": _CALLED, "class": _TYPE, "interface": _TYPE, "typedef": ""}),
    "go": ("Go", {"func": _CALLED, "methodSpec": _CALLED, "const": _VALUE, "interface": _TYPE}),
    "java": (
        "Java",
        {"method": _CALLED, "class": _TYPE, "interface": _TYPE, "annotation": _TYPE},
    ),
    "python": ("Python", {"function": _CALLED, "member": _CALLED, "class": _TYPE}),
    "rust": (
        "Rust",
        {"function": _CALLED, "method": _CALLED, "macro": _VALUE, "interface": _TYPE},
    ),
    # not of ctags: what the compiler's index names
    "swift": (
        "",
        {
            **dict.fromkeys(("function", "method", "constructor"), _CALLED),
            **dict.fromkeys(("class", "interface", "type"), _TYPE),
        },
    ),
    "typescript": (
        "TypeScript",
        {
            **dict.fromkeys(("function", "method", "generator"), _CALLED),
            **dict.fromkeys(("class", "interface", "alias"), _TYPE),
            "constant": _VALUE,
        },
    ),
}
_EVERYWHERE: Final = dict.fromkeys(("struct", "union", "enum", "typedef", "type", "talias"), _TYPE)
# variables are units where they are constants: by their names in Python, by their keyword in Rust
_CONSTANTS: Final = {"python": "variable", "rust": "variable"}
_OURS: Final[dict[str, str]] = {
    **dict.fromkeys(
        """
        class struct interface enum record annotation type typedef trait union protocol delegate
        """.split(),  # noqa: SIM905 a list of words reads better
        _TYPE,
    ),
    **dict.fromkeys(
        ("function", "method", "constructor", "destructor", "operator", "prototype", "component"),
        _CALLED,
    ),
    "macro": _VALUE,
}
# a delegate of C# is a type to us, and a method to ctags
_DELEGATE: Final = "delegate"
# words that ctags takes for methods, or for the types of what is called behind them
_STATEMENTS: Final = frozenset(
    "try catch lock when using return new throw await else case in is switch if while for".split()  # noqa: SIM905 as above
)
# what stands before a call, and before no declared name
_NO_TYPE: Final = frozenset("=(,.!&|+-:;{}")
_WORD: Final = re.compile(r"\w+")


class Unit(NamedTuple):
    """A declaration that ctags has found."""

    path: str
    line: int
    name: str
    kind: str
    group: str
    is_by_macro: bool


class Row(NamedTuple):
    """A row of an answer."""

    kind: str
    name: str
    first: int
    last: int


class Answers(NamedTuple):
    """The rows of a file: those of the first page, and those of all."""

    first: list[Row]
    every: list[Row]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("language", choices=sorted(_UNITS), nargs="+")
    parser.add_argument("--tune", action="store_true", help="projects to tune on")
    parser.add_argument("--held-out", action="store_true", help="projects to measure on")
    parser.add_argument("--project", action="append", default=[], help="these projects alone")
    parser.add_argument("--keep", type=Path, required=True, help="trees")
    parser.add_argument("--git", type=Path, help="bare repositories")
    parser.add_argument("--differences", type=int, default=0, metavar="COUNT")
    parser.add_argument("--write", action="store_true", help="store the figures")
    args = parser.parse_args()
    chosen = tuple(split for split in SPLITS if getattr(args, split.replace("-", "_"))) or SPLITS
    figures: dict[str, object] = {}
    for language in args.language:
        total: Counter[str] = Counter()
        for project in projects(language, chosen):
            if not args.project or project.name in args.project:
                root = tree(project, args.keep, args.git)
                counts = _measured(root, language, args.keep, args.differences)
                print(f"{language} {project.name}:", _figures(counts), flush=True)
                figures[f"{language}: {project.name}"] = _figures(counts)
                total += counts
        print(f"{language} all:", _figures(total), flush=True)
        figures[f"{language}: all"] = _figures(total)
    if args.write:
        machine.keep("outlines", {"projects": figures})


def _figures(counts: Counter[str]) -> dict[str, float]:
    units, rows = max(counts["units"], 1), max(counts["rows"], 1)
    return {
        "units": counts["units"],
        "recall": round(counts["found"] / units, 4),
        "precision": round(counts["confirmed"] / rows, 4),
        "first": round(counts["first"] / units, 4),
    }


def _measured(root: Path, language: str, keep: Path, differences: int) -> Counter[str]:
    """Counts of units and rows of a tree; differences are printed."""
    known = Languages()
    paths = [
        path.relative_to(root).as_posix()
        for path in sorted(root.rglob("*"))
        if path.is_file() and known.language_of(path.name) == language
    ]
    if language == "swift":
        tags = list(_compiled(root, keep))
        compiled = {tag.path for tag in tags}
        paths = [path for path in paths if path in compiled]
    else:
        tags = list(_tags(root, language, paths))
    answers = dict(_answers(root, paths))
    units = [unit for unit in tags if unit.group and not _is_local(unit, answers, language)]
    missing = [unit for unit in units if not _is_found(unit, answers[unit.path].every)]
    late = sum(not _is_found(unit, answers[unit.path].first) for unit in units)
    seen: dict[tuple[str, str], list[int]] = {}
    for tag in tags:
        seen.setdefault((tag.path, "" if tag.is_by_macro else tag.name), []).append(tag.line)
    for path, name, line in _parsed(root, language, paths, keep):
        seen.setdefault((path, name), []).append(line)
    rows = [(path, row) for path, answer in answers.items() for row in _outside(answer.every)]
    beyond = [
        (path, row)
        for path, row in rows
        if not any(row.first <= line <= row.last for line in seen.get((path, row.name), ()))
        and row.first not in seen.get((path, ""), ())
    ]
    _show("missing", Counter(unit.kind for unit in missing), missing, differences)
    _show("beyond", Counter(row.kind for _, row in beyond), beyond, differences)
    found = {"units": len(units), "found": len(units) - len(missing), "first": len(units) - late}
    return Counter({**found, "rows": len(rows), "confirmed": len(rows) - len(beyond)})


def _outside(rows: Iterable[Row]) -> Iterator[Row]:
    """Rows that are units, each once, without those in functions."""
    end = 0
    for row in sorted(set(rows), key=lambda row: (row.first, -row.last)):
        if row.first > end and row.kind in _OURS:
            yield row
            end = row.last if _OURS[row.kind] == _CALLED else end


def _show(title: str, kinds: Counter[str], listed: Sequence[object], count: int) -> None:
    if count:
        print(f"  {title}: {dict(kinds.most_common())}")
        for item in listed[:: max(1, len(listed) // count)][:count]:
            print(f"    {tuple(item) if isinstance(item, Unit) else item}")


def _is_found(unit: Unit, rows: Iterable[Row]) -> bool:
    return any(
        (row.name == unit.name or (unit.is_by_macro and row.first == unit.line))
        and row.first <= unit.line <= row.last
        and (
            unit.group == _VALUE
            or row.kind == _DELEGATE
            or _OURS.get(row.kind, unit.group) == unit.group
        )
        for row in rows
    )


def _tags(root: Path, language: str, paths: Sequence[str]) -> Iterator[Unit]:
    """All that ctags finds; what is no unit has no group."""
    name, own = _UNITS[language]
    groups = {**_EVERYWHERE, **own}
    command = ["ctags", f"--languages={name}", f"--language-force={name}", "--output-format=json"]
    command += [f"--kinds-{name}=*", "--fields=+nKsS", "--sort=no", "-f", "-", "-L", "-"]
    listed = "\n".join(paths)
    done = subprocess.run(
        command,
        cwd=root,
        check=True,
        input=listed,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
    )
    lines: dict[str, list[str]] = {}
    for text in done.stdout.splitlines():
        tag = json.loads(text)
        if tag["_type"] != "tag" or tag["name"].startswith("__anon"):
            continue
        path = tag["path"]
        if path not in lines:
            lines[path] = (root / path).read_text("utf-8", "replace").split("\n")
        line = lines[path][tag["line"] - 1]
        group = groups.get(tag["kind"], "")
        if tag["kind"] == _CONSTANTS.get(language) and _is_constant(tag, line, language):
            group = _VALUE
        is_by_macro = tag["name"].isupper() and line.lstrip().startswith(f"{tag['name']}(")
        group = "" if _is_no_unit(tag, line, language) else group
        yield Unit(path, tag["line"], _last(tag["name"]), tag["kind"], group, is_by_macro)


def _compiled(root: Path, keep: Path) -> Iterator[Unit]:
    """All that the compiler of Swift declares in a project that `bench.graph` has judged."""
    for where, kind in sorted(Truth.read(stored_truth(root.name, keep)).kinds.items()):
        group = _UNITS["swift"][1].get(kind, "")
        yield Unit(where.path, where.line, where.name, kind, group, is_by_macro=False)


def _is_local(unit: Unit, answers: Mapping[str, Answers], language: str) -> bool:
    """True for a declaration in a function, which the compiler of Swift names like any other."""
    if language != "swift":
        return False
    return any(
        _OURS.get(row.kind) == _CALLED and row.first < unit.line <= row.last
        for row in answers[unit.path].every
        if row.name != unit.name
    )


def _parsed(
    root: Path, language: str, paths: Sequence[str], keep: Path
) -> Iterator[tuple[str, str, int]]:
    """Path, name and line of each declaration that the language's own parser sees."""
    if language in {"go", "java", "rust", "swift"}:
        declared, _ = ORACLES[language].read([(root / path).resolve() for path in paths])
        for row in declared:
            yield row.path.relative_to(root.resolve()).as_posix(), _last(row.name), row.line
    elif language == "typescript":
        command = ["node", str(_TYPESCRIPT.resolve()), str(compiler(keep).resolve())]
        listed = "\n".join(paths)
        done = subprocess.run(
            command, cwd=root, check=True, input=listed, capture_output=True, text=True
        )
        for text in done.stdout.splitlines():
            row = json.loads(text)
            yield row["path"], _last(row["name"]), row["line"]


def _is_constant(tag: dict[str, Any], line: str, language: str) -> bool:
    """True for a variable of a file that is a constant."""
    if "scope" in tag:
        return False
    return tag["name"].isupper() if language == "python" else "const" in line or "static" in line


def _is_no_unit(tag: dict[str, Any], line: str, language: str) -> bool:
    """True for a tag that the text refutes, or that is a constant in a function."""
    name, kind = tag["name"], tag["kind"]
    if kind == "macro":
        return "signature" not in tag and line.strip().endswith(f" {name}")
    if language in {"c", "cpp"}:
        return bool(kind == "prototype" and name.isupper())
    if language in {"java", "csharp"}:
        return kind == "method" and _is_call(tag, line)
    if language == "typescript":
        # a constant of the file, and no name that is imported, exported or checked
        before, _, after = line.partition(name)
        last = next(reversed(_WORD.findall(before)), "")
        if kind == "constant":
            return line[:1].isspace() or last != "const"
        return kind == "alias" and (last != "type" or after.strip()[:1] in ",}")
    return kind == "const" and tag.get("scopeKind") not in {None, "package"}


def _is_call(tag: dict[str, Any], line: str) -> bool:
    """True for a statement or call: a method has a type before its name, or is a constructor."""
    name = tag["name"]
    before = line.partition(name)[0].strip()
    last = next(reversed(_WORD.findall(before)), "")
    if name in _STATEMENTS or last in _STATEMENTS:
        return True
    return before[-1] in _NO_TYPE if before else name != tag.get("scope", "").rpartition(".")[2]


def _last(name: str) -> str:
    """The last part of a name, without the blanks of an operator."""
    before, operator, after = name.rpartition("operator")
    is_operator = operator and not before[-1:].isalnum() and after[:1] not in {"s", "_"}
    last = operator + after if is_operator else name.rpartition(".")[2].rpartition("::")[2]
    return last.replace(" ", "")


def _answers(root: Path, paths: Sequence[str]) -> Iterator[tuple[str, Answers]]:
    """The answer of each file, all pages of it."""
    with tempfile.TemporaryDirectory() as data:
        app = App(Options(str(root), data, watch=False, workers=1), links_ahead=False)
        app.call("repo.refresh_index", {}, lambda: False)
        for path in paths:
            pages: list[list[Row]] = []
            cursor = ""
            while cursor or not pages:
                arguments = {"path": path, **({"cursor": cursor} if cursor else {})}
                envelope = app.call("repo.outline", arguments, lambda: False)["structuredContent"]
                found = envelope["result"] if envelope["ok"] else {}
                pages.append([_row(item) for item in found.get("symbols", ())])
                cursor = found.get("cursor", "")
            yield path, Answers(pages[0], [row for page in pages for row in page])


def _row(item: dict[str, Any]) -> Row:
    first, last = item["start_line"], item["end_line"]
    return Row(item["kind"], _last(item["name"]), first, last)


if __name__ == "__main__":
    main()
