"""A question of a tool, and what another program says is its answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol

_LINE: Final = re.compile(r"^(\d+): ", re.MULTILINE)
# of a list that has more than this, the rest is easily found
_MOST: Final = 0.5


class Verdict(NamedTuple):
    """The first thing that is answered is right; anything that is answered is."""

    first: bool
    listed: bool


class Oracle(Protocol):
    """Another program's answer to a question."""

    def judge(self, result: Mapping[str, Any]) -> Verdict:
        """Compare the structured result of a tool."""


class Question(NamedTuple):
    """A call of a tool, the kind of question that it is, and its oracle."""

    kind: str
    tool: str
    arguments: Mapping[str, Any]
    oracle: Oracle


class PlacesOracle:
    """Lines, one of which a hit has to hold."""

    def __init__(self, places: frozenset[tuple[str, int]]) -> None:
        self._places = places

    def judge(self, result: Mapping[str, Any]) -> Verdict:
        """A hit is right if it holds one of the lines."""
        hits = [
            any(
                path == hit["path"] and hit["start_line"] <= line <= hit["end_line"]
                for path, line in self._places
            )
            for hit in result.get("hits", ())
        ]
        return Verdict(hits[:1] == [True], any(hits))


class FilesOracle:
    """Files, one of which a hit has to be in."""

    def __init__(self, paths: frozenset[str]) -> None:
        self._paths = paths

    def judge(self, result: Mapping[str, Any]) -> Verdict:
        """A hit is right if it is in one of the files."""
        hits = [hit["path"] in self._paths for hit in result.get("hits", ())]
        return Verdict(hits[:1] == [True], any(hits))


class LinesOracle:
    """All lines that have a text."""

    def __init__(self, lines: frozenset[tuple[str, int]]) -> None:
        self._lines = lines

    def judge(self, result: Mapping[str, Any]) -> Verdict:
        """The number has to be right for the first, and each line that is shown for the second."""
        shown = {
            (file["path"], int(number))
            for file in result.get("files", ())
            for number in _LINE.findall(file.get("lines", ""))
        }
        is_counted = result.get("matching_lines") == len(self._lines)
        return Verdict(is_counted and shown <= self._lines, shown <= self._lines)


class CallersOracle:
    """The functions that call a function, each with its file."""

    def __init__(self, callers: frozenset[tuple[str, str]]) -> None:
        self.callers = callers

    def listed(self, result: Mapping[str, Any]) -> set[tuple[str, str]]:
        """The callers that an answer lists."""
        return {
            (row["path"], row.get("symbol", "").rpartition(".")[2])
            for key in ("callers", "tests")
            for row in result.get(key, ())
            if row.get("edge_type", "calls") == "calls"
        }

    def judge(self, result: Mapping[str, Any]) -> Verdict:
        """All callers have to be listed for the first, and most of them for the second."""
        share = len(self.callers & self.listed(result)) / len(self.callers)
        return Verdict(share == 1, share > _MOST)
