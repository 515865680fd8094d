"""Denies paths that may hold secrets, whether or not they exist.

Names are folded as a file system might: letter case, invisible characters, anything after a colon
and trailing dots or spaces are ignored, and an editor's backup of a file counts as the file.
Everything below a denied folder is denied. A repository's own configuration can only add rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Final
from unicodedata import normalize

from code_graph.paths.globs import Glob, components
from index_format.tuples import NamedTuple
from repo_mcp.text.globs import compile_glob

# Unicode's default ignorable characters: some file systems ignore some of them in names
_HIDDEN: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)


class DenyRules(NamedTuple):
    """The built-in rules; each is compared with folded names."""

    # to be raised when the comparison of names changes
    version: int = 1
    hidden: str = _HIDDEN
    # git~1 is the short name that Windows may give .git
    names: tuple[str, ...] = (
        *(".git", "git~1", ".aws", ".ssh", ".gnupg", ".kube"),
        *(".env", ".envrc", ".netrc", "_netrc", ".npmrc", ".pypirc", ".git-credentials"),
        *(".pgpass", ".htpasswd", ".s3cfg", ".vault-token", "credentials.json"),
    )
    # denied as files only: folders of this name often hold code
    file_names: tuple[str, ...] = ("credentials",)
    prefixes: tuple[str, ...] = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "secrets.")
    suffixes: tuple[str, ...] = (
        *(".pem", ".key", ".pfx", ".p12", ".ppk", ".jks", ".keystore", ".kdbx", ".asc"),
        *(".ovpn", ".tfstate", ".tfstate.backup", ".tfvars"),
    )
    env_prefix: str = ".env."
    env_suffix: str = ".env"
    # env.production is a settings file, env.py is code
    env_stages: tuple[str, ...] = (
        *("local", "dev", "development", "test", "testing", "qa", "uat", "ci", "stage", "staging"),
        *("preprod", "prod", "production", "live", "secret", "private"),
    )
    env_templates: tuple[str, ...] = (".example", ".sample", ".template", ".dist")
    account_prefix: str = "service"
    account: str = r"service[-_]?account.*\.json"
    # (folder, file): the file is denied only directly in a folder of that name
    pairs: tuple[tuple[str, str], ...] = ((".docker", "config.json"),)
    copies: tuple[str, ...] = ("~", ".bak", ".orig", ".old", ".save", ".swp", ".swo")


RULES: Final = DenyRules()
_IGNORABLE: Final = re.compile(f"[{RULES.hidden}]")
_ACCOUNT: Final = re.compile(RULES.account)
_NAMES: Final = frozenset(RULES.names)
_FILE_NAMES: Final = frozenset(RULES.file_names)
_PAIRS: Final = dict(RULES.pairs)
# every name that a rule can deny has one of these beginnings or endings, also before a colon, or
# non-ASCII
_BEGINNINGS: Final = (
    *(".", "#", RULES.account_prefix, *RULES.prefixes, *RULES.file_names, *_PAIRS.values()),
    *(name for name in RULES.names if not name.startswith(".")),
)
# folders whose rule is cached
_CACHED_FOLDERS: Final = 1 << 12
# folders of one path that are looked at by recursion; a client's path may be deeper than the stack
_LEVELS: Final = 100
# of a path: each folder is compared with each configured glob, and no repository needs as many
_MOST_FOLDERS: Final = 512
_MOST_CHARACTERS: Final = 1 << 14
OUTSIDE: Final = "it is outside of what is served"
# begins an entry of what is left out of others
_LEFT_OUT: Final = "!"
_TOO_LONG: Final = "a path too long to be looked into"
_ENDINGS: Final = (
    *(*RULES.suffixes, *RULES.copies, RULES.env_suffix, ".", " "),
    *(f".{stage}" for stage in RULES.env_stages),
)
_STAGES: Final = frozenset(RULES.env_stages)


def globs_below(patterns: Iterable[str], folder: str) -> list[str]:
    """The globs that deny in a folder what these deny below it: `b/*` in `a` for `a/b/*`.

    What is denied directly in the folder is denied at any depth: no glob says the former alone.
    """
    found: dict[str, None] = {}
    for pattern in patterns:
        whole = left = [tuple(names) for names in components(pattern)]
        for name in folder.split("/"):
            left = [*dict.fromkeys(rest for names in left for rest in _behind(names, name))]
        # nothing is left of one that denies the folder itself, or one above it
        found |= dict.fromkeys("/".join(names) or "**" for names in left if names not in whole)
    return list(found)


def _behind(names: tuple[str, ...], folder: str) -> Iterator[tuple[str, ...]]:
    """The rest of a glob's components in a folder of this name."""
    if not names:
        yield names
    elif names[0] == "**":
        yield names
        yield from _behind(names[1:], folder)
    elif names[0]:
        _, written, loose = _compile_glob(names[0])
        if written.matches(folder) or any(
            loose.matches(text) for text in (folder.casefold(), folded(folder))
        ):
            yield names[1:]


def signature() -> str:
    """Identifies the built-in rules: an index built under other rules is out of date."""
    return repr(tuple(RULES))


