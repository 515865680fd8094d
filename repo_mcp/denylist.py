"""Which paths may hold secrets; they are denied whether or not they exist.

Names are compared as a file system might fold them: letter case, invisible characters and trailing
dots or spaces don't count. What a repository's own configuration says can only add to this list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from repo_mcp.globs import Glob

_INVISIBLE: Final = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
# a folder of this name is denied with all that is in it; git~1 is how Windows may spell .git
_FOLDERS: Final = frozenset({".git", "git~1", ".aws", ".ssh", ".gnupg", ".kube"})
_NAMES: Final = frozenset(
    {
        ".env",
        ".envrc",
        ".netrc",
        "_netrc",
        ".npmrc",
        ".pypirc",
        ".git-credentials",
        ".pgpass",
        ".htpasswd",
        ".s3cfg",
        ".vault-token",
        "credentials",
        "credentials.json",
    }
)
_KEYS: Final = (".pem", ".key", ".pfx", ".p12", ".ppk", ".jks", ".keystore", ".kdbx", ".asc")
_SUFFIXES: Final = (*_KEYS, ".ovpn", ".tfstate", ".tfstate.backup", ".tfvars")
_PREFIXES: Final = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "secrets.")
_ENV_TEMPLATES: Final = (".example", ".sample", ".template", ".dist")
_SERVICE_ACCOUNT: Final = re.compile(r"service[-_]?account.*\.json")


def signature() -> str:
    """What the built-in rules are: an index made under other rules is out of date."""
    return repr([sorted(_FOLDERS), sorted(_NAMES), _SUFFIXES, _PREFIXES, _ENV_TEMPLATES])


class Denylist:
    """The built-in rules and those of a configuration."""

    def __init__(self, globs: Sequence[str] = ()) -> None:
        """Compile the configured rules; they are compared folded too."""
        self._globs = [(pattern, Glob(pattern.casefold())) for pattern in globs]

    def rule(self, path: str) -> str:
        """The rule that denies this path, empty when none does."""
        parts = [folded(part) for part in path.split("/")]
        for part in parts:
            if part in _FOLDERS:
                return f"{part}/"
        name = parts[-1]
        if parts[-2:] == [".docker", "config.json"]:
            return ".docker/config.json"
        return _rule_for(name) or self._configured("/".join(parts))

    def _configured(self, path: str) -> str:
        return next((pattern for pattern, glob in self._globs if glob.matches(path)), "")


def folded(name: str) -> str:
    """A name as file systems that fold names would see it."""
    return _INVISIBLE.sub("", name).casefold().rstrip(". ")


def _rule_for(name: str) -> str:
    if name in _NAMES:
        return name
    if name.startswith(".env.") and not name.endswith(_ENV_TEMPLATES):
        return ".env.*"
    for suffix in _SUFFIXES:
        if name.endswith(suffix):
            return f"*{suffix}"
    for prefix in _PREFIXES:
        if name.startswith(prefix):
            return f"{prefix}*"
    return "service-account*.json" if _SERVICE_ACCOUNT.fullmatch(name) else ""
