"""The wording of warnings and errors on pages: that of tools is for models, in names of tools.

The records' codes decide; a text that any reader can use is shown as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from repo_mcp.console import visible
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning
from repo_mcp.text.plurals import named

_AGAIN: Final = "Load the page again"
_MEANWHILE: Final = "Until then the other pages show files and declarations."
# by code of an error, what helps a person
_HINTS: Final = {
    "path_denied": "A template (.env.example) or the code that reads it may tell what is in it.",
    "path_data": "The page Status tells about the index.",
    "path_hard_link": "Copy the file, or start with --allow-hardlinks.",
    "file_too_large": "A search finds parts of it; --max-file-bytes raises the limit.",
    "file_changing": f"{_AGAIN} when the file is no longer being written.",
    "not_found": "Paths are exact, letter case included. A search finds files by their names.",
    "document_unread": "Install what reads it, or look for the document in another format.",
    "too_many": "Ask for less at a time.",
    "argument_invalid": "Correct it and ask again.",
    "root_missing": f"{_AGAIN} when the folder is back at its path; if it has moved for good, start"
    " repo-mcp web with the new path.",
    "reopened": f"{_AGAIN}: it is of the folder that is there now.",
    "index_behind": f"{_AGAIN} when they are: the page Status shows the progress.",
    "index_missing": "Until then a search reads the files themselves.",
    "graph_missing": _MEANWHILE,
    "graph_damaged": _MEANWHILE,
    "symbol_missing": "The field above finds symbols by the words of their names; one that was"
    " renamed or moved to another file has a new address.",
    "model_unusable": "Correct --embedding-model or --function-encoder, or start with"
    " --no-embeddings.",
    "vectors_off": "Start without --no-embeddings; symbols are found by their names.",
    "structure_missing": "Install it beside repo-mcp, where there is a build of it for the"
    " platform; a regular expression finds text.",
    "cancelled": f"{_AGAIN} if it is still needed.",
}
# by code of a warning, its text where that of tools speaks of tools and their arguments
_WARNINGS: Final = {
    "case": "no line matches as written; in other letter case, some do: {named}",
    "cut": "the last of these lines is too long for a page: its beginning is shown",
    "joined": "no code has this as a whole, but {named}; the page Symbols looks for code that joins"
    " it",
    "missing": "there is no index yet: the first search builds it",
    "no_language": "the language of this file is unknown: it has no outline",
    "size": "more fits the prompt than a page holds",
    "elsewhere": "more matches outside of what the search is narrowed to: {named}",
    "unmatched": "no indexed file is in what the search is narrowed to",
}
# the files of a warning in its text
_NAMED: Final = "{named}"
# by code of advice
_ADVICE: Final = {
    "refresh": "`repo-mcp index` takes them in",
    "tests": "tick With tests to get them",
    "log": "the page Status and the log of the server say why, asking again does not help",
}


def page_hint(problem: Problem) -> str:
    """The hint of an error, for a person."""
    return _HINTS.get(problem.code, problem.hint)


def page_warnings(warnings: Iterable[AnswerWarning]) -> list[str]:
    """Warnings as a page shows them."""
    return list(dict.fromkeys(" ".join(_text_of(warning).split()) for warning in warnings))


def _text_of(warning: AnswerWarning) -> str:
    text = _WARNINGS.get(warning.code, warning.text)
    if warning.paths:
        text = text.replace(_NAMED, named([*map(visible, warning.paths)]))
    return f"{text}: {_ADVICE[warning.advice]}" if warning.advice else text
