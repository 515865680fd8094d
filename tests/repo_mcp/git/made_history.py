"""Repositories with a history of many commits, made by chance and one run of git."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

from tests.waiting import HANG

WORDS = ("alpha", "beta", "gamma", "delta", "return", "if", "else", "while", "import", "value")
PEOPLE = ("Ada Lovelace <ada@example.org>", "Bob Ünal <bob@example.com>")
FIRST_SECOND = 1_600_000_000


def run_git(root: Path, *line: str, given: bytes = b"") -> bytes:
    """Output of git, without settings of this machine."""
    done = subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@y", *line],  # noqa: S607 whichever it is
        cwd=root,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull},
        input=given,
        capture_output=True,
        check=True,
        timeout=HANG,
    )
    return done.stdout


class HistoryMaker:
    """Writes commits with edits, new, removed and renamed files, branches and merges."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._stream: list[bytes] = []
        self._marks = 0
        # files of each commit by its mark
        self._trees: dict[int, dict[str, list[str]]] = {0: {}}

    def make(self, root: Path, commits: int) -> None:
        """Make a repository with so many commits, the last of which is checked out."""
        root.mkdir(parents=True, exist_ok=True)
        run_git(root, "init", "-q", "-b", "main")
        heads = [self._commit([0])]
        for _ in range(commits - 1):
            kind = self._chance.random()
            if kind < 0.1 and len(heads) > 1:
                one, other = self._chance.sample(heads, 2)
                heads = [head for head in heads if head not in {one, other}]
                heads.append(self._commit([one, other]))
            elif kind < 0.2 and len(heads) < 4:
                heads.append(self._commit([self._chance.choice(heads)]))
            else:
                at = self._chance.randrange(len(heads))
                heads[at] = self._commit([heads[at]])
        while len(heads) > 1:
            heads = [self._commit(heads[:2]), *heads[2:]]
        self._stream.append(f"reset refs/heads/main\nfrom :{heads[0]}\n".encode())
        run_git(root, "fast-import", "--quiet", given=b"".join(self._stream))
        run_git(root, "checkout", "-qf", "main")

    def _commit(self, parents: list[int]) -> int:
        self._marks += 1
        mark, before = self._marks, self._trees[parents[0]]
        tree = dict(before)
        if len(parents) > 1:  # of each file what one of them has, now and then with an edit
            for path, lines in self._trees[parents[1]].items():
                if path not in tree or self._chance.random() < 0.5:
                    tree[path] = lines
        if len(parents) == 1 or self._chance.random() < 0.2:
            for _ in range(self._chance.choice((1, 1, 2, 4))):
                self._change(tree)
        self._trees[mark] = tree
        self._write(mark, parents, before, tree)
        return mark

    def _change(self, tree: dict[str, list[str]]) -> None:
        kind = self._chance.random()
        if kind < 0.12 or len(tree) < 3:
            name = f"{self._chance.choice(WORDS)}{self._chance.randrange(40)}.py"
            folder = self._chance.choice(("", "lib/", "lib/deep/"))
            size = self._chance.randrange(1, 60)
            tree[folder + name] = [self._line() for _ in range(size)]
            return
        path = self._chance.choice(sorted(tree))
        if kind < 0.17:
            del tree[path]
        elif kind < 0.27:
            lines = tree.pop(path)
            folder = self._chance.choice(("", "lib/", "moved/"))
            renamed = f"{folder}{self._chance.randrange(99)}{path.rpartition('/')[2][-9:]}"
            tree[renamed] = self._edited(lines) if self._chance.random() < 0.5 else lines
        elif kind < 0.37:
            self._carry(tree, path, self._chance.choice(sorted(tree)))
        else:
            tree[path] = self._edited(tree[path])

    def _carry(self, tree: dict[str, list[str]], path: str, target: str) -> None:
        """Copy or move some lines of a file to another place, maybe in another file."""
        lines = list(tree[path])
        begin = self._chance.randrange(len(lines) + 1)
        end = begin + self._chance.randrange(1, 20)
        carried = lines[begin:end]
        if self._chance.random() < 0.6:
            del lines[begin:end]
        tree[path] = lines
        there = list(tree[target])
        at = self._chance.randrange(len(there) + 1)
        there[at:at] = self._edited(carried) if self._chance.random() < 0.4 else carried
        tree[target] = there

    def _edited(self, lines: list[str]) -> list[str]:
        made = list(lines)
        for _ in range(self._chance.randrange(1, 4)):
            at = self._chance.randrange(len(made) + 1)
            gone = self._chance.choice((0, 1, 1, 3))
            made[at : at + gone] = [self._line() for _ in range(self._chance.randrange(4))]
        return made

    def _line(self) -> str:
        blanks = "    " * self._chance.randrange(3)
        if self._chance.random() < 0.2:
            return self._chance.choice(("", "}", f"{blanks}pass", f"{blanks}é = 'ß'"))
        words = " ".join(self._chance.choices(WORDS, k=self._chance.randrange(1, 5)))
        return f"{blanks}{words} {self._chance.randrange(30)}"

    def _write(
        self,
        mark: int,
        parents: list[int],
        before: dict[str, list[str]],
        tree: dict[str, list[str]],
    ) -> None:
        person = self._chance.choice(PEOPLE)
        date = f"{FIRST_SECOND + 1000 * mark} +0100"
        message = (
            f"{self._chance.choice(WORDS)} change{mark}\n\nbecause of {self._line().strip()}\n"
        )
        rows = [f"commit refs/heads/main\nmark :{mark}\nauthor {person} {date}\n"]
        rows.append(f"committer {person} {date}\ndata {len(message.encode())}\n{message}\n")
        rows += [
            f"{'from' if at == 0 else 'merge'} :{parent}\n"
            for at, parent in enumerate(parents)
            if parent
        ]
        if not parents[0]:
            rows[0] = f"reset refs/heads/main\n{rows[0]}"
        rows += [f"D {path}\n" for path in before if path not in tree]
        for path, lines in tree.items():
            if before.get(path) is not lines:
                text = "\n".join(lines) + ("\n" if len(lines) % 7 else "")
                data = text.encode()
                rows.append(f"M 100644 inline {path}\ndata {len(data)}\n{text}\n")
        self._stream.append("".join(rows).encode())
