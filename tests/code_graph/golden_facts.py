"""Golden sources of each language and their facts as text.

`python -m tests.code_graph.golden_facts [--write]` shows what differs from the golden
files, and writes them; look at every difference.
"""

from __future__ import annotations

import difflib
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from code_graph import LANGUAGES, Languages
from code_graph.facts import MODULE, Declaration, Facts

GOLDEN: Final = Path(__file__).with_name("golden")
_LANGUAGES: Final = Languages()
# every golden source with its language; of some there is a second one
FILES: Final = tuple(
    sorted(
        (_LANGUAGES.language_of(path.name), path.name)
        for path in GOLDEN.iterdir()
        if path.suffix != ".facts"
    )
)
_BY_GRAMMAR: Final = {row.name for row in LANGUAGES if "treesitter" in row.adapter}
# the first of each language that is read by a grammar
SOURCES: Final = {
    language: next(name for other, name in FILES if other == language)
    for language, _ in FILES
    if language in _BY_GRAMMAR
}
_MODULES: Final = {item.name: item.adapter for item in LANGUAGES}


def read_golden(language: str, name: str) -> tuple[str, str]:
    """The current and the expected facts of a golden source."""
    text = (GOLDEN / name).read_text("utf-8")
    adapter = importlib.import_module(_MODULES[language]).adapter(language)
    expected = GOLDEN / f"{name}.facts"
    before = expected.read_text("utf-8") if expected.exists() else ""
    return dump(adapter.facts(name, text)), before


def dump(facts: Facts) -> str:
    """All facts as text."""
    return "\n".join(
        [
            f"{facts.language} {facts.status}",
            "",
            *_declarations(facts),
            "",
            *(
                f"import {one.line} {one.module!r} {one.name!r} as {one.alias!r}"
                f"{_of(facts, one.owner)}"
                for one in facts.imports
            ),
            "",
            *(f"use {one.line} {one.name}" for one in facts.uses),
            "",
            f"cuts {' '.join(map(str, facts.cuts))}",
            "",
        ]
    )


def _of(facts: Facts, owner: int) -> str:
    return "" if owner == MODULE else f" in {facts.declarations[owner].name}"


def _declarations(facts: Facts) -> Iterator[str]:
    for one in facts.declarations:
        indent = "  " * _depth(facts, one)
        place = f"{one.start_line}-{one.end_line} ({one.name_line}:{one.name_column})"
        yield f"{indent}{one.kind} {one.name} {place}: {one.signature}"
        for line in _details(one):
            yield f"{indent}    {line}"


def _depth(facts: Facts, one: Declaration) -> int:
    return 0 if one.parent == MODULE else 1 + _depth(facts, facts.declarations[one.parent])


def _details(one: Declaration) -> Iterator[str]:
    said = {
        "doc": " / ".join(one.doc.split("\n")),
        "scope": one.scope_kind if one.scope_kind != "module" else "",
        "context": one.decl_context,
        "conditional": "yes" if one.is_conditional else "",
        "is": " ".join(filter(None, (one.access, *sorted(one.modifiers)))),
        "bases": ", ".join(one.bases),
        "takes": f"{one.parameter_count} {one.parameters}" if one.parameters else "",
        "gives": one.returns,
    }
    for key, value in said.items():
        if value:
            yield f"{key}: {value}"


def main(arguments: list[str]) -> int:
    """Write or compare the golden files; returns how many differ."""
    different = 0
    for language, name in FILES:
        now, before = read_golden(language, name)
        if now != before:
            different += 1
            lines = difflib.unified_diff(before.split("\n"), now.split("\n"), name, "now", n=0)
            sys.stdout.write("\n".join(lines) + "\n")
        if "--write" in arguments:
            (GOLDEN / f"{name}.facts").write_text(now, "utf-8")
    return different


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
