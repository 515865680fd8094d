"""The indexes of one checkout, as publishing and pulling see them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import xxhash

from index_format import Store
from index_format.tuples import NamedTuple
from repo_mcp.stored import StoredKind


def no_ancestors() -> Iterator[str]:
    """The commits of a checkout whose history is not known."""
    return iter(())


def no_relatives(commits: Iterable[str]) -> Sequence[str]:  # noqa: ARG001 the form of a history
    """None of these commits is known."""
    return ()


def is_nowhere(commit: str) -> bool:  # noqa: ARG001 as above
    """No commit is in this repository."""
    return False


def no_number(label: str) -> int:  # noqa: ARG001 the form of a memory
    """No label was seen before."""
    return 0


def forget_number(label: str, number: int) -> None:
    """Remember nothing of a label."""


def nothing_denied(path: str) -> bool:  # noqa: ARG001 the form of a check
    """Deny no path."""
    return False


class LocalIndex(NamedTuple):
    """Where the indexes of a checkout are, what they are made with, and where its history stands.

    `commit` is what HEAD names, empty if that is not known; `ancestors` gives the commits before
    it, the nearest first. `recipe` has a digest for each part of settings and format that decides
    what an index holds; `settings` is the signature with which the text index is stored.
    """

    store: Callable[[StoredKind], Store]
    settings: str
    recipe: Mapping[str, str]
    commit: str = ""
    ancestors: Callable[[], Iterator[str]] = no_ancestors
    is_denied: Callable[[str], bool] = nothing_denied
    # public keys, one of which has to have signed what is pulled; none: anyone's is taken
    trust: tuple[str, ...] = ()
    # the number of the newest signed note that was pulled here by a label, and how to remember it
    last_number: Callable[[str], int] = no_number
    remember: Callable[[str, int], None] = forget_number
    # true if a commit is one of this repository, and of such commits those that have an ancestor in
    # common with HEAD, the nearest first
    is_here: Callable[[str], bool] = is_nowhere
    relatives: Callable[[Iterable[str]], Sequence[str]] = no_relatives
    # bytes that there is room for
    room: float = math.inf

    @property
    def signature(self) -> str:
        """A hash of the recipe: publications of other ones don't fit."""
        return digest(sorted(self.recipe.items()))


def digest(part: object) -> str:
    """The digest of one part of a recipe, which is a value of JSON."""
    return xxhash.xxh3_128_hexdigest(json.dumps(part).encode())
