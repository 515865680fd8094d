"""Draws what prompts name from a tree, with the places where ctags says that it stands."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from bench.ranking.definitions import tags
from code_graph.paths.path_kinds import CODE, rank_path
from index_format.tuples import NamedTuple

_FUNCTIONS: Final = frozenset({"function", "method", "func", "procedure"})
_TYPES: Final = frozenset({"class", "struct", "interface", "type", "enum", "trait", "typedef"})
_SHORTEST: Final = 3
_PLAIN: Final = re.compile(r"[A-Za-z]?[a-z]+")
_MESSAGE: Final = re.compile(r"""["'`]([A-Z]?[a-z]+(?: [a-z]+){3,9})[.!"'`]""")
_NAME: Final = re.compile(
    r"(?<![\w./:#-])((?:[A-Za-z_]\w+(?:\.|::|#))*)([A-Za-z_]\w{2,})(?![\w/-])"
)
_JOINT: Final = re.compile(r"\.|::|#")
# a small letter before a capital, or before an underscore, as no word of a sentence has
_MARKED: Final = re.compile(r"[a-z0-9](?:[A-Z]|_[a-z0-9])")
# of the request, at the end of a commit's first line
_NUMBER: Final = re.compile(r"\s*\(#\d+\)")
_PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")


class PromptName(NamedTuple):
    """Something that a prompt names: as it writes it, and the places that are right answers."""

    written: str
    places: Sequence[str]


class NamedPrompt(NamedTuple):
    """A prompt, and all that it names."""

    text: str
    named: Sequence[PromptName]


class TreeNames:
    """The names of one tree, drawn by chance from a seed."""

    def __init__(self, tree: Path, seed: int) -> None:
        """Run ctags over the tree."""
        self._tree = tree
        self._chance = random.Random(seed)
        self._places: dict[str, list[str]] = defaultdict(list)
        # the last name of the scope of each place, in small letters
        self._scopes: dict[str, list[str]] = defaultdict(list)
        self._functions: set[str] = set()
        self._types: set[str] = set()
        self._bodies: list[tuple[str, int, str]] = []
        paths: set[str] = set()
        for tag in tags(tree):
            if "line" not in tag or rank_path(tag["path"]) != CODE:
                continue
            paths.add(tag["path"])
            name, place = tag["name"], f"{tag['path']}:{tag['line']}"
            if len(name) >= _SHORTEST and name.isidentifier():
                self._places[name].append(place)
                scope = _JOINT.split(tag.get("scope", ""))[-1].lower()
                self._scopes[name].append(sys.intern(scope))
                if tag["kind"] in _FUNCTIONS:
                    self._functions.add(name)
                    self._bodies.append((tag["path"], tag["line"], name))
                elif tag["kind"] in _TYPES:
                    self._types.add(name)
        self._paths = sorted(paths)

    def prompts(self, templates: Sequence[str]) -> Iterator[NamedPrompt]:
        """A prompt for each template."""
        for template in templates:
            named: list[PromptName] = []

            def fill(match: re.Match[str], named: list[PromptName] = named) -> str:
                chosen = self._choose(match[1])
                named.append(chosen)
                return chosen.written

            yield NamedPrompt(_PLACEHOLDER.sub(fill, template).replace("``", "`"), named)

    def written(self, count: int) -> Iterator[NamedPrompt]:
        """First lines of commits, as people wrote them, with names that the tree still has."""
        line = ["git", "-C", str(self._tree), "log", "--no-merges", "--format=%s"]
        log = subprocess.run(line, capture_output=True, check=False).stdout.decode(
            "utf-8", "replace"
        )
        subjects = sorted({_NUMBER.sub("", subject) for subject in log.splitlines()})
        self._chance.shuffle(subjects)
        prompts = (NamedPrompt(subject, self._names_in(subject)) for subject in subjects)
        return islice((prompt for prompt in prompts if prompt.named), count)

    def _names_in(self, text: str) -> list[PromptName]:
        """The names of code in a text; none if there is one that the tree has not."""
        matches = [match for match in _NAME.finditer(text) if _is_code(match)]
        names = {match[0]: self._places_of(match[1], match[2]) for match in matches}
        return [PromptName(*item) for item in names.items()] if all(names.values()) else []

    def _places_of(self, owner: str, name: str) -> list[str]:
        """The places of a name, in the scope of its owner or of one that a variable is named by."""
        places = self._places.get(name, [])
        if not owner:
            return places
        scope = _JOINT.split(owner)[-2].lower()
        scoped = zip(places, self._scopes[name], strict=True)
        return [place for place, known in scoped if known == scope]

    def _choose(self, kind: str) -> PromptName:
        if kind == "path":
            path = self._chance.choice(self._paths)
            return PromptName(path, [path])
        if kind == "frame":
            path, line, name = self._chance.choice(self._bodies)
            return PromptName(
                f'  File "/srv/app/{path}", line {line}, in {name}', [f"{path}:{line}"]
            )
        if kind == "message":
            return self._choose_message()
        table = self._types if kind == "type" and self._types else self._functions
        name = self._chance.choice(sorted(table))
        # a name that is a plain word is marked as one by who writes it
        written = f"`{name}`" if _PLAIN.fullmatch(name) else name
        return PromptName(written, self._places[name])

    def _choose_message(self) -> PromptName:
        """A text that few lines have."""
        places: dict[str, list[str]] = defaultdict(list)
        for path in self._chance.sample(self._paths, min(len(self._paths), 2_000)):
            text = (self._tree / path).read_text("utf-8", "replace")
            for number, row in enumerate(text.split("\n"), 1):
                for message in _MESSAGE.findall(row):
                    places[message].append(f"{path}:{number}")
        rare = sorted(message for message, found in places.items() if len(found) == 1)
        message = self._chance.choice(rare)
        return PromptName(message, places[message])


def _is_code(match: re.Match[str]) -> bool:
    """True for a name that is written as code: by its letters, its owner, marks or brackets."""
    before, after = match.string[: match.start()][-1:], match.string[match.end() :][:2]
    return bool(match[1] or _MARKED.search(match[2])) or before == "`" or after == "()"
