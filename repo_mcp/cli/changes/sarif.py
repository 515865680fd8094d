"""A review as a SARIF log, which code scanners and forges show beside the lines."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import quote

from repo_mcp import __version__
from repo_mcp.answers.changes import BreakingEntry, ChangesResult, UnusedEntry
from repo_mcp.changes import BREAKS, MAY_BREAK, MEANS_OTHER

_SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_UNUSED: Final = "not-used"
_RULES: Final = {
    BREAKS: ("breaks", "error", "A use goes with what was declared before the change alone."),
    MAY_BREAK: ("may-break", "warning", "A use may go with what was declared before alone."),
    MEANS_OTHER: ("means-another", "warning", "A name means another declaration now."),
}


def sarif_log(result: ChangesResult) -> dict[str, Any]:
    """The log of one run."""
    rules = [_rule(name, level, text) for name, level, text in _RULES.values()]
    rules.append(_rule(_UNUSED, "note", "The change took the last use of a declaration."))
    found = [_breaking(entry) for entry in result.breaking]
    found += [_unused(entry) for entry in result.unused]
    driver = {
        "name": "repo-mcp",
        "semanticVersion": __version__,
        "rules": rules,
    }
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": found}],
    }


def _rule(name: str, level: str, text: str) -> dict[str, Any]:
    return {
        "id": name,
        "shortDescription": {"text": text},
        "defaultConfiguration": {"level": level},
    }


def _breaking(entry: BreakingEntry) -> dict[str, Any]:
    name, level, _ = _RULES[entry.verdict]
    text = f"{entry.edge} `{entry.uses}`, declared in {entry.declared_in}: {entry.reason}"
    return {
        "ruleId": name,
        "level": level,
        "message": {"text": text},
        "locations": [_location(entry.path, entry.line, entry.symbol)],
        "properties": {"confidence": entry.confidence},
    }


def _unused(entry: UnusedEntry) -> dict[str, Any]:
    text = f"{entry.declaration} `{entry.name}` is not used any more"
    return {
        "ruleId": _UNUSED,
        "level": "note",
        "message": {"text": text},
        "locations": [_location(entry.path, entry.line, entry.name)],
    }


def _location(path: str, line: int, symbol: str) -> dict[str, Any]:
    place = {
        "artifactLocation": {"uri": quote(path, errors="surrogateescape")},
        "region": {"startLine": line},
    }
    found: dict[str, Any] = {"physicalLocation": place}
    if symbol:
        found["logicalLocations"] = [{"fullyQualifiedName": symbol}]
    return found
