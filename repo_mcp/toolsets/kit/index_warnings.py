"""Warnings about what is still being prepared, with an estimate, and about unmatched globs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from index_format.records import replace
from repo_mcp import repository
from repo_mcp.budget import Budget
from repo_mcp.console import visible
from repo_mcp.errors import Problem
from repo_mcp.model import AnswerWarning, Progress
from repo_mcp.repository import (
    IndexGap,
    OpenGraph,
    OpenIndex,
    Repository,
    behind_name,
)
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.hidden_files import hidden_text
from repo_mcp.text.plurals import counted

if TYPE_CHECKING:  # not loaded before a question to the graph
    from code_graph.query.choice import NameChoice
    from code_graph.query.names import NameTarget
    from code_graph.query.snapshot import GraphSnapshot

COMPARING: Final = AnswerWarning(
    "comparing",
    "the index is as it was last refreshed, and is being compared with the files now: changes since"
    " then may be missing for some seconds",
)
_LACKING: Final = {
    IndexGap.FILES: "the index is being built",
    IndexGap.BUILD: "the index could not be built",
    IndexGap.DECLARATIONS: (
        "the declarations of some files are not indexed yet, and parts of their names not found"
    ),
}
_LONGEST_GLOB: Final = 80
# names of roots in a warning
_MOST_BEHIND: Final = 10
# symbols beside the one that a name was taken for, and names like a missing one
_MOST_OTHERS: Final = 3


def _lacking_text(index: OpenIndex, repository: Repository) -> str:
    """The missing parts of an incomplete index, and the progress of a running refresh."""
    running = repository.progress
    progress = "" if running is None else f" ({progress_text(running)})"
    return f"{_roots_behind(repository)}{_LACKING[index.gap or IndexGap.FILES]}{progress}"


def _roots_behind(repository: Repository) -> str:
    """The roots of a workspace whose index is not complete."""
    states = repository.manager.root_states()
    behind = [name for name, item in states.items() if item.status != "ready" or item.shallow]
    more = f" and {len(behind) - _MOST_BEHIND} more" if len(behind) > _MOST_BEHIND else ""
    return f"{', '.join(behind[:_MOST_BEHIND])}{more}: " if behind else ""


def lacking_warning(index: OpenIndex, repository: Repository, so_far: str = "") -> AnswerWarning:
    """The gaps of an incomplete index, the state `so_far`, and when they will be filled."""
    text = f"{_lacking_text(index, repository)}{so_far}"
    if index.gap is IndexGap.BUILD:
        return AnswerWarning("incomplete", text, "log")
    return AnswerWarning("incomplete", f"{text}; {rest_text(repository.progress)}")


def behind_text(index: OpenIndex, repository: Repository) -> str:
    """The gap between an index and the files as they are, and its end; empty without one."""
    if index.gap is not None:
        return lacking_warning(index, repository).text
    return "" if index.compared else COMPARING.text


def building_detail(repository: Repository) -> str:
    """The progress of the first index, and its expected time."""
    return _with_rest(repository.progress)


def linking_warning(opened: OpenGraph) -> AnswerWarning:
    """That the graph does not have all files of the current text yet, and when it will."""
    running = opened.linked
    done = "" if running is None else f" ({progress_text(running)})"
    lacks = "the answer may lack some, and edges of others"
    if opened.on_demand is not None:
        linked, asked, _ = opened.on_demand
        lacks = f"the answer is from {linked} of {counted(asked, 'file')} with the name or like it"
    text = f"symbols are still being linked{done}: {lacks}; {rest_text(running)}"
    return AnswerWarning("linking", text)


def graph_warnings(opened: OpenGraph) -> list[AnswerWarning]:
    """Warnings of what the answer may lack, and that the graph was made anew."""
    from code_graph.scip.report import describe_limits  # noqa: PLC0415 in the graph's room

    imported = () if opened.imported is None else describe_limits(opened.imported)
    found = [AnswerWarning("imported_index", line) for line in imported]
    # files that edges of a few lead to have no edges themselves
    if opened.graph is not None and not opened.on_demand and opened.graph.incomplete_files:
        cut = describe_cut(opened.graph.incomplete_files, opened.graph.incomplete_paths)
        found.append(AnswerWarning("edges_cut", cut))
    if opened.current and opened.notice is not None:
        found.insert(0, opened.notice)
    if not opened.compared:
        found.insert(0, COMPARING)
    if not opened.follows:
        found.insert(0, linking_warning(opened))
    return found


def describe_cut(count: int, paths: Sequence[str]) -> str:
    """Files that were not followed to the end: their number, and the first of them."""
    more = f" and {count - len(paths)} more" if count > len(paths) else ""
    named = ", ".join(map(visible, paths)) + more
    return f"code exceeds what is followed, some edges of these files are missing: {named}"


def linking_detail(opened: OpenGraph, repository: Repository) -> str:
    """The progress of the first graph, and its expected time."""
    if opened.linked is None and repository.progress is not None:
        # linking follows, and nothing tells yet how long that will take
        return f"{progress_text(repository.progress)}; {rest_text(None)}"
    return _with_rest(opened.linked)


def choice_warning(name: str, found: NameChoice) -> AnswerWarning:
    """The symbol that a name was taken for, and the others that it may mean."""
    taken = found.target
    others = [item for item in found.others if item.symbol is not None]
    listed = "; ".join(map(_place_of, others[:_MOST_OTHERS]))
    more = "" if len(others) <= _MOST_OTHERS else f"; … {len(others) - _MOST_OTHERS} more"
    named = "" if taken is None else _place_of(taken)
    text = f"{visible(name.strip())} was taken for {named}; others of this name: {listed}{more}"
    return AnswerWarning("ambiguous", text)


def _place_of(target: NameTarget) -> str:
    symbol = target.symbol
    place = "" if symbol is None else f"{symbol.path}:{symbol.start_line}"
    return f"{target.name} ({place})"


def missing_detail(graph: GraphSnapshot, name: str) -> str:
    """A name of no symbol, with names like it."""
    symbols = repository.near_symbols(graph, name, _MOST_OTHERS)
    near = ", ".join(symbol.qualified_name for symbol in symbols)
    return f"{visible(name.strip())}{f'; near it: {near}' if near else ''}"


def absence(opened: OpenGraph, index: OpenIndex, repository: Repository, name: str) -> Problem:
    """That no symbol has a name; before all is read and linked, what may have it still."""
    from repo_mcp.repository import is_nowhere  # noqa: PLC0415 few names are of no symbol

    graph = opened.graph
    near = visible(name.strip()) if graph is None else missing_detail(graph, name)
    behind = behind_text(replace(index, compared=opened.compared), repository)
    if behind:
        return Problem("index_behind", behind_name(name, behind, near))
    if not (opened.is_whole or is_nowhere(index, name)):
        if graph is None or opened.on_demand is not None:
            return Problem("graph_missing", linking_detail(opened, repository))
        return Problem("index_behind", behind_name(name, linking_warning(opened).text, near))
    unread = [part.unread for part in repository.manager.parts.values() if part.unread]
    return Problem("symbol_missing", "; ".join([near, *unread]))


def _with_rest(running: Progress | None) -> str:
    done = "" if running is None else f"{progress_text(running)}; "
    return f"{done}{rest_text(running)}"


def rest_text(running: Progress | None) -> str:
    """When what is being prepared will be complete."""
    left = None if running is None else running.seconds_left
    if left is None:
        return "the rest is being prepared: asking the same again at once is of no use"
    seconds = max(1, math.ceil(left))
    return f"the rest is ready in about {seconds} s: asking the same sooner is of no use"


def progress_text(now: Progress) -> str:
    """The progress of a refresh."""
    return f"{now.phase} {now.files} of {now.all_files} files, {now.seconds:.0f} s so far"


def warn_hidden(glob: str | None, deny_globs: Sequence[str]) -> list[AnswerWarning]:
    """A warning if the glob asks for files that a rule hides, whether or not there are any."""
    text = hidden_text(glob, Denylist(deny_globs)) if glob else ""
    return [AnswerWarning("hidden", text)] if text else []


def warn_unmatched(glob: str | None, index: OpenIndex, budget: Budget) -> list[AnswerWarning]:
    """A warning if the glob matches no indexed file."""
    if glob is None or index.snapshot is None:
        return []
    if repository.has_match(index.snapshot, glob, budget):
        return []
    shown = glob if len(glob) <= _LONGEST_GLOB else f"{glob[:_LONGEST_GLOB]}..."
    text = f"no indexed file matches file_glob {shown!r}: paths are like src/main.py"
    return [AnswerWarning("unmatched", text)]
