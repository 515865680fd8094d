"""The rules by which a glob may select files that are never shown.

The glob alone decides, never the disk: nothing is said of whether there is such a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from code_graph.paths.globs import Glob, GlobError, alternatives, split_globs
from repo_mcp.safety.denylist import RULES, Denylist

# names that no rule denies: a glob with one of these as last name asks for files of any kind
_PLAIN: Final = ("x", "x.py", "x.json", "x.txt", "x.md", "x.yml", ".x")
_SAMPLES: Final = (
    *RULES.names,
    *RULES.file_names,
    *(f"{prefix}x" for prefix in RULES.prefixes),
    *(f"x{suffix}" for suffix in RULES.suffixes),
    *(f"{RULES.env_prefix}x", f"x{RULES.env_suffix}", "env.production", "service-account.json"),
)
_WILD: Final = re.compile(r"[*?\[]")
_SET: Final = re.compile(r"\[[^]]*\]")
_MOST_SHOWN: Final = 3
# names that the rules for files of the environment leave out
_TEMPLATES: Final = tuple(
    name
    for ending in RULES.env_templates
    for name in (f"{RULES.env_suffix}{ending}", f"{RULES.env_prefix}x{ending}")
)
_OF_TEMPLATES: Final = "; templates of them (.env.example and the like) are shown"
_OF_ANY: Final = "files whose names stand for secrets (.env, *.pem and the like) are in no list"


def hidden_text(glob: str, denylist: Denylist) -> str:
    """One line on the rules that hide files from a glob; empty if it asks for none of these."""
    rules = [*dict.fromkeys(_rules_of(glob, denylist))]
    if not rules:
        return ""
    more = [f"{len(rules) - _MOST_SHOWN} more"] if len(rules) > _MOST_SHOWN else []
    named = ", ".join([*rules[:_MOST_SHOWN], *more])
    many = "s" if len(rules) > 1 else ""
    shown = _OF_TEMPLATES if _selects_template(glob, denylist) else ""
    return f"files of the rule{many} {named} may hold secrets, and are in no answer{shown}"


def hidden_in_folder(glob: str) -> str:
    """One line on a glob for all files of a folder that it names; empty for others."""
    plain, _ = split_globs(glob)
    return _OF_ANY if any(map(_is_whole_folder, plain)) else ""


def _is_whole_folder(pattern: str) -> bool:
    folder, _, name = pattern.rpartition("/")
    is_named = bool(folder) and not _WILD.search(folder.removesuffix("/**"))
    return is_named and name in {"", "*", "**"}


def _rules_of(glob: str, denylist: Denylist) -> Iterator[str]:
    try:
        patterns = _patterns(glob)
    except GlobError:
        return
    for pattern in patterns:
        folder, _, name = pattern.rpartition("/")
        if folder and (rule := denylist.rule(_sample(folder), folder=True)):
            yield rule
        names = [_sample(name)] if name else []
        if name and not _selects(name, _PLAIN):
            names += (item for item in _SAMPLES if _selects(name, [item]))
        yield from (rule for item in names if (rule := denylist.rule(item)))


def _patterns(glob: str) -> list[str]:
    """The patterns of the files that a list of globs asks for."""
    plain, _ = split_globs(glob)
    texts = (pattern.removeprefix("./").lstrip("/") for pattern in plain)
    return [item for text in texts for item in alternatives(text)]


def _selects_template(glob: str, denylist: Denylist) -> bool:
    """True if a glob that can be read selects a template that no rule denies, too."""
    names = [pattern.rpartition("/")[2] for pattern in _patterns(glob)]
    samples = (name for name in map(_sample, names) if name.endswith(RULES.env_templates))
    allowed = [name for name in (*_TEMPLATES, *samples) if not denylist.rule(name)]
    return any(name and _selects(name, allowed) for name in names)


def _selects(name: str, samples: Sequence[str]) -> bool:
    """True if a name with wildcards matches one of these."""
    try:
        glob = Glob(name)
    except GlobError:
        return True
    return any(map(glob.matches, samples))


def _sample(pattern: str) -> str:
    """A path that a pattern matches."""
    parts = [part for part in pattern.split("/") if part != "**"]
    return "/".join(_SET.sub("x", part).replace("*", "x").replace("?", "x") for part in parts)
