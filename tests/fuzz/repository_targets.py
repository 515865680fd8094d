"""Input from a hostile repository: ignore rules, settings, and text of any encoding."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Final

from code_graph import known_names
from index_format.analysis.content import lines
from repo_mcp.errors import Problem
from repo_mcp.indexing.walk.gitignore import drop_match_all_rules, parse_rules
from repo_mcp.safety.sandbox import open_root
from repo_mcp.search.matching_lines import normalize_lines
from repo_mcp.settings import FILE_NAME, RulingFiles
from repo_mcp.settings.table import BY_NAME
from repo_mcp.text.files import Rows, decode
from tests.fuzz.engine import ROOT, Target
from tests.repo_mcp.indexing.walk.ignore_oracle import ignored
from tests.repo_mcp.indexing.walk.ignore_trees import (
    GIT,
    PIECES,
    RULES,
    git,
    ignored_by_git,
    verdict,
)

# ---- ignore rules: rules, NUL, paths ----

_DEFAULT_PATHS: Final = ("a", "a.c", "a/b", "foo/bar/build", "log/a b", "ä/[a]", "#a", "!a", "a\\b")
_MOST_PATHS: Final = 12
_LONGEST_PATH: Final = 24
# the model tries all ways to divide a name among the stars
_LONGEST_RULES: Final = 120
_MOST_STARS: Final = 6


def run_gitignore(data: bytes) -> object:
    """The verdicts are those of a slow model."""
    rules, paths = _rules_and_paths(data)
    parsed = parse_rules(rules)
    drop_match_all_rules(rules)
    found = [(path, verdict({"": rules}, path, folder=False)) for path in paths]
    if len(rules) <= _LONGEST_RULES and rules.count(b"*") <= _MOST_STARS:
        for path, is_ignored in found:
            assert is_ignored == ignored([("", rules)], path, folder=False), (rules, path)
    return len(parsed), [is_ignored for _, is_ignored in found]


def _rules_and_paths(data: bytes) -> tuple[bytes, list[str]]:
    rules, _, rest = data.partition(b"\0")
    try:
        named = [path for path in rest.decode().split("\n") if _is_path(path)]
    except UnicodeDecodeError:
        named = []
    return rules, [*named, *_DEFAULT_PATHS][:_MOST_PATHS]


def _is_path(path: str) -> bool:
    names = path.split("/")
    is_plain = all(names) and not {".", "..", ".git"} & {name.lower() for name in names}
    return is_plain and "\0" not in path and len(path) <= _LONGEST_PATH


def gitignore_seeds() -> Iterator[bytes]:
    """Single rules, many rules, and paths."""
    yield from (rule.encode() for rule in RULES)
    yield "\n".join(RULES).encode()
    yield b"*.o\n!a.o\n/build/\nlog/**/x\n\0a.o\nbuild/x\nlog/a/b/x"


_RULE_WORDS: Final = [
    *(piece.encode("utf-8", "surrogateescape") for piece in PIECES),
    *(b"\n", b"\n!", b"\r\n", b"\n/", b"\n#", b"\\ ", b"[[:digit:]-z]", b"**", b"/**/", b"\0"),
]
GITIGNORE: Final = Target(
    "gitignore",
    run_gitignore,
    gitignore_seeds,
    ("repo_mcp/indexing/walk",),
    words=_RULE_WORDS,
)


@cache
def _git_root() -> Path:
    root = ROOT / ".fuzz" / "git"
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "-q")
    return root


def run_beside_git(data: bytes) -> object:
    """The verdicts are git's."""
    rules, paths = _rules_and_paths(data)
    root = _git_root()
    (root / ".gitignore").write_bytes(rules)
    theirs = ignored_by_git(root, paths)
    for path in paths:
        assert verdict({"": rules}, path, folder=False) == (path in theirs), (rules, path)
    return len(theirs)


BESIDE_GIT: Final = Target(
    "gitignore_git",
    run_beside_git,
    gitignore_seeds,
    ("repo_mcp/indexing/walk",),
    words=_RULE_WORDS,
    slow=True,
)


# ---- settings ----

_LONGEST_NOTE: Final = 4000


