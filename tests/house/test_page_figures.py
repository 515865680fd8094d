"""Measured figures in documents: each is made from results, or its section names its source."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.cluster.__main__ import main as run_cluster_bench
from docs.figures import FIGURES, MARK, RESULTS, fill
from docs.written_pages import written_pages

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
# a number with a unit that something was measured in
UNITS = r"(?:ms|µs|s|[kKMGT]i?B|tokens|times (?:faster|slower)|% of)"
MEASURED = re.compile(rf"(?<![\w.-])\.?\d[\d,.]* ?{UNITS}(?![\w-])")
SECTION = re.compile(r"^(?=#)", re.MULTILINE)
# what a section says of the figures in it
SOURCE = re.compile(r"bench/results/[\w.-]+\.json\)|`python -m [\w. ]+`|\(decisions/\d{4}-")
RESULT = re.compile(r"bench/results/([\w.-]+\.json)")
# pages that have measured figures between marks alone
GENERATED_FIGURES = {
    "README.md",
    *(f"{name}.md" for name in ("index", "quickstart", "troubleshooting", "comparison")),
    *(f"{name}.md" for name in ("disk-and-memory", "python", "upgrading", "faq", "index_format")),
}
# pages that say in one place how all of their figures were taken
METHODS = {
    "clients.md": "## How to repeat this",
    "dependencies.md": "How the numbers were taken:",
}
# what nobody has measured: bounds and sizes that the code sets, and what a simulation assumes
SETTINGS = {
    "cluster.md": {"4 MiB", "16 MB"},
    "documents.md": {"64 MB"},
    "format.md": {"16 KiB", "8 MiB", "256 MiB"},
    "index_format.md": {"512 MiB", "16 KiB", "1.1 GB"},
    "ripgrep.md": {"64 kB"},
    "scale.md": {"8 MiB", "30 ms", "80 ms", "60 MB", "1 GB"},
    "threats.md": {"64 kB"},
}
PAGES = [
    page
    for page in [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
    if "Written by `make docs`" not in page.read_text(encoding="utf-8")
]


def figures_of(text: str) -> list[str]:
    return [found.strip() for found in MEASURED.findall(FENCED.sub("", MARK.sub("", text)))]


def unsourced(page: Path) -> list[str]:
    known = SETTINGS.get(page.name, set())
    return [
        figure
        for section in SECTION.split(page.read_text(encoding="utf-8"))
        if page.name in GENERATED_FIGURES or not SOURCE.search(section)
        for figure in figures_of(section)
        if figure not in known
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_measured_figure_has_a_source(page: Path) -> None:
    if page.name in METHODS:
        assert METHODS[page.name] in page.read_text(encoding="utf-8")
    else:
        assert unsourced(page) == []


def test_every_file_of_results_that_a_document_names_is_there() -> None:
    named = {
        name
        for page in [ROOT / "README.md", *DOCS.glob("*.md"), *(ROOT / "bench").rglob("*.md")]
        for name in RESULT.findall(page.read_text(encoding="utf-8"))
    }
    assert named
    assert [name for name in sorted(named) if not (RESULTS / name).exists()] == []


def test_every_written_figure_is_used_and_every_used_one_is_written() -> None:
    pages = written_pages(ROOT)
    used = {name for page in pages for name, _ in MARK.findall(page.read_text(encoding="utf-8"))}
    assert used == set(FIGURES)
    assert fill("a <!--figure tasks_calls-->old<!--/figure--> b") != "a old b"
    with pytest.raises(KeyError):
        fill("<!--figure no_such-->1<!--/figure-->")


@pytest.mark.servers
def test_the_table_of_large_trees_is_what_the_simulation_prints(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run_cluster_bench(["simulate", "--files", "1000000"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| 1,000,000")]
    page = (DOCS / "scale.md").read_text(encoding="utf-8")
    assert len(rows) == 3
    assert [row for row in rows if row not in page] == []


def test_a_figure_without_a_source_is_noticed() -> None:
    assert figures_of("it takes 5.2 ms, .45 s and 30 MiB, or 526 tokens") == [
        *("5.2 ms", ".45 s", "30 MiB", "526 tokens")
    ]
    assert figures_of("Python 3.11, 30 lines, 2 cores, S3 and 4-byte words") == []
