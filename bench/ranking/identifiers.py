"""Names as people type them -> where they are defined."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from bench.ranking.definitions import Definition, words
from bench.ranking.judgements import Judgement
from bench.ranking.repositories import Repository

PER_REPOSITORY: Final = 60
_SHORTEST: Final = 5


def drawn(repository: Repository, name: str) -> str:
    """Sorts by chance, but the same chance each time, whatever else there is to draw from."""
    return hashlib.sha256(f"{repository.name} {name}".encode()).hexdigest()


def judged(repository: Repository, definitions: Sequence[Definition]) -> list[Judgement]:
    """Some of the definitions, each asked for in one form, the forms in turn."""
    fit = [item for item in definitions if len(item.name) >= _SHORTEST and words(item.name)]
    chosen = sorted(fit, key=lambda item: drawn(repository, item.name))[:PER_REPOSITORY]
    turns: Counter[bool] = Counter()
    found = []
    for item in chosen:
        compound = len(words(item.name)) > 1
        forms = _COMPOUND if compound else _SIMPLE
        form = forms[turns[compound] % len(forms)]
        turns[compound] += 1
        query = _FORMS[form](item.name)
        found.append(Judgement(repository.name, form, query, (item.place,)))
    return found


def _other_case(name: str) -> str:
    return name.lower() if name != name.lower() else name.upper()


def _other_style(name: str) -> str:
    parts = [word.lower() for word in words(name)]
    if "_" in name.strip("_"):
        return parts[0] + "".join(word.capitalize() for word in parts[1:])
    return "_".join(parts)


def _apart(name: str) -> str:
    return " ".join(words(name)).lower()


_FORMS: Final[dict[str, Callable[[str], str]]] = {
    "exact": str,
    "case": _other_case,
    "style": _other_style,
    "words": _apart,
}
_COMPOUND: Final = tuple(_FORMS)
_SIMPLE: Final = ("exact", "case")