class Denylist:
    """The built-in rules, the configured globs, and what alone is seen of a folder."""

    def __init__(self, globs: Sequence[str] = (), entries: Sequence[str] = ()) -> None:
        """Compile the configured globs; they match names as written and folded names.

        With `entries`, paths below the root, all is denied that is neither in nor above one. Those
        that begin with `!` are left out, in any spelling.
        """
        self._globs = [_compile_glob(pattern) for pattern in globs]
        seen = [entry for entry in entries if not entry.startswith(_LEFT_OUT)]
        self._entries = frozenset(seen)
        self._above = frozenset(_folders_above(seen))
        self._left_out = frozenset(
            _folded_path(entry.removeprefix(_LEFT_OUT))
            for entry in entries
            if entry.startswith(_LEFT_OUT)
        )
        # what is outside is denied as if it were not there, so by its name first
        self._whole = Denylist(globs) if entries else None
        # cached because the files of a folder are checked one after the other
        self._rule_of_folder = lru_cache(_CACHED_FOLDERS)(partial(self._rule, folder=True))

    def rule(self, path: str, *, folder: bool = False) -> str:
        """The rule that denies this path or a folder above it, or empty."""
        if self._whole is not None:
            outside = OUTSIDE if self.is_outside(path) else ""
            return self._whole.rule(path, folder=folder) or outside
        folders = path.count("/")
        if folders > _MOST_FOLDERS or len(path) > _MOST_CHARACTERS:
            return _TOO_LONG
        if folders > _LEVELS:  # from the top, so that what is above is cached
            names = path.split("/")
            for count in range(_LEVELS, len(names), _LEVELS):
                self._rule_of_folder("/".join(names[:count]))
        return self._rule(path, folder=folder)

    def _rule(self, path: str, *, folder: bool) -> str:
        parent, _, name = path.rpartition("/")
        above = self._rule_of_folder(parent) if parent else ""
        return above or self.child_rule(parent, name, folder=folder)

    def child_rule(self, parent: str, name: str, *, folder: bool) -> str:
        """The same for a name in a folder that is not denied itself (the root is "")."""
        if self._whole is not None:
            outside = self.is_outside(f"{parent}/{name}" if parent else name)
            denied = self._whole.child_rule(parent, name, folder=folder)
            return denied or (OUTSIDE if outside else "")
        found = "" if _is_harmless(name) else _built_in_rule(parent, name, folder=folder)
        return found or (self._configured_rule(parent, name) if self._globs else "")

    def is_outside(self, path: str) -> bool:
        """True for a path that is left out, or neither in nor above an entry."""
        if self._left_out:
            plain = _folded_path(path)
            if plain in self._left_out or not self._left_out.isdisjoint(_folders_above([plain])):
                return True
        if not self._entries or path in self._entries or path in self._above:
            return False
        return self._entries.isdisjoint(_folders_above([path]))

    def _configured_rule(self, parent: str, name: str) -> str:
        path = f"{parent}/{name}" if parent else name
        plain = f"{_folded_path(parent)}/{folded(name)}" if parent else folded(name)
        small = path.casefold()
        for pattern, written, loose in self._globs:
            if loose.matches(small) or (plain != small and loose.matches(plain)):
                return pattern
            if (written is not loose or path != small) and written.matches(path):
                return pattern
        return ""


def _folders_above(paths: Sequence[str]) -> Iterator[str]:
    for path in paths:
        end = path.rfind("/")
        while end > 0:
            yield path[:end]
            end = path.rfind("/", 0, end)


def _compile_glob(pattern: str) -> tuple[str, Glob, Glob]:
    """A pattern with its two globs: as written, and case-folded."""
    written, small = compile_glob(pattern), pattern.casefold()
    return pattern, written, written if small == pattern else compile_glob(small)


def folded(name: str) -> str:
    """A name as a file system that folds names compares it."""
    return _visible(name).partition(":")[0].rstrip(". ")


def _visible(name: str) -> str:
    """A name's visible characters, case-folded."""
    if not name.isascii():
        name = normalize("NFC", _IGNORABLE.sub("", name))
    return name.casefold()


@lru_cache(maxsize=256)
def _folded_path(path: str) -> str:
    return "/".join([folded(name) for name in path.split("/")])


def _is_harmless(name: str) -> bool:
    """True if no built-in rule can deny this name: a quick test that most names pass."""
    small = name.lower()
    return name.isascii() and not (
        small.startswith(_BEGINNINGS)
        or small.endswith(_ENDINGS)
        # what is before a colon may be the name: `path:first-last` is how lines are written
        or (":" in small and small.partition(":")[0].endswith(_ENDINGS))
    )


def may_be_denied(paths: Sequence[str]) -> list[str]:
    """Those of some paths of which a built-in rule may deny a part: a quick test of many."""
    names = {name for path in paths for name in path.split("/")}
    suspects = {name for name in names if not _is_harmless(name)}
    return [path for path in paths if not suspects.isdisjoint(path.split("/"))] if suspects else []


def _built_in_rule(parent: str, name: str, *, folder: bool) -> str:
    above = folded(parent.rpartition("/")[2])
    visible = _visible(name)
    for text in dict.fromkeys((folded(name), visible.rstrip(". "), visible)):
        for spelling in (text, _original(text)):
            found = _rule_for(above, spelling, folder=folder)
            if found:
                return found
    return ""


def _original(name: str) -> str:
    """The name of the file of which this is a backup, else the name itself."""
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
    """The rule that denies files of environment variables, except templates of them."""
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
