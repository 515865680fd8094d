"""Tells where a file of data has a word: as a value that is a name, as a key, or in prose.

Nothing is known of what reads such a file. Something may look up what a value names; a key names a
field of the data itself, and a list of locked versions or of paths names nothing of the code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from code_graph.paths.path_kinds import DOCS, path_kinds
from code_graph.whole_word import whole_word
from code_graph.word_places import WordPlace

# their lines are paths and patterns of paths, words and people, or what a test has printed
_LISTS: Final = frozenset(
    {".gitignore", ".gitattributes", ".npmignore", ".dockerignore", ".bzrignore", ".hgignore"}
    | {".prettierignore", ".eslintignore", ".editorconfig", ".mailmap", ".codespellrc"}
    | {"codeowners", "go.sum", "unlicense"}
)
_PRINTED: Final = (
    *(".snap", ".map", ".csv", ".tsv", ".svg"),
    *(".pem", ".pub", ".patch", ".diff", ".log"),
)
_DATA: Final = (
    *(".json", ".jsonc", ".json5", ".toml", ".yaml", ".yml", ".xml", ".ini", ".cfg", ".conf"),
    *(".properties", "rc", ".env", ".lock"),
)
_LOCKED: Final = re.compile(r"(?:\.lock|[-.]lock\.\w+)$")
_SITE: Final = re.compile(r"(?:^|/)(?:xdocs?|site|docs?)/")
# comments begin with one of these at the beginning of a line, or behind a blank
_COMMENT: Final = re.compile(r"(?:^|\s)(?:#|//|;)")
_WITHOUT_COMMENTS: Final = (".json", ".xml")
_MARKUP: Final = (".xml",)
# a value up to the word, and behind it; the word with what is written together with it
_BEFORE: Final = re.compile(r"(?:(?!: )[^\"'<>=,;\[\]{}|])*\Z")
_BEHIND: Final = re.compile(r"[^\"'<>=,;\[\]{}|]*")
_TOGETHER: Final = re.compile(r"\S*\Z")
_NAME: Final = re.compile(r"(?:- )?[\w.:/$#@]+(?:\(\))?")
_KEY: Final = re.compile(r"[\"']?\s*(?:=(?!=)|:(?=\s|\Z))")


def data_places(text: str, path: str, word: str) -> Mapping[int, WordPlace]:
    """The lines of a file of data that have a word, from 1 on; none of what may be code."""
    name = path.rpartition("/")[2].lower()
    is_list = name in _LISTS or name.endswith(_PRINTED) or _is_told(path, name)
    if not is_list and not name.endswith(_DATA):
        return {}  # it may be code of a language that has no row
    wanted = whole_word(word)
    has_comments = not name.endswith(_WITHOUT_COMMENTS)
    is_markup = name.endswith(_MARKUP)
    found: dict[int, WordPlace] = {}
    for number, line in enumerate(text.split("\n"), 1):
        for item in wanted.finditer(line):
            is_prose = is_list or (has_comments and _COMMENT.search(line[: item.start()]))
            place = WordPlace.PROSE if is_prose else _in_data(line, item, is_markup=is_markup)
            found[number] = min(place, found.get(number, WordPlace.PROSE))
    return found


def is_data(path: str) -> bool:
    """True for a file of settings or other data, by its extension."""
    return path.lower().endswith(_DATA)


def _is_told(path: str, name: str) -> bool:
    """True for a list of locked versions, for what tells of changes and rights, and for pages."""
    is_page = name.endswith(_MARKUP) and _SITE.search(path) is not None
    return is_page or _LOCKED.search(name) is not None or DOCS in path_kinds(name)


def _in_data(line: str, item: re.Match[str], *, is_markup: bool) -> WordPlace:
    """The place of a word outside of comments."""
    before, behind = line[: item.start()], line[item.end() :]
    if "-" in (before[-1:], behind[:1]):
        return WordPlace.PROSE  # part of a word that names a package or an option
    if not is_markup and _KEY.match(behind):
        return WordPlace.OTHER
    parts = _BEFORE.search(before), item, _BEHIND.match(behind)
    value = "".join(part[0] for part in parts if part is not None).strip()
    together = _TOGETHER.search(before)
    is_qualified = together is not None and together[0].endswith((".", ":"))
    is_name = _NAME.fullmatch(value) is not None or (is_qualified and not is_markup)
    return WordPlace.NAMING if is_name else WordPlace.PROSE
