"""What git would ignore: rules of every folder on the way, the deepest first.

Read are `.gitignore` in each folder and `.git/info/exclude`; not read are rules from outside the
repository. A file that git tracks although a rule names it counts as ignored here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

RULES_NAME: Final = ".gitignore"
EXCLUDE_NAME: Final = ".git/info/exclude"


class _Level(NamedTuple):
    prefix: int
    spec: GitIgnoreSpec


class Ignore:
    """The rules in force in one folder."""

    __slots__ = ("_levels",)

    def __init__(self, levels: tuple[_Level, ...] = ()) -> None:
        """Begin without rules."""
        self._levels = levels

    def below(self, folder: str, rules: bytes) -> Ignore:
        """The rules in a folder that has these of its own."""
        from pathspec import GitIgnoreSpec  # noqa: PLC0415 a search does without

        found = GitIgnoreSpec.from_lines(rules.decode("utf-8", "replace").splitlines())
        if not len(found):
            return self
        prefix = len(folder) + 1 if folder else 0
        return Ignore((_Level(prefix, found), *self._levels))

    def ignores(self, path: str, *, folder: bool) -> bool:
        """Whether a path whose parents are not ignored is; the deepest rule that speaks decides."""
        mark = "/" if folder else ""
        for level in self._levels:
            said = level.spec.check_file(path[level.prefix :] + mark).include
            if said is not None:
                return said
        return False
