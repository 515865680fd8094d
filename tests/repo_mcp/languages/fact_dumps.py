"""Facts as text, for comparison with golden files, in the order of the facts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from repo_mcp.languages.adapter import Adapter
from repo_mcp.languages.facts import MODULE, Declaration, Facts

GOLDEN = Path(__file__).with_name("golden_languages")


def read_golden(adapter: Adapter, name: str) -> tuple[str, str]:
    """What is made of a golden source now, and what should be."""
    text = (GOLDEN / name).read_text("utf-8")
    expected = GOLDEN / f"{name}.facts"
    return dump(adapter.facts(name, text)), expected.read_text("utf-8")


def dump(facts: Facts) -> str:
    """Everything there is."""
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
            *(
                f"{one.role} {one.line}:{one.column} {one.qualifier and one.qualifier + ' '}"
                f"{one.name}{_of(facts, one.owner)}"
                for one in facts.references
            ),
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
