"""Grant: the roots, branches and paths that the bearer of a token may see."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from index_format.tuples import NamedTuple
from repo_mcp.settings import ConfigError, is_part

_HASH: Final = "sha256"
_NAME: Final = re.compile(r"[\w.@-]{1,64}")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
# the longest path, glob or name
_MOST_TEXT: Final = 1000


class Grant(NamedTuple):
    """The roots, branches and paths that a token shows; None: all of them.

    Paths are folders and files, and `!` before one leaves it out. Of several roots they begin with
    the name of one. Branches are globs of their names.
    """

    roots: tuple[str, ...] | None = None
    branches: tuple[str, ...] | None = None
    paths: tuple[str, ...] | None = None


def read_grants(table: Mapping[str, Any], source: str) -> dict[str, tuple[str, Grant]]:
    """The hash and the grant of each token of a file, by its name; raises `ConfigError`."""
    if table.keys() - {"tokens"}:
        raise ConfigError(f"{source}: of {', '.join(sorted(table))} only [tokens.NAME] is known")
    tokens = table.get("tokens")
    if not isinstance(tokens, dict) or not tokens:
        raise ConfigError(f"{source}: has no table [tokens.NAME]")
    grants: dict[str, tuple[str, Grant]] = {}
    names: dict[str, str] = {}
    for name, fields in tokens.items():
        where = f"{source}: [tokens.{name}]"
        if not _NAME.fullmatch(name):
            raise ConfigError(f"{where}: a name has letters, digits, and . @ _ -")
        if not isinstance(fields, dict) or fields.keys() - {_HASH, *Grant._fields}:
            known = ", ".join((_HASH, *Grant._fields))
            raise ConfigError(f"{where}: has {known}, and nothing else")
        digest = fields.get(_HASH)
        if not isinstance(digest, str) or not _DIGEST.fullmatch(digest.lower()):
            raise ConfigError(f"{where}: sha256 is the hash of the token, 64 digits of base 16")
        if digest.lower() in names:
            raise ConfigError(f"{where}: is the token of {names[digest.lower()]}, too")
        names[digest.lower()] = name
        grants[name] = digest.lower(), _read_grant(fields, where)
    return grants


def _read_grant(fields: Mapping[str, Any], where: str) -> Grant:
    grant = Grant(
        _read_texts(fields, "roots", where),
        _read_texts(fields, "branches", where),
        _read_texts(fields, "paths", where),
    )
    for path in grant.paths or ():
        if not is_part(path):
            raise ConfigError(f"{where}: {path} is no path below a root, as src/pay or !src/keys")
    if grant.paths and grant.branches:
        # a commit is about all of its files, so that paths show none
        raise ConfigError(f"{where}: a token has paths or branches, not both")
    return grant


def _read_texts(fields: Mapping[str, Any], name: str, where: str) -> tuple[str, ...] | None:
    """The texts of a field; one that names nothing by mistake would show all, or nothing."""
    if name not in fields:
        return None
    texts = fields[name]
    if (
        not isinstance(texts, list)
        or not texts
        or not all(isinstance(text, str) and 0 < len(text) <= _MOST_TEXT for text in texts)
    ):
        raise ConfigError(f"{where}: {name} is a list of texts, and names at least one")
    return tuple(texts)
