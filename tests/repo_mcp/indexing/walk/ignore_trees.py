"""Random trees with difficult ignore rules, and git's verdict on them."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from pathlib import Path
from typing import Final

from repo_mcp.indexing.walk.gitignore import IgnoreRules
from repo_mcp.indexing.walk.walk import Discovery, Selection
from repo_mcp.safety.denylist import Denylist
from repo_mcp.safety.sandbox import Sandbox
from tests.repo_mcp.trees import FOREVER

GIT: Final = shutil.which("git")


def _words(text: str) -> list[str]:
    return text.split()


_NO_WORDS: Final = ["x y", " a", "a ", "a\nb", "\n", "a\n", "a\tb", "\x0b", "\x7f"]
NAMES: Final = _NO_WORDS + _words(r"""
    a b c ab ba foo foobar a.c b.c foo.c a.tar.gz .a .a.c A x-y a~ [a] a] [ab] a*b * ** ? a? !a ]
    #a \a a\b - ^ ä äa é.c 日本 a-b a.b a_b _ 0 z.log log build out.o
""")
_ODD_PIECES: Final = [" ", "\\ ", "\t", "x y", "\udcc3", "\udca4", "[\udc80-\udcff]"]
PIECES: Final = _ODD_PIECES + _words(r"""
    a b c ab foo bar . .c .o * * * ** ? ?? [ab] [!a] [^b] [a-f] [a-] [--0] []a] [^]a] [!]a-] [\]a]
    [\a-c] [a-\c] [[:alpha:]] [[:space:]a] [[:foo:]] [[:alpha] [:] [a/b] [/] [a [ ] \ \* \? \[ \a
    \\ \/ / / / ** **/ /** */ /* *** **/** a** **a ä [ä] é 日 log build # ! - ~ { } , x
""")
RULES: Final = _words(r"""
    *.c !*.c !a.c a /a a/ /a/ a/b !a/b a/* a/** !a/b/ **/a **/a/ a/**/b /*/a */a * !*/ ! !! / // \
    !* *.* .* !.a foo** foo**/b a**/b /a** a/b** a/**/** **/**/a **/*a* a*b*c \!a \#a #a [ab].c ?
    ?? ??? [!a]* *[!c] *a *a* a*b* \**a log/** !log/a build out.o *.tar.* /** /**/ ** **/ /**/a
""")


def git(root: Path, *arguments: str, text: str = "") -> str:
    """Run git with nobody's configuration."""
    assert GIT
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    command = [GIT, "-c", "core.excludesFile=", "-C", str(root), *arguments]
    done = subprocess.run(
        command, check=False, input=text.encode(), capture_output=True, env=environment
    )
    if done.returncode > ("check-ignore" in arguments):  # it says 1 when nothing is ignored
        raise RuntimeError(done.stderr.decode())
    return done.stdout.decode()


def listed_by_git(root: Path, *options: str) -> set[str]:
    """Files that git tracks or does not ignore."""
    listed = git(root, *options, "ls-files", "-z", "-co", "--exclude-standard")
    return {path for path in listed.split("\0") if path}


def not_ignored(root: Path) -> set[str]:
    """Files that the walk visits and does not ignore."""
    fence = Sandbox(str(root), Denylist(), max_file_bytes=1 << 20)
    seen = list(Discovery(fence, Selection(1 << 20)).candidates(FOREVER))
    fence.close()
    return {item.path for item in seen if item.reason not in {"ignored", "denied"}}


def verdict(texts: dict[str, bytes], path: str, *, folder: bool) -> bool:
    """True if a path is ignored, walking name by name to the first ignored folder."""
    names = path.split("/")
    rules = IgnoreRules().with_rules(texts.get("", b""))
    for count, name in enumerate(names[:-1], 1):
        if rules.ignores(name, folder=True):
            return True
        rules = rules.below(name).with_rules(texts.get("/".join(names[:count]), b""))
    return rules.ignores(names[-1], folder=folder)


def ignored_by_git(root: Path, paths: list[str]) -> set[str]:
    """Those of these files that git would ignore; they need not exist."""
    text = "".join(f"{path}\0" for path in paths)
    return set(git(root, "check-ignore", "--no-index", "-z", "--stdin", text=text).split("\0"))


def on_paper(seed: int) -> tuple[dict[str, bytes], list[str]]:
    """Files of rules by their folder, and paths of files, all below a folder of this number."""
    chance = random.Random(seed)
    folders = [str(seed)]
    for _ in range(chance.randrange(4)):
        folders.append(f"{chance.choice(folders)}/{chance.choice(NAMES)}")
    texts = {folder: rules(chance) for folder in folders if chance.random() < 0.8}
    texts.setdefault(folders[0], rules(chance))
    tails = ["/".join(chance.choices(NAMES, k=chance.choice((1, 1, 2, 3)))) for _ in range(50)]
    paths = [f"{chance.choice(folders)}/{tail}" for tail in tails]
    return texts, [path for path in paths if path not in folders]


class Trees:
    """Tree after tree in one repository."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._exclude = root / ".git" / "info" / "exclude"
        git(root, "init", "-q")

    def grow(self, seed: int) -> None:
        """Another tree in place of the last."""
        for entry in self.root.iterdir():
            if entry.name != ".git":
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        chance = random.Random(seed)
        self._exclude.write_bytes(rules(chance) if chance.random() < 0.3 else b"")
        _grow(chance, self.root, 3)


def _grow(chance: random.Random, folder: Path, depth: int) -> None:
    folder.mkdir(exist_ok=True)
    if chance.random() < 0.6:
        (folder / ".gitignore").write_bytes(rules(chance))
    for name in chance.sample(NAMES, chance.randrange(2, 7)):
        if depth and chance.random() < 0.4:
            _grow(chance, folder / name, depth - 1)
        else:
            (folder / name).touch()


def rules(chance: random.Random) -> bytes:
    """A file of rules, some of them sensible."""
    count = chance.choice((1, 1, 2, 2, 3, 4, 6))
    lines = [_line(chance) + chance.choice(["\n"] * 5 + ["\r\n"]) for _ in range(count)]
    text = chance.choice([""] * 9 + ["\ufeff"]) + "".join(lines)
    if chance.random() < 0.2:
        text = text.rstrip("\n")
    return text.encode("utf-8", "surrogateescape")


def _line(chance: random.Random) -> str:
    if chance.random() < 0.4:
        return chance.choice(RULES)
    pieces = chance.choices([*PIECES, *NAMES], k=chance.randrange(1, 6))
    text = "".join(piece.replace("\n", "?") for piece in pieces)
    return chance.choice(_BEFORE) + text + chance.choice(_AFTER)


_BEFORE: Final = ("", "", "", "", "!", "/", "!/", "**/", " ")
_AFTER: Final = ("", "", "", "", "/", " ", "  ", "\\ ", "\\\\ ", "\t", "/**", "\r")
