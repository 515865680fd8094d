"""Revisions by name: the commit that one is, and what people know it by."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.errors import Problem
from repo_mcp.git import DAMAGE, GitHistory, RevisionError, Revisions, commit_or_none
from repo_mcp.model import AnswerWarning

_MOST_BYTES: Final = 1 << 20
_KEPT_BYTES: Final = 4 << 20
_SHOWN: Final = 12
_LONGEST_SUBJECT: Final = 100


class Revision(NamedTuple):
    """A commit, the name by which it was asked, its date, and the first line of its message."""

    name: str
    commit: str
    tree: str
    date: str
    subject: str

    @property
    def note(self) -> AnswerWarning:
        """The revision that an answer is of."""
        shown = self.commit[:_SHOWN]
        named = shown if self.commit.startswith(self.name) else f"{self.name}, {shown}"
        text = f"as of {named} ({self.date}: {self.subject}), and not of the files now"
        return AnswerWarning("revision", text)


def find_revision(root: str, name: str) -> Revision:
    """The revision with a name; raises a `Problem`."""
    git = GitHistory(root)
    if git.unread:
        raise Problem("history_unread", git.unread)
    if not git.head():
        raise Problem("no_history")
    objects = git.open_objects(_MOST_BYTES, _KEPT_BYTES)
    try:
        found = commit_or_none(objects, Revisions(git, objects).find(name))
    except RevisionError as error:
        raise Problem("argument_invalid", str(error)) from None
    except DAMAGE as error:
        reason = f"an object of .git can't be read ({type(error).__name__})"
        raise Problem("history_unread", reason) from None
    finally:
        objects.close()
    if found is None:
        raise Problem("history_unread", "this commit is not there")
    date = datetime.fromtimestamp(found.committer.time, UTC).date().isoformat()
    subject = found.subject[:_LONGEST_SUBJECT]
    return Revision(name, found.identity.hex(), found.tree.hex(), date, subject)
