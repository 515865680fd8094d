"""Which paths may hold secrets; they are denied whether or not they exist.

Names are compared as a file system might fold them: letter case, characters that don't show, what
follows a colon and trailing dots or spaces don't count, and an editor's copy of a file counts as
the file. What lies below a denied folder is denied. What a repository's own configuration says can
only add to this list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Final, NamedTuple
from unicodedata import normalize

from repo_mcp.text.globs import Glob

# what Unicode calls ignorable by default: Linux, macOS or Windows leave some of it out of a name
_HIDDEN: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)


class Rules(NamedTuple):
    """The built-in rules; each is compared with folded names."""

    # to be raised when names are compared in another way
    version: int = 1
    hidden: str = _HIDDEN
    # git~1 is how Windows may spell .git
    names: tuple[str, ...] = (
        *(".git", "git~1", ".aws", ".ssh", ".gnupg", ".kube"),
        *(".env", ".envrc", ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials"),
        *(".pgpass", ".htpasswd", ".s3cfg", ".vault-token", "credentials.json"),
    )
    # a folder of such a name holds code as often as not
    file_names: tuple[str, ...] = ("credentials",)
    prefixes: tuple[str, ...] = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "secrets.")
    suffixes: tuple[str, ...] = (
        *(".pem", ".key", ".pfx", ".p12", ".ppk", ".jks", ".keystore", ".kdbx", ".asc"),
        *(".ovpn", ".tfstate", ".tfstate.backup", ".tfvars"),
    )
    env_prefix: str = ".env."
    env_suffix: str = ".env"
    # env.production is a file of settings, env.py is code
    env_stages: tuple[str, ...] = (
        *("local", "dev", "development", "test", "testing", "qa", "uat", "ci", "stage", "staging"),
        *("preprod", "prod", "production", "live", "secret", "private"),
    )
    env_templates: tuple[str, ...] = (".example", ".sample", ".template", ".dist")
    account_prefix: str = "service"
    account: str = r"service[-_]?account.*\.json"
    # a name that counts only in a folder of that name
    pairs: tuple[tuple[str, str], ...] = ((".docker", "config.json"),)
    copies: tuple[str, ...] = ("~", ".bak", ".orig", ".old", ".save", ".swp", ".swo")


RULES: Final = Rules()
_IGNORABLE: Final = re.compile(f"[{RULES.hidden}]")
_ACCOUNT: Final = re.compile(RULES.account)
_NAMES: Final = frozenset(RULES.names)
_FILE_NAMES: Final = frozenset(RULES.file_names)
_PAIRS: Final = dict(RULES.pairs)
# every name that a rule could deny begins or ends like this, or has a colon, or is not ASCII
_BEGINNINGS: Final = (
    *(".", "#", RULES.account_prefix, *RULES.prefixes, *RULES.file_names, *_PAIRS.values()),
    *(name for name in RULES.names if not name.startswith(".")),
)
_FOLDERS: Final = 1 << 12
_ENDINGS: Final = (
    *(*RULES.suffixes, *RULES.copies, RULES.env_suffix, ".", " "),
    *(f".{stage}" for stage in RULES.env_stages),
)
_STAGES: Final = frozenset(RULES.env_stages)


def signature() -> str:
    """What the built-in rules are: an index made under other rules is out of date."""
    return repr(tuple(RULES))


class Denylist:
    """The built-in rules and those of a configuration."""

    def __init__(self, globs: Sequence[str] = ()) -> None:
        """Compile the configured rules; they are compared as written, and folded too."""
        self._globs = [_both(pattern) for pattern in globs]
        # files of one folder are asked for one after the other
        self._rule_of_folder = lru_cache(_FOLDERS)(partial(self.rule, folder=True))

    def rule(self, path: str, *, folder: bool = False) -> str:
        """The rule that denies this path or a folder on the way to it, empty when none does."""
        parent, _, name = path.rpartition("/")
        above = self._rule_of_folder(parent) if parent else ""
        return above or self.child_rule(parent, name, folder=folder)

    def child_rule(self, parent: str, name: str, *, folder: bool) -> str:
        """The same for a name in a folder that is itself not denied (the root is "")."""
        found = "" if _is_harmless(name) else _built_in(parent, name, folder=folder)
        return found or (self._configured(parent, name) if self._globs else "")

    def _configured(self, parent: str, name: str) -> str:
        path = f"{parent}/{name}" if parent else name
        plain = f"{_folded_path(parent)}/{folded(name)}" if parent else folded(name)
        small = path.casefold()
        for pattern, written, loose in self._globs:
            if loose.matches(small) or (plain != small and loose.matches(plain)):
                return pattern
            if (written is not loose or path != small) and written.matches(path):
                return pattern
        return ""


def _both(pattern: str) -> tuple[str, Glob, Glob]:
    """A pattern with its globs: as written, and for folded paths."""
    written, small = Glob(pattern), pattern.casefold()
    return pattern, written, written if small == pattern else Glob(small)


def folded(name: str) -> str:
    """A name as file systems that fold names would see it."""
    return _shown(name).partition(":")[0].rstrip(". ")


def _shown(name: str) -> str:
    """A name's visible characters in small letters."""
    if not name.isascii():
        name = normalize("NFC", _IGNORABLE.sub("", name))
    return name.casefold()


@lru_cache(maxsize=256)
def _folded_path(path: str) -> str:
    return "/".join([folded(name) for name in path.split("/")])


def _is_harmless(name: str) -> bool:
    """Whether no built-in rule can deny this name: quick, for the many that are."""
    small = name.lower()
    return not (
        small.startswith(_BEGINNINGS)
        or small.endswith(_ENDINGS)
        or ":" in small
        or not name.isascii()
    )


def _built_in(parent: str, name: str, *, folder: bool) -> str:
    above = folded(parent.rpartition("/")[2])
    shown = _shown(name)
    for text in dict.fromkeys((folded(name), shown.rstrip(". "), shown)):
        for spelling in (text, _original(text)):
            found = _rule_for(above, spelling, folder=folder)
            if found:
                return found
    return ""


def _original(name: str) -> str:
    """The name of the file that an editor or a careful user made this a copy of."""
    if name.startswith("#"):
        return name.strip("#")
    for ending in RULES.copies:
        if name.endswith(ending):
            text = name.removesuffix(ending)
            return text.removeprefix(".") if ending.startswith(".sw") else text
    return name


def _rule_for(above: str, name: str, *, folder: bool) -> str:
    if name in _NAMES or (name in _FILE_NAMES and not folder):
        return name
    if found := _env_rule(name):
        return found
    for suffix in RULES.suffixes:
        if name.endswith(suffix):
            return f"*{suffix}"
    for prefix in RULES.prefixes:
        if name.startswith(prefix):
            return f"{prefix}*"
    if _ACCOUNT.fullmatch(name):
        return "service-account*.json"
    return f"{above}/{name}" if above in _PAIRS and _PAIRS[above] == name else ""


def _env_rule(name: str) -> str:
    """The rule for variables of an environment, but for templates of such files."""
    if name.startswith(RULES.env_prefix):
        return "" if name.endswith(RULES.env_templates) else f"{RULES.env_prefix}*"
    if name.endswith(RULES.env_suffix):
        template = f".{name.removesuffix(RULES.env_suffix)}".endswith(RULES.env_templates)
        return "" if template else f"*{RULES.env_suffix}"
    parts = name.split(".")
    while len(parts) > 1 and parts[-1] in _STAGES:
        stage = parts.pop()
        if parts[-1] == "env":
            return f"env.{stage}"
    return ""
