"""Pairs of documentation: the prose of a section -> the code that it shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from bench.vectors.pair import LONGEST_QUERY, SECTION, Pair, is_noise
from code_graph import Languages

_MOST_SECTIONS: Final = 40
_FENCED: Final = re.compile(r"^[ \t]*(```+|~~~+)[^\n]*\n(.*?)^[ \t]*\1", re.DOTALL | re.MULTILINE)
_INDENTED: Final = re.compile(r"(?:\n(?: {3,}|\t)[^\n]+)+")
_LINK: Final = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*\)|https?://\S+|<[^<>\n]{1,60}>")
_MARKS: Final = re.compile(r"[=\-~^#*`|:]{2,}")
_LOG: Final = re.compile(r"change|history|news|release|licen|contribut|conduct", re.IGNORECASE)
_FEWEST_LETTERS: Final = 30
_SHORTEST_CODE: Final = 40


def pairs(languages: Languages, path: str, text: str) -> Iterator[Pair]:
    """The sections of a document that show code."""
    if _LOG.search(path):
        return
    rows = text.split("\n")
    adapter = languages.adapter_for(path)
    found = adapter.outline(path, text) if adapter else ()
    starts = sorted({item.start_line for item in found} | {len(rows) + 1})[: _MOST_SECTIONS + 1]
    indented = path.lower().endswith(".rst")
    for begin, end in pairwise(starts):
        prose, code = _split(rows[begin - 1 : end - 1], indented=indented)
        letters = sum(char.isalpha() for char in prose)
        if letters >= _FEWEST_LETTERS and len(code) >= _SHORTEST_CODE and not is_noise(prose):
            yield Pair(SECTION, prose, path, code)


def _split(rows: Sequence[str], *, indented: bool) -> tuple[str, str]:
    """Prose and code of a section."""
    text = "\n".join(rows)
    if indented:
        code = [found[0] for found in _INDENTED.finditer(text)]
        text = _INDENTED.sub(" ", text)
    else:
        code = [found[2] for found in _FENCED.finditer(text)]
        text = _FENCED.sub(" ", text)
    plain = _MARKS.sub(" ", _LINK.sub(r" \1 ", text))
    return " ".join(plain.split())[:LONGEST_QUERY], "\n".join(code)
