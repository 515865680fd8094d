"""Computes figures from judgements and answers; stores and compares them as lines of text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from bench import machine
from bench.ranking import metrics
from bench.ranking.judgements import Judgement
from bench.ranking.rankings import Answers
from bench.ranking.repositories import HERE, small
from bench.ranking.systems import BASELINES, OURS

GOLDEN: Final = HERE / "results.txt"
OF_LINES: Final = frozenset({OURS, *(item.name for item in BASELINES if item.of_lines)})
SMALL_ONLY: Final = frozenset(item.name for item in BASELINES if item.small_only)
# prefix of the name of a set that is limited to the small repositories
SMALL: Final = "small:"
HEADLINE: Final = "ndcg@10"
_SHOWN: Final = (HEADLINE, f"recall@{metrics.DEEPEST}")


class Key(NamedTuple):
    """Identifies a figure."""

    split: str
    judged: str
    level: str
    system: str
    metric: str

    @property
    def of_form(self) -> bool:
        """True if the figure is for one form of query only."""
        return "/" in self.judged


Figures = dict[Key, float]


def scored(
    split: str, judged: str, system: str, items: Sequence[Judgement], answers: Mapping[str, Answers]
) -> Figures:
    """All figures of a system on a set: for files, for lines where it has some, and by form."""
    found: Figures = {}
    levels = {"files": metrics.by_file}
    if system in OF_LINES and all(place.first for item in items for place in item.places):
        levels["lines"] = metrics.by_lines
    for level, measure in levels.items():
        rows = [measure(answers[item.repository][item.query], item.places) for item in items]
        for name, value in metrics.mean(rows).items():
            found[Key(split, judged, level, system, name)] = value
        for form, some in _by_form(items, rows):
            key = Key(split, f"{judged}/{form}", level, system, HEADLINE)
            found[key] = metrics.mean(some)[HEADLINE]
    return found


def of_sets(
    split: str,
    sets: Mapping[str, Sequence[Judgement]],
    answers: Mapping[str, Mapping[str, Answers]],
    *,
    alone: bool,
) -> Figures:
    """All figures of a split: on whole sets, and side by side on the small repositories."""
    figures: Figures = {}
    few = small()
    for name, items in sets.items():
        part = [] if alone else [item for item in items if item.repository in few]
        for system, found in answers.items():
            if items and system not in SMALL_ONLY:
                figures |= scored(split, name, system, items, found)
            if part:
                figures |= _without_forms(scored(split, f"{SMALL}{name}", system, part, found))
    return figures


def _without_forms(figures: Figures) -> Figures:
    return {key: value for key, value in figures.items() if not key.of_form}


def _by_form(
    items: Sequence[Judgement], rows: Sequence[dict[str, float]]
) -> Iterator[tuple[str, list[dict[str, float]]]]:
    forms: defaultdict[str, list[dict[str, float]]] = defaultdict(list)
    for item, row in zip(items, rows, strict=True):
        forms[item.form].append(row)
    if len(forms) > 1:
        yield from sorted(forms.items())


def within(figures: Figures, depth: int) -> Figures:
    """The figures that this depth of answers is enough for."""
    deeper = {f"recall@{number}" for number in metrics.DEPTHS if number > depth}
    return {key: value for key, value in figures.items() if key.metric not in deeper}


def text(figures: Figures) -> str:
    """The figures as text, one per line."""
    return "".join(f"{' '.join(key)} {value:.4f}\n" for key, value in sorted(figures.items()))


def golden() -> Figures:
    """The stored figures."""
    if not GOLDEN.exists():
        return {}
    rows = (line.split(" ") for line in GOLDEN.read_text().splitlines())
    return {Key(*row[:5]): float(row[5]) for row in rows}


def record(figures: Figures) -> None:
    """Store these figures, with the machine; figures of other splits are kept."""
    splits = {key.split for key in figures}
    kept = {key: value for key, value in golden().items() if key.split not in splits}
    GOLDEN.write_text(text({**kept, **figures}))
    machine.keep("ranking", {"splits": nested(golden())})


def nested(figures: Figures) -> dict[str, dict[str, dict[str, dict[str, float]]]]:
    """NDCG and recall by split, set with level, system and metric; forms of query left out."""
    found: dict[str, dict[str, dict[str, dict[str, float]]]] = {}
    for key, value in sorted(figures.items()):
        if not key.of_form and key.metric != "mrr":
            of_set = found.setdefault(key.split, {}).setdefault(f"{key.judged} {key.level}", {})
            of_set.setdefault(key.system, {})[key.metric] = round(value, 4)
    return found


def compared(figures: Figures, before: Figures, *, forms: bool) -> Iterator[str]:
    """Lines of figures with their differences from the stored ones; `forms` adds each form."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for key, value in sorted(figures.items()):
        if key.metric in _SHOWN and (forms or not key.of_form):
            was = before.get(key)
            change = "    new" if was is None else f"{round(value, 4) - was + 0.0:+.4f}"
            rows.setdefault(key[:4], []).append(f"{key.metric} {value:.4f} {change}")
    for (split, judged, level, system), shown in rows.items():
        yield f"{f'{split} {judged} {level}':40} {system:8} {'  '.join(shown)}"
