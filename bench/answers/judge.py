"""Makes judgement sets of a repository: commits, documentation, names, one-line declarations."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from bench.ranking import changes, definitions, documented, identifiers, messages
from bench.ranking.definitions import Definition, words
from bench.ranking.judgements import Judgement, Place
from bench.ranking.patches import Patch
from bench.ranking.repositories import Repository

SETS: Final = ("changes", "documented", "identifiers", "one_line")
_COMMITS, _DOCUMENTED, _NAMES, _LINES = 30, 25, 42, 15
_MOST_FILES, _FEWEST_WORDS = 8, 3
_SHORTEST: Final = 5
SOURCE: Final = re.compile(
    r"\.(pyi?|[mc]?[jt]sx?|go|rs|java|kt|swift|cs|c|cc|cpp|cxx|h|hh|hpp|hxx|rb|php)$"
)
_BESIDE: Final = re.compile(
    r"(^|/)(__tests__|tests?|specs?|fixtures?|mocks?|examples?|bench(marks|es)?|docs?"
    r"|integration_tests|[\w.]+[.-]?Tests?)(/|$)|\.(test|spec|bench)\.\w+$|(^|/)(tests?\.|test_)|Tests?\.\w+$"
)
ROUTINE: Final = re.compile(
    r"\b(bump|release|version|merge|revert|changelog|copyright|typo|dependabot|format)\b",
    re.IGNORECASE,
)
_LINE_KINDS: Final = frozenset(
    {"member", "field", "constant", "variable", "alias", "typedef", "enumerator", "macro"}
    | {"const", "property", "struct", "type", "static", "getter", "enumConstant"}
)
Forms = Mapping[str, tuple[int, Callable[[Sequence[str], str], str]]]


def is_source(path: str) -> bool:
    """True if a file is code that is neither a test nor documentation nor an example."""
    return bool(SOURCE.search(path)) and changes.is_code(path) and not _BESIDE.search(path)


def kept_set(keep: Path, folder: str, name: str) -> list[Judgement]:
    """A set of a repository, as `python -m bench.answers build` has written it."""
    rows = (keep / "sets" / folder / f"{name}.txt").read_text("utf-8").splitlines()
    return [Judgement.parse(row) for row in rows]


def judged(
    repository: Repository, root: Path, texts: Mapping[str, str], patches: Iterable[Patch]
) -> dict[str, list[Judgement]]:
    """All sets; what was quoted in `documented` has to be blanked in the searched tree."""
    unique = [item for item in definitions.unique(root, texts) if is_source(item.place.path)]
    return {
        "changes": of_commits(repository, texts, patches),
        "documented": documented.judged(repository, unique, texts)[:_DOCUMENTED],
        "identifiers": _of_names(repository, unique),
        "one_line": _of_lines(repository, root, texts),
    }


def of_commits(
    repository: Repository,
    texts: Mapping[str, str],
    patches: Iterable[Patch],
    most: int = _COMMITS,
) -> list[Judgement]:
    """Messages of commits, and the source files that they change, up to `most`."""
    known = messages.parts(texts)
    found: dict[str, Judgement] = {}
    for patch in patches:
        right = [path for path in patch.paths if path in texts and is_source(path)]
        if not right or len(patch.paths) > _MOST_FILES or ROUTINE.search(patch.title):
            continue
        title, paragraph = messages.message(patch, known)
        query = f"{title} {paragraph}".strip()
        if len(messages.WORD.findall(query)) >= _FEWEST_WORDS and " " not in "".join(right):
            places = tuple(map(Place, right))
            form = "message" if paragraph else "subject"
            found.setdefault(query, Judgement(repository.name, form, query, places))
    return _drawn(repository, found.values(), most)


def _drawn(repository: Repository, items: Iterable[Judgement], most: int) -> list[Judgement]:
    return sorted(items, key=lambda item: identifiers.drawn(repository, item.query))[:most]


def names_of(repository: Repository, root: Path, texts: Mapping[str, str]) -> list[Judgement]:
    """Names as people type them."""
    unique = definitions.unique(root, texts)
    return _of_names(repository, [item for item in unique if is_source(item.place.path)])


def _of_names(repository: Repository, found: Sequence[Definition]) -> list[Judgement]:
    fit = [item for item in found if len(item.name) >= _SHORTEST and item.name.isidentifier()]
    fit.sort(key=lambda item: identifiers.drawn(repository, item.name))
    return list(_typed(repository.name, fit))[:_NAMES]


def _typed(repository: str, found: Iterable[Definition]) -> Iterator[Judgement]:
    """Each name in one form, the forms in turn, as far as the name has enough words for it."""
    turn = 0
    names = list(_FORMS)
    for item in found:
        form = names[turn % len(names)]
        fewest, make = _FORMS[form]
        parts = words(item.name)
        if len(parts) >= fewest and (form != "typo" or len(item.name) >= 8):
            turn += 1
            yield Judgement(repository, form, make(parts, item.name), (item.place,))


def _misspelt(_: Sequence[str], name: str) -> str:
    """The name with a letter left out, or two swapped, not the first or last."""
    chance = hashlib.sha256(name.encode()).digest()
    at = 1 + chance[0] % (len(name) - 3)
    if chance[1] % 2:
        return name[:at] + name[at + 1 :]
    return name[:at] + name[at + 1] + name[at] + name[at + 2 :]


def _fragment(parts: Sequence[str], name: str) -> str:
    """The name in one word, without its first or its last word."""
    first = len(name) % 2
    return "".join(parts[first : len(parts) - 1 + first])


_FORMS: Final[Forms] = {
    "exact": (1, lambda _, name: name),
    "case": (1, lambda _, name: name.lower() if name != name.lower() else name.upper()),
    "style": (2, lambda parts, _: "_".join(parts).lower()),
    "words": (2, lambda parts, _: " ".join(parts).lower()),
    "squashed": (2, lambda parts, _: "".join(parts).lower()),
    "fragment": (3, _fragment),
    "typo": (1, _misspelt),
}


def _of_lines(repository: Repository, root: Path, texts: Mapping[str, str]) -> list[Judgement]:
    tags = list(definitions.tags(root))
    counts = Counter(definitions.folded(tag["name"]) for tag in tags)
    fit = [tag for tag in tags if _is_line(tag, texts) and counts[_folded(tag)] == 1]
    found = [
        Judgement(
            repository.name,
            tag["kind"],
            tag["name"],
            (Place(tag["path"], tag["line"], tag["line"]),),
        )
        for tag in fit
    ]
    return _drawn(repository, found, _LINES)


def _folded(tag: Mapping[str, Any]) -> str:
    return definitions.folded(tag["name"])


def _is_line(tag: Mapping[str, Any], texts: Mapping[str, str]) -> bool:
    """True if a tag is a declaration of one line in a source file."""
    line, name, path = tag.get("line", 0), tag["name"], tag["path"]
    alone = line > 0 and tag.get("end", line) == line
    named = len(name) >= _SHORTEST and name.isidentifier()
    return alone and named and tag["kind"] in _LINE_KINDS and path in texts and is_source(path)
