"""The judgement set `changes`: a patch's description -> the files it changes, before the patch."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from bench.ranking import messages
from bench.ranking.identifiers import drawn
from bench.ranking.judgements import Judgement, Place
from bench.ranking.patches import Patch
from bench.ranking.repositories import Repository

PER_REPOSITORY: Final = 60
_MOST_FILES: Final = 8
_FEWEST_WORDS: Final = 3
# these files record every change, and don't help to find a future one
_LOGS: Final = re.compile(r"(^|/)(changelog|news|changes|acks)(\.[a-z]+)?$", re.IGNORECASE)
_DOCUMENTS: Final = re.compile(
    r"(^|/)(docs?|documentation|www|man|po|changes|news)/|(^|/)(changelog|news|readme|changes|copying"
    r"|authors|thanks|todo)[^/]*$|\.(md|rst|html?|texi?|pod|po|man|[1-8])$|(?<!cmakelists)\.txt$",
    re.IGNORECASE,
)
_TESTS: Final = re.compile(
    r"(^|/)(tests?|testing|testsuites?|testcases?|unittests?|regress|t|\w*-tests?|\w+Test|fuzz)/"
    r"|(^|/)(test[_-][^/]*|[^/]*[_-]test\.\w+|[^/]*Test\.\w+)$"
)


def judged(
    repository: Repository, patches: Iterable[Patch], paths: Collection[str]
) -> list[Judgement]:
    """Some patches that change code, with title and first paragraph as queries."""
    found = list(_judged(repository, patches, paths))
    said = Counter(item.query for item in found)
    once = [item for item in found if said[item.query] == 1]
    return sorted(once, key=lambda item: drawn(repository, item.query))[:PER_REPOSITORY]


def _judged(
    repository: Repository, patches: Iterable[Patch], paths: Collection[str]
) -> Iterator[Judgement]:
    known = messages.parts(paths)
    for patch in patches:
        there = [path for path in patch.paths if path in paths and not _LOGS.search(path)]
        code = any(is_code(path) for path in there)
        if code and len(patch.paths) <= _MOST_FILES and not any(" " in path for path in there):
            title, paragraph = messages.message(patch, known)
            query = f"{title} {paragraph}".strip()
            if sum(map(bool, map(messages.WORD.search, query.split()))) >= _FEWEST_WORDS:
                form = _form("message" if paragraph else "subject", query, there)
                yield Judgement(repository.name, form, query, tuple(map(Place, there)))


def is_code(path: str) -> bool:
    """True if a file is neither packaging nor tests nor documents."""
    return not (path.startswith("debian/") or _TESTS.search(path) or _DOCUMENTS.search(path))


def _form(name: str, query: str, paths: Sequence[str]) -> str:
    """The form of the query, with a suffix if a word of it is also a right file's name."""
    asked = {word.lower() for word in re.findall(r"[\w-]+", query)}
    stems = {PurePosixPath(path).stem.lower() for path in paths}
    return f"{name}-named" if asked & stems else name
