"""Measured figures of published indexes, engines and the index format, as pages show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

Result = Mapping[str, Any]
_STEPS: Final = (
    ("publish", "", "bytes"),
    ("publish again", "publish again what is there", "bytes"),
    (
        "first answer, 100 files changed",
        "first answer of a new checkout with 100 changed files",
        "link_bytes",
    ),
    ("publish 100 changed files", "publish after 100 files have changed", "bytes"),
    (
        "pull 100 changed files",
        "pull that, where the same files were indexed already",
        "link_bytes",
    ),
)
_QUESTIONS: Final = (
    ("cold", "with no block kept"),
    ("warm", "the same again"),
    ("in turn, second half", "the second half, one after another"),
)


def table(head: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [f"| {' | '.join(cells)} |" for cells in (head, *rows)]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]])


def _size(count: float) -> str:
    if count >= 100_000:
        return f"{count / 1e6:.1f} MB"
    return f"{count / 1e3:.0f} kB" if count else "0"


def _time(milliseconds: float) -> str:
    if milliseconds >= 1000:
        return f"{milliseconds / 1000:.2f} s"
    return f"{milliseconds:.0f} ms"


def publishing(found: Result, first: str) -> str:
    """Cost of publishing and pulling, step by step; `first` says what the first step did."""
    rows = (
        (
            label or first,
            _size(row[size]),
            str(row.get("requests", "")),
            f"{row['cpu_seconds']:.1f} s",
            f"{row['seconds']:.1f} s",
        )
        for name, label, size in _STEPS
        for row in [found[name]]
    )
    return table(("step", "bytes", "requests", "processor time", "in all"), rows)


def in_place(found: Result) -> str:
    """Cost of queries where an index is read in place, beside a copied one."""
    far, near = found["with delay"], found["without delay"]
    copied = found["of a copy"]
    rows = [
        ("of a copied index", "0", "0", _time(copied["p50_ms"]), _time(copied["p95_ms"]), "", ""),
        *(
            (
                label,
                f"{near[name]['requests_median']:.0f} ({near[name]['requests_most']} at most)",
                _size(1000 * near[name]["kilobytes_median"]),
                *(_time(row[name][key]) for row in (near, far) for key in ("p50_ms", "p95_ms")),
            )
            for name, label in _QUESTIONS
        ),
    ]
    delay = f"{found['delay_ms']:.0f} ms a request"
    head = (
        *("question", "requests (median)", "bytes (median)", "p50", "p95"),
        *(f"p50, {delay}", f"p95, {delay}"),
    )
    return table(head, iter(rows))


def adopting(found: Result) -> str:
    """Requests and bytes before the first question to an index that is read in place."""
    first = found["without delay"]["adopt and compare"]
    return f"{first['requests']} requests and {_size(first['size'])}"


def first_answer(found: Result) -> str:
    """When a server in a new checkout answers, while it copies the index."""
    rows = (
        (
            label,
            f"{row['seconds']:.1f} s",
            str(row["requests"]),
            _size(row["link_bytes"]),
            f"{row['cpu_seconds']:.1f} s",
        )
        for label, row in (
            ("first call answered, from files and with a warning", found["first call answered"]),
            ("first answer from the whole index", found["first whole answer"]),
            ("all copied", found["all copied"]),
        )
    )
    head = ("after the start of the server", "seconds", "requests", "bytes", "processor time")
    meanwhile = found["questions while copying"]
    return (
        f"{table(head, rows)}\n\n"
        f"While it copied, {meanwhile['questions']:,} questions one after another took "
        f"{_time(meanwhile['p50_ms'])} in the median, {_time(meanwhile['p95_ms'])} at p95."
    )


def kills(rows: Sequence[Result]) -> str:
    """Builds of which workers were killed, and how many were those of one machine."""
    lines = (
        (str(row["workers"]), str(row["killed"]), f"{row['equal']} of {row['builds']}")
        for row in rows
    )
    return table(("workers", "killed", "builds equal to that of one machine"), lines)


def spread(found: Result) -> str:
    """Cost of answers by workers, beside those of one machine."""
    rows = (
        (label, _time(row["p50_ms"]), _time(row["p95_ms"]), f"{row['p50_cpu_ms']:.0f} ms")
        for name, label in (
            ("here", "one machine"),
            ("spread", f"{found['workers']} workers on the same two processors"),
        )
        for row in [found[name]]
    )
    return table(("answered by", "p50", "p95", "processor time of the asker, p50"), rows)


def format_costs(small: Result, large: Result) -> str:
    """Cost of the index format by itself, beside tantivy."""
    words = "two_words_top_10_ms"
    first = "open_and_first_lookup_ms"
    found = [large[first]["p50"], small[first]["p50"], *_medians(large[words])]
    rows = zip(
        (
            f"open and a first lookup in a fresh process, {large['chunks']:,} chunks",
            f"the same, {small['chunks']:,} chunks",
            "the ten best chunks for two words as they occur in the text",
            "the same, tantivy",
        ),
        (f"{value:.1f} ms" for value in found),
        strict=True,
    )
    return table(("what", "median"), rows)


def _medians(row: Result) -> tuple[float, float]:
    return row["ours"]["p50"], row["tantivy"]["p50"]