def run_settings(data: bytes) -> object:
    """A forbidden setting becomes a note, and an accepted one is of its kind."""
    with tempfile.TemporaryDirectory() as root:
        (Path(root) / FILE_NAME).write_bytes(data)
        try:
            with closing(open_root(root)) as door:
                found = RulingFiles(door, (), known_names).own
        except Problem as problem:
            return problem.code
    for note in found.notes:
        assert note.startswith(FILE_NAME)
        assert len(note) <= _LONGEST_NOTE
    for name, value in found.values.items():
        setting = BY_NAME[name]
        assert setting.file != "nothing"
        assert isinstance(value, tuple if setting.is_list else int)
    languages = known_names(())
    assert set(found.languages.disabled) <= set(languages)
    assert {language for _, language in found.languages.extensions} <= set(languages)
    assert len(repr(found.hybrid)) <= 64 * len(data) + 100
    return sorted(found.values), len(found.notes), bool(found.hybrid)


def settings_seeds() -> Iterator[bytes]:
    """All tables, and values that are refused."""
    yield b'[limits]\nmax_file_bytes = 1000\n[index]\nexclude_globs = ["a/**"]\n'
    yield b'[adapters.python]\nenabled = false\nextensions = [".x", ".y"]\n'
    yield b"[hybrid]\na = {b = [1, 2]}\nc = 2026-01-01\n"
    yield b'repo_root = "/"\n[server]\nhttp = true\n[limits]\nmax_files = 99999999999\n'
    yield b"a.b.c.d = 1\n[[x]]\ny = 1979-05-27T07:32:00Z\nz = 0xFFFF\n" + b"w = '''a'''\n"
    yield b"x = " + b"[" * 1000 + b"]" * 1000
    yield b"[limits]\nmax_file_bytes = 0x" + b"f" * 5000


SETTINGS: Final = Target(
    "settings",
    run_settings,
    settings_seeds,
    ("repo_mcp/settings",),
    words=[
        *(f"{setting.key} = ".encode() for setting in BY_NAME.values()),
        *(
            b"[limits]\n",
            b"[adapters.",
            b"[hybrid]\n",
            b"enabled = ",
            b"extensions = ",
            b"true",
            b"inf",
        ),
        *(
            b'"""',
            b"''",
            b"\n",
            b"[",
            b"]",
            b"{",
            b"}",
            b'"\\U0010FFFF"',
            b"0x",
            b"1e999",
            b"2026-01-01",
        ),
    ],
    max_input=8192,
)


# ---- text ----


def run_text(data: bytes) -> object:
    """A file's lines are the same, however they are read."""
    text, rows = decode(data), Rows(data)
    normal = normalize_lines(data)
    assert rows.is_text == (text is not None) == (normal is not None)
    if text is None or normal is None:
        return None
    whole = lines(text.content)
    assert rows.count == len(whole)
    assert rows.between(1, len(whole)) == whole
    middle = len(whole) // 2 + 1
    assert rows.between(middle, middle + 1) == whole[middle - 1 : middle + 1]
    assert normal.decode().split("\n")[:-1] == whole
    return text.encoding, len(whole) % 4


def text_seeds() -> Iterator[bytes]:
    """Every encoding and line end."""
    text = "a\r\nb\n\rä\u2028\n中\n\n"
    yield from (text.encode(name) for name in ("utf-8", "utf-8-sig", "utf-16", "utf-16-be"))
    yield from (
        b"",
        b"\n",
        b"\r",
        b"a\r",
        b"a\r\r\n",
        b"\xff\xfea",
        b"\xe4\n",
        b"\0",
        b"\xef\xbb\xbf",
    )


TEXT: Final = Target(
    "text",
    run_text,
    text_seeds,
    ("repo_mcp/text/files.py", "repo_mcp/search/matching_lines.py"),
    words=[
        b"\r\n",
        b"\r",
        b"\n",
        b"\xff\xfe",
        b"\xfe\xff",
        b"\xef\xbb\xbf",
        b"\0",
        b"\x1a",
        b"\xc2\x85",
    ],
)

TARGETS: Final = (GITIGNORE, SETTINGS, TEXT, *([BESIDE_GIT] if GIT else []))
