"""Revisions by name: the commit that one is, and what people know it by."""

from __future__ import annotations

from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.history import RepositoryHistory
from repo_mcp.model import AnswerWarning
from repo_mcp.safety.redaction import SUSPECT, looks_secret

_SHOWN: Final = 12
_LONGEST_SUBJECT: Final = 100


class Revision(NamedTuple):
    """A commit, the name by which it was asked, its date, and the first line of its message.

    Of what is published neither date nor message is known, and the tree is the publication.
    """

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
        about = f" ({self.date}: {self.subject})" if self.date else ""
        text = f"as of {named}{about}, and not of the files now"
        return AnswerWarning("revision", text)


def find_revision(history: RepositoryHistory, name: str) -> Revision:
    """The revision with a name; raises a `Problem`."""
    with history.reading():
        found = history.named(name)
    subject = SUSPECT if looks_secret(found.subject) else found.subject[:_LONGEST_SUBJECT]
    return Revision(name, found.identity.hex(), found.tree.hex(), found.author.day, subject)
