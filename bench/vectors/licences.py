"""Tells a repository's licence by the text of its own licence files."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bench.vectors import blobs
from repo_mcp.text.files import decode

# a sentence that only this licence has, in lower case with single blanks; several have to be there
_TEXTS: Final[tuple[tuple[str, tuple[str, ...]], ...]] = (
    ("Apache-2.0", ("apache license", "version 2.0")),
    ("MIT", ("permission is hereby granted, free of charge, to any person obtaining a copy",)),
    ("BSD-3-Clause", ("redistribution and use in source and binary forms", "neither the name")),
    ("BSD-3-Clause", ("redistribution and use in source and binary forms", "names of its contrib")),
    ("BSD-2-Clause", ("redistribution and use in source and binary forms",)),
    ("ISC", ("permission to use, copy, modify, and/or distribute this software for any purpose",)),
    ("ISC", ("permission to use, copy, modify, and distribute this software for any purpose",)),
    ("PostgreSQL", ("use, copy, modify, and distribute this software and its documentation",)),
    ("Unlicense", ("free and unencumbered software released into the public domain",)),
    ("Zlib", ("altered source versions must be plainly marked",)),
    ("BSL-1.0", ("boost software license - version 1.0",)),
    ("CC0-1.0", ("cc0 1.0 universal",)),
    ("PSF-2.0", ("python software foundation license version 2",)),
)
PERMISSIVE: Final = frozenset(name for name, _ in _TEXTS)
# texts of licences that oblige those who change the work, or restrict its use
_REFUSED: Final = re.compile(
    r"gnu (?:affero |lesser |library )?general public licen[sc]e|mozilla public licen[sc]e"
    r"|eclipse public licen[sc]e|common development and distribution licen[sc]e"
    r"|european union public|business source licen[sc]e|server side public licen[sc]e"
    r"|elastic licen[sc]e|commons clause|microsoft public licen[sc]e"
    r"|attribution-sharealike|attribution-noncommercial"
)
_DUAL: Final = re.compile(r"\bdual[- ]?licen[sc]")
_FILE: Final = re.compile(r"(?:un|mit-)?licen[sc]e|copying", re.IGNORECASE)
# files of these names hold the licence itself; further ones hold one of several, or a note
_MAIN: Final = re.compile(r"(?:un)?licen[sc]e(?:\.(?:txt|md|rst))?|copying", re.IGNORECASE)
_README: Final = re.compile(r"readme(?:\.(?:txt|md|rst))?", re.IGNORECASE)
_LARGEST: Final = 400_000


def licence_of(git_dir: Path, commit: str) -> str:
    """The permissive licence of a commit, by the files of its top folder; else empty."""
    top = blobs.tree(git_dir, commit, nested=False)
    fit = [
        blob
        for blob in top
        if blob.size <= _LARGEST and (_FILE.match(blob.path) or _README.fullmatch(blob.path))
    ]
    found = blobs.texts(git_dir, fit)
    read = ((blob.path, decode(data)) for blob, data in found)
    return permissive({path: text.content for path, text in read if text})


def permissive(files: Mapping[str, str]) -> str:
    """The permissive licence that these files grant; empty if they grant none, or oblige."""
    plain = {name: _plain(text) for name, text in files.items()}
    licences = {name: text for name, text in plain.items() if _FILE.match(name)}
    order = sorted(licences, key=lambda name: (_MAIN.fullmatch(name) is None, name))
    named = [found for name in order if (found := classify(licences[name]))]
    if not named:
        return ""
    if any(_obliges(text) for text in licences.values()):
        offers = any(_DUAL.search(text) for text in plain.values())
        return named[0] if offers else ""
    return named[0]


def classify(text: str) -> str:
    """The permissive licence whose text comes first in a text; empty if there is none."""
    plain = _plain(text)
    found = [
        (plain.index(sentences[0]), at, name)
        for at, (name, sentences) in enumerate(_TEXTS)
        if all(sentence in plain for sentence in sentences)
    ]
    return min(found)[2] if found else ""


def _obliges(plain: str) -> bool:
    """True if a copyleft or restricted licence governs: it is there before any permissive one."""
    found = _REFUSED.search(plain)
    if found is None:
        return False
    firsts = [plain.index(texts[0]) for _, texts in _TEXTS if all(text in plain for text in texts)]
    return not firsts or found.start() < min(firsts)


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[*#>]+|//+", " ", text.lower()).replace("“", '"').split())
