"""Tells who owns files, folders and parts of a repository, and where that is written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from repo_mcp.budget import Budget
from repo_mcp.owners.model import Claim, Owner, OwnerRole
from repo_mcp.owners.ownership import Ownership
from repo_mcp.question.word_lists import STOP
from repo_mcp.text.plurals import counted

NO_OWNERS: Final = "no file says who owns it"
_MOST_OWNERS: Final = 8
_MOST_CLAIMS: Final = 6
_WORD: Final = re.compile(r"\w+")
_CHECK_EVERY: Final = 256


def owners_of_file(ownership: Ownership, path: str) -> Iterator[str]:
    """A row for each claim that holds for a file, the most specific first."""
    claims = ownership.claims(path)
    if not claims:
        yield f"{path}: {NO_OWNERS}"
        return
    yield path
    yield from (f" {_claim_row(claim)}" for claim in claims[:_MOST_CLAIMS])
    if len(claims) > _MOST_CLAIMS:
        yield f" … {counted(len(claims) - _MOST_CLAIMS, 'wider claim')}"


def owners_of_folder(
    ownership: Ownership, folder: str, paths: Iterable[str], budget: Budget
) -> Iterator[str]:
    """The owners of most files of a folder, and how many files have none."""
    counts: Counter[Owner] = Counter()
    files = alone = 0
    for path in paths:
        if not files % _CHECK_EVERY:
            budget.check()
        owners = ownership.owners(path)
        counts.update(owners)
        files += 1
        alone += not owners
    yield f"{folder}: {counted(files, 'file')}"
    for owner, count in counts.most_common(_MOST_OWNERS):
        yield f" {_in_words(owner)}: {count}"
    if len(counts) > _MOST_OWNERS:
        yield f" … {counted(len(counts) - _MOST_OWNERS, 'other owner')}"
    if alone:
        yield f" {NO_OWNERS}: {alone}"


def owners_by_words(ownership: Ownership, words: str) -> Iterator[str]:
    """A row for each part of the repository whose title has all of these words."""
    wanted = {word.casefold() for word in _WORD.findall(words)} - STOP
    named: dict[str, Claim] = {}
    for claim in ownership.every():
        if wanted and wanted <= {word.casefold() for word in _WORD.findall(claim.title)}:
            named.setdefault(claim.title, claim)
    nearest = sorted(named.values(), key=lambda claim: len(_WORD.findall(claim.title)))
    return (_claim_row(claim) for claim in nearest[:_MOST_CLAIMS])


def files_of_owner(ownership: Ownership, name: str, paths: Iterable[str]) -> Iterator[str]:
    """The folders with most files of an owner, and where it is written; nothing for nobody."""
    has_owner = ownership.files_of(name)
    if has_owner is None:
        return
    folders = Counter(path.rpartition("/")[0] or "." for path in paths if has_owner(path))
    yield f"{name} owns {counted(folders.total(), 'file')}"
    yield from (f" {folder}: {count}" for folder, count in folders.most_common(_MOST_CLAIMS))
    if len(folders) > _MOST_CLAIMS:
        yield f" … {counted(len(folders) - _MOST_CLAIMS, 'other folder')}"
    claims = ownership.claims_of(name)
    yield from (f" {_claim_row(claim)}" for claim in claims[:_MOST_CLAIMS])
    if len(claims) > _MOST_CLAIMS:
        yield f" … {counted(len(claims) - _MOST_CLAIMS, 'other claim')}"


def owners_of_files(ownership: Ownership, paths: Sequence[str]) -> list[str]:
    """The owners of several files, of most first: their roles, and the files of each.

    Authors of packages are left out: they answer for no change.
    """
    files: dict[Owner, list[str]] = {}
    for path in paths:
        for owner in ownership.owners(path):
            if owner.role is not OwnerRole.AUTHOR:
                files.setdefault(owner, []).append(path)
    ranked = sorted(files.items(), key=lambda item: -len(item[1]))
    rows = [f"{_in_words(owner)}: {_files_row(own, paths)}" for owner, own in ranked]
    left = len(rows) - _MOST_OWNERS
    return [*rows[:_MOST_OWNERS], *([f"{counted(left, 'other owner')}"] if left > 0 else ())]


def _files_row(own: Sequence[str], paths: Sequence[str]) -> str:
    if len(own) == len(paths):
        return "all files" if len(paths) > 1 else own[0]
    return own[0] if len(own) == 1 else f"{len(own)} files, as {own[0]}"


def _in_words(owner: Owner) -> str:
    return owner.name if owner.role is OwnerRole.OWNER else f"{owner.name} ({owner.role.value})"


def _claim_row(claim: Claim) -> str:
    """Where it is written, and the owners by what they are asked for."""
    place = f"{claim.path}:{claim.line}"
    if claim.pattern:
        place = f"{claim.pattern} {place}"
    head = f"{claim.title}, {place}" if claim.title else place
    roles: dict[OwnerRole, list[str]] = {}
    for owner in claim.owners[:_MOST_OWNERS]:
        roles.setdefault(owner.role, []).append(owner.name)
    left = len(claim.owners) - _MOST_OWNERS
    named = "; ".join(f"{role.value}: {', '.join(names)}" for role, names in roles.items())
    return f"{named}{f' and {left} more' if left > 0 else ''} ({head})"
