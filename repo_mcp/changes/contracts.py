"""Finds the texts that files gave to others before a change and do not give any more."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from code_graph.contracts.keys import WRAPPER
from code_graph.contracts.read.file_contracts import is_described, read_contracts
from code_graph.expressions import ContractRole
from repo_mcp.changes.side_facts import SideFacts
from repo_mcp.changes.sides import ComparedFile

_WORD: Final = re.compile(r"\w+")


def words_of_lost(files: Iterable[ComparedFile], old: SideFacts, new: SideFacts) -> Iterator[str]:
    """The longest word of each text that no changed file gives any more, as one that uses it has.

    Parts of a route that vary have no word.
    """
    pairs = [*files]
    before = {text for file in pairs for text in _given(old, file.old_path)}
    behind = {text for file in pairs for text in _given(new, file.new_path)}
    for _, key in sorted(before - behind):
        words: list[str] = _WORD.findall(key.partition(" ")[2] or key)
        if words:
            yield max(words, key=len)


def _given(side: SideFacts, path: str) -> Iterator[tuple[str, str]]:
    found = side.files.get(path)
    if found is None or not is_described(found[1].language):
        return
    for item in read_contracts(*found):
        if item.role == ContractRole.GIVES and item.kind != WRAPPER:
            yield item.kind, item.key
