"""Fills in which frameworks are described, from their descriptions."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from typing import Final

from code_graph.contracts.descriptions import read_description
from code_graph.expressions import ContractRole

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "docs" / "frameworks.md"
LANGUAGES: Final = ROOT / "code_graph" / "languages"
PART: Final = re.compile(r"(<!-- generated: descriptions -->\n).*?(<!-- end -->)", re.DOTALL)
SIDES: Final = {
    ContractRole.GIVES: "gives",
    ContractRole.USES: "uses",
    ContractRole.RUNS: "runs what it is handed",
}
SHOWN: Final = {
    "general": "any",
    "csharp": "C#",
    "ecmascript": "JavaScript, TypeScript",
    "php": "PHP",
    "sql": "SQL",
}


def page() -> str:
    """The page as it should be."""
    rows = ["| language | framework | contracts |", "|---|---|---|"]
    for file in sorted(LANGUAGES.glob("*/frameworks/*.toml")):
        language = file.parent.parent.name
        rules, _ = read_description(file.name, file.read_text(encoding="utf-8"))
        kinds: dict[str, set[str]] = defaultdict(set)
        for rule in rules:
            kinds[SIDES[ContractRole(rule.role)]].add(rule.kind)
        told = [f"{side} {', '.join(sorted(names))}".strip() for side, names in kinds.items()]
        link = f"[{rules[0].framework}](../{file.relative_to(ROOT).as_posix()})"
        shown = SHOWN.get(language, language.capitalize())
        rows.append(f"| {shown} | {link} | {'; '.join(told)} |")
    text = "\n".join(rows)
    return PART.sub(lambda found: f"{found[1]}{text}\n{found[2]}", PAGE.read_text(encoding="utf-8"))
