"""Finds the sides of a change in the roots that are served."""

from __future__ import annotations

from collections.abc import Sequence

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
) -> ChangeSet:
    """The files that differ, of all roots with a history; a `Problem` where there is none."""
    asked.check()
    if asked.patch:

        def read(path: str) -> bytes | None:
            try:
                return sandbox.read(path).data
            except Problem as problem:
                if problem.code == "not_found":
                    return None
                raise

        found_sides = patched_sides(asked.patch, read, lambda path: bool(denylist.rule(path)))
        return found_sides.below(asked.path)
    found: list[ChangeSet] = []
    problem: Problem | None = None
    for root in histories.roots.values():
        try:
            with root.history.reading():
                sides = Sides(root.history, root.checkout(budget), budget.check).find(asked)
        except Problem as refused:
            if refused.code == "cancelled":
                raise
            problem = refused
            continue
        found.append(sides.with_prefix(root.prefix))
    if not found:
        raise problem or Problem("no_history")
    return _joined(found).below(asked.path)


def _joined(parts: Sequence[ChangeSet]) -> ChangeSet:
    """The changes of several roots as one."""
    first = parts[0]
    if len(parts) == 1:
        return first
    overlay: dict[str, bytes | None] = {}
    for part in parts:
        overlay |= part.new_overlay
    files = [file for part in parts for file in part.files]
    old = ", ".join(dict.fromkeys(part.old_name for part in parts if part.files))
    return ChangeSet(files, old or first.old_name, first.new_name, overlay)
