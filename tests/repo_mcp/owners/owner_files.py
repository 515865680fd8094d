"""Files that name owners, and what is claimed by them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from repo_mcp.owners.model import Claim
from repo_mcp.owners.ownership import Ownership


def names_of(claims: Iterable[Claim]) -> list[str]:
    """The owners of claims, in order."""
    return [owner.name for claim in claims for owner in claim.owners]


def ownership_of(files: Mapping[str, str]) -> Ownership:
    """The ownership that these files tell."""
    return Ownership(files, files.get)
