"""Finds the sides of a change in the roots that are served."""

from __future__ import annotations

from collections.abc import Mapping

from repo_mcp.budget import Budget
from repo_mcp.changes.sides import ChangeQuestion, ChangeSet, Sides, patched_sides
from repo_mcp.errors import Problem
from repo_mcp.history import Histories
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Sandbox


def find_sides(
    asked: ChangeQuestion,
    histories: Histories,
    sandbox: Sandbox,
    denylist: Denylist,
    budget: Budget,
    *,
    is_current: bool = False,
) -> ChangeSet:
    """The files that differ, of all roots with a history; a `Problem` where there is none.

    If the index `is_current`, it has the files as they are now.
    """
    if asked.patch:

        def read(path: str) -> bytes | None:
            try:
                return sandbox.read(path).data
            except Problem as problem:
                if problem.code == "not_found":
                    return None
                raise

        def is_denied(path: str) -> bool:
            return bool(denylist.rule(path))

        found_sides = patched_sides(asked.patch, read, is_denied, budget.check)
        return found_sides.below(asked.path)
    found: dict[str, ChangeSet] = {}
    problem: Problem | None = None
    roots, path = histories.of_path(asked.path)
    for root in roots:  # what others have changed is not asked
        try:
            with root.history.reading():
                checkout = root.checkout(budget, is_current=is_current)
                sides = Sides(root.history, checkout, budget.check, path).find(asked)
        except Problem as refused:
            if refused.code == "cancelled":
                raise
            problem = refused
            continue
        found[root.prefix] = sides.with_prefix(root.prefix)
    if not found:
        raise problem or Problem("no_history")
    # files of other roots are of no tree
    joined = _joined(found)
    return (joined if len(histories.roots) == 1 else joined.without_trees()).below(asked.path)


def _joined(parts: Mapping[str, ChangeSet]) -> ChangeSet:
    """The changes of several roots as one, whose sides have the names of these roots."""
    first = next(iter(parts.values()))
    if len(parts) == 1:
        return first
    overlay: dict[str, bytes | None] = {}
    for part in parts.values():
        overlay |= part.new_overlay
    files = [file for part in parts.values() for file in part.files]
    changed = {prefix: part for prefix, part in parts.items() if part.files} or parts
    old = _side({prefix: part.old_name for prefix, part in changed.items()})
    new = _side({prefix: part.new_name for prefix, part in changed.items()})
    gaps = tuple(gap for part in parts.values() for gap in part.gaps)
    unread = frozenset(path for part in parts.values() for path in part.unread)
    return ChangeSet(files, old, new, overlay, gaps=gaps, unread=unread)


def _side(names: Mapping[str, str]) -> str:
    """A side of several roots: one name where it is the same, else that of each root."""
    several = set(names.values())
    if len(several) == 1:
        return several.pop()
    return ", ".join(f"{prefix.rstrip('/')} {name}" for prefix, name in names.items())
