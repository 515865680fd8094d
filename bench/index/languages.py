"""Compares the parsers' speed and declarations with universal-ctags on the same files.

    python -m bench.index.languages --corpus python=FOLDER --corpus c=FOLDER ...

For each language: files and megabytes of source per second for all facts on one core, and which
declared names ctags finds in a file that we don't, and the other way round. Local variables are no
declarations here, nor are parameters.
To conclude: the names that only one of the two finds; the first of them are listed.
"""

from __future__ import annotations

import argparse
import gc
import re
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from bench import machine
from code_graph import Languages
from code_graph.facts import PARTIAL, Facts
from repo_mcp.text.files import decode

_LANGUAGES: Final = Languages()
_MAX_BYTES: Final = 1 << 20
_MAX_FILES: Final = 2000
_LISTED: Final = 25
# ctags kinds of locals, parameters and unknown items
_NOT_DECLARED: Final = frozenset(
    {"local", "parameter", "unknown", "label", "I", "Z", "D"}
    # values in functions of R, and names in its vectors
    | {"functionVar", "vector", "list", "dataframe", "nameattr"}
)
_CTAGS_NAMES: Final = {
    "python": "Python",
    "csharp": "C#",
    "typescript": "TypeScript",
    "tsx": "TypeScript",
    "javascript": "JavaScript",
    "go": "Go",
    "rust": "Rust",
    "java": "Java",
    "c": "C",
    "cpp": "C++",
    "cmake": "CMake",
    "elixir": "Elixir",
    "haskell": "Haskell",
    "julia": "Julia",
    "lua": "Lua",
    "make": "Make",
    "objc": "ObjectiveC",
    "perl": "Perl",
    "protobuf": "Protobuf",
    "r": "R",
    "ruby": "Ruby",
    "shell": "Sh",
    "sql": "SQL",
}

# type parameters of Julia, further parts of a selector of Objective-C
_BEHIND: Final = re.compile(r"(?<=\w)(?:\{.*|:(?!:).*)$")

Place = tuple[str, str]


def sources(root: Path, language: str) -> Iterator[tuple[str, str, int]]:
    """Path, text and size of each file of the language, in path order."""
    count = 0
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if _LANGUAGES.language_of(name) != language or path.is_symlink() or not path.is_file():
            continue
        data = path.read_bytes()
        text = decode(data)
        if text is not None and len(data) <= _MAX_BYTES:
            yield name, text.content, len(data)
            count += 1
        if count == _MAX_FILES:
            return


def by_ctags(root: Path, language: str, names: Sequence[str]) -> dict[Place, str]:
    """File and name of each declaration that ctags finds, and its kind."""
    program = shutil.which("ctags")
    if program is None or language not in _CTAGS_NAMES:
        return {}
    options = ["--fields=+KlS-s", "--sort=no", "-f", "-", "-L", "-"]
    only = [f"--languages={_CTAGS_NAMES[language]}", f"--language-force={_CTAGS_NAMES[language]}"]
    command = [program, *only, *options]
    listed = "\n".join(names)
    done = subprocess.run(
        command, cwd=root, input=listed, capture_output=True, encoding="latin-1", check=False
    )
    found: dict[Place, str] = {}
    for line in done.stdout.splitlines():
        name, _, rest = line.partition("\t")
        path, _, rest = rest.partition("\t")
        kind = rest.rpartition(';"\t')[2].partition("\t")[0]
        if kind not in _NOT_DECLARED and not name.startswith(("__anon", "anon", "!_")):
            found[path, last_part(name)] = kind
    return found


def last_part(name: str) -> str:
    """The name without what is around it and behind it: type parameters, parts of a selector."""
    name = _BEHIND.sub("", name).strip("\"'`[]")
    return name.rpartition(".")[2].rpartition("::")[2] or name


def compared(root: Path, language: str) -> dict[str, object]:
    """Speed and differences for one language."""
    files = list(sources(root, language))
    adapter = _LANGUAGES.adapter_for(files[0][0]) if files else None
    if adapter is None:
        raise SystemExit(f"{root} has no files of the language {language}")
    adapter.facts(files[0][0], files[0][1])
    gc.disable()
    begin = time.process_time()
    facts: list[tuple[str, Facts]] = [(path, adapter.facts(path, text)) for path, text, _ in files]
    seconds = time.process_time() - begin
    gc.enable()
    ours = {
        (path, last_part(item.name)): item.kind
        for path, found in facts
        for item in found.declarations
    }
    theirs = by_ctags(root, language, [path for path, _, _ in files])
    size = sum(item[2] for item in files)
    missing = sorted(set(theirs) - set(ours)) if theirs else []
    beyond = sorted(set(ours) - set(theirs)) if theirs else []
    return {
        "files": len(files),
        "mb": round(size / 1e6, 1),
        "files_per_second": round(len(files) / seconds),
        "mb_per_second": round(size / 1e6 / seconds, 2),
        "status": dict(Counter(found.status for _, found in facts)),
        "declarations": sum(len(found.declarations) for _, found in facts),
        "uses": sum(len(found.uses) for _, found in facts),
        "names_found": len(ours),
        "names_ctags_finds": len(theirs),
        "recall": round(1 - len(missing) / len(theirs), 4) if theirs else None,
        "recall_of_partial_files": _recall(
            theirs, ours, {path for path, found in facts if found.status == PARTIAL}
        ),
        "only_ctags": len(missing),
        "only_ours": len(beyond),
        "only_ctags_by_kind": dict(Counter(theirs[place] for place in missing).most_common()),
        "only_ours_by_kind": dict(Counter(ours[place] for place in beyond).most_common()),
        "first_only_ctags": [f"{theirs[p]} {p[1]} ({p[0]})" for p in missing[:_LISTED]],
    }


def _recall(
    theirs: Collection[Place], ours: Collection[Place], paths: Collection[str]
) -> float | None:
    """The share of what ctags finds in these files that we find."""
    there = [place for place in theirs if place[0] in paths]
    return round(sum(place in ours for place in there) / len(there), 4) if there else None


def main() -> None:
    """Measure and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", action="append", required=True, metavar="LANGUAGE=FOLDER")
    args = parser.parse_args()
    figures: dict[str, object] = {}
    for item in args.corpus:
        language, _, folder = item.partition("=")
        figures[language] = compared(Path(folder).resolve(), language)
        print(language, figures[language], flush=True)
    print(machine.keep("languages", figures))


if __name__ == "__main__":
    main()
