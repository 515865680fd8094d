"""Cleans a patch's description of what a user would not know: paths, numbers."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from pathlib import PurePosixPath
from typing import Final

from bench.ranking.patches import Patch

_MOST_WORDS: Final = 80
WORD: Final = re.compile(r"[A-Za-z]{2,}")
# lines about people, locations and other changes
_TRAILER: Final = re.compile(
    r"""
    (?: [\w-]+-(?:by|id|url|update|updated|upstream) | bug[\w-]* | origin[\w-]* | forwarded | author
      | from | date | url | refs? | fix(?:es)? | close[sd]? | resolves | relates | link | cc | id
      | see | backport\w* | mime-version | content-[\w-]+ | cve[\w-]* | issue | pr | part-of
      | ticket | task-number | pick-to | upstream[\w-]* | debian[\w-]* | gitlab | lp | patch-name
    ) (?: : | \s+[#!]?\d )
    | \(?(?:cherry|backported|backport|picked|upstream\ commit|commit\ [0-9a-f]{7})\b
    | (?:follow[-\ ]?up\ to|spotted|reported|found\ by|thanks|via|see|refs|signed-off|ok)[ ]
    | full\ diff | changes?:?$ | ---
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PREFIX: Final = re.compile(
    r"^(?:\[[^\]\[]*\]\s*|upstream:\s*)+|\[PATCH[^\]]*\]|Signed-off-by:.*", re.IGNORECASE
)
_NOISE: Final = re.compile(
    r"""
    <?(?:https?|ftp|git)://\S+ | <?\S+@\S+\.\S+
    | (?:\bfixed\ )?\bcve-?\d+-\d+\b(?:\ --\ )?
    | \(?(?:\b(?:closes|fixed|fixes|bug|issue|pr|ticket|refs)[\s:]*)?
      (?:\b(?:gh|bpo)[-#]\d+|[#!]\d+)\)?:?
    | \bbug:?\ \d+ | \(?\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}\b\)?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FILE: Final = re.compile(
    r"""
    [\w./+-]*\w\.(?: c|h|cc|cpp|cxx|hpp|hh|py|pyi|rs|js|mjs|ts|go|java|groovy|kt|swift|cs|sh|am|ac
      |in|toml|gradle|json|ya?ml|xml|html?|md|rst|txt|def|inc|man|pod|build|po|m4|mk|pl|asm)\b(?![(.]):?
    """,
    re.VERBOSE,
)
_SLASHED: Final = re.compile(r"\.{0,2}/?[\w.+-]+(?:/[\w.+-]+)+/?:?")
_EMPTY: Final = re.compile(r"(?<!\w)(?:\(\s*\)|\[\s*\]|`\s*`|\"\s*\")|\(\s*$|^\s*--|\s[,.](?=\s|$)")


def parts(paths: Iterable[str]) -> frozenset[str]:
    """Every stretch of two folders or more of these paths, the file with and without its suffix."""
    found: set[str] = set()
    for path in paths:
        for name in (path, str(PurePosixPath(path).with_suffix(""))):
            steps = name.split("/")
            for end in range(2, len(steps) + 1):
                found.update("/".join(steps[begin:end]) for begin in range(end - 1))
    return frozenset(found)


def message(patch: Patch, known: Container[str]) -> tuple[str, str]:
    """The title and the first paragraph that adds to it, cleaned; `known` comes from `parts`."""
    title = plain(patch.title, known)
    for paragraph in patch.paragraphs:
        rows = [row for row in paragraph.split("\n") if not _TRAILER.match(row)]
        told = plain(" ".join(rows), known)
        if not set(WORD.findall(told)) <= set(WORD.findall(title)):
            return title, " ".join(told.split()[: _MOST_WORDS - len(title.split())])
    return title, ""


def plain(text: str, known: Container[str]) -> str:
    """Text without links, numbers of changes, names of files and paths in the tree."""
    text = _NOISE.sub(" ", _PREFIX.sub("", " ".join(text.split())))
    text = _SLASHED.sub(lambda found: _unless_known(found[0], known), _FILE.sub(" ", text))
    return " ".join(_EMPTY.sub(" ", text).split()).strip(" -:,;*")


def _unless_known(text: str, known: Container[str]) -> str:
    return " " if text.strip("./:") in known else text
