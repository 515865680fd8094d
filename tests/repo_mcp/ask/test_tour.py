"""A tour of a repository: its parts, commands and places, by its files alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from repo_mcp.answers.tour import MOST_BRIEF, Tour, TourPart, TourPlace
from repo_mcp.ask import take_tour
from repo_mcp.ask.tour import AUTOMATION, ROUTES, SCHEMA, SETTINGS, FileRole, first_sentence
from repo_mcp.budget import Budget
from repo_mcp.services import services
from repo_mcp.settings import Options
from tests.repo_mcp.tree_files import write

_README = """<p align="center"><img src="logo.png"></p>

# Shop

[![build](https://ci.example.com/badge.svg)](https://ci.example.com)

Shop sells [books](https://books.example.com) to **readers** and ships them. It is old.

- one
"""
FILES = {
    "README.md": _README,
    "CODEOWNERS": "",
    ".github/CODEOWNERS": "# of all\n* @shop/all\n/web/ @shop/web @ada\n/empty/\n",
    ".github/workflows/test.yml": "on: push\n",
    "Makefile": "test:\n\tpytest\n",
    "api/pyproject.toml": '[project]\nname = "shop-api"\n[project.scripts]\nshop = "api:main"\n',
    "api/manage.py": "print(1)\n",
    "api/shop/settings.py": "A = 1\n",
    "api/shop/urls.py": "urls = []\n",
    "api/shop/models.py": "class Book: pass\n",
    "api/shop/migrations/0001_first.py": "x = 1\n",
    "api/shop/migrations/0002_second.py": "x = 1\n",
    "api/tests/test_books.py": "def test(): pass\n",
    "api/tests/config/settings.py": "A = 1\n",
    "tools/one/main.py": "print(1)\n",
    "tools/two/main.py": "print(1)\n",
    "tools/three/main.py": "print(1)\n",
    "web/package.json": '{"name": "@shop/front", "scripts": {"test": "vitest"}}',
    "web/pnpm-lock.yaml": "",
    "web/src/main.ts": "export const a = 1\n" * 30,
    "vendor/lib/package.json": '{"name": "lib", "scripts": {"test": "x"}}',
    "vendor/lib/config/settings.py": "A = 1\n",
}


def tour_of(root: Path, files: Mapping[str, str], **options: Any) -> Tour:  # noqa: ANN401 any setting
    write(root, {**files})
    parts = services(Options(str(root), str(root.parent / "data"), **options))
    try:
        return take_tour(parts.manager, parts.sandbox, Budget())
    finally:
        parts.manager.close()


@pytest.fixture(scope="module")
def tour(tmp_path_factory: pytest.TempPathFactory) -> Tour:
    return tour_of(tmp_path_factory.mktemp("tour") / "root", FILES)


def places(found: list[TourPlace]) -> dict[str, int]:
    return {place.path: place.files for place in found}


def test_it_begins_with_the_first_sentence_of_the_readme(tour: Tour) -> None:
    assert tour.about == "Shop sells books to readers and ships them."
    assert next(tour.as_text()) == tour.about


def test_languages_have_files_and_sizes(tour: Tour) -> None:
    shares = {share.language: (share.files, share.size) for share in tour.languages}
    assert shares["typescript"] == (1, len(FILES["web/src/main.ts"]))
    assert "markdown" not in shares
    assert shares["python"][0] == 11


def test_parts_are_folders_with_their_packages(tour: Tour) -> None:
    parts = {part.path: (part.files, part.language, part.project) for part in tour.parts}
    assert parts["api"] == (9, "python", "shop-api")
    assert parts["web"] == (3, "typescript", "@shop/front")


def test_a_folder_with_most_of_the_files_is_shown_by_what_is_in_it(tmp_path: Path) -> None:
    files = {f"src/{part}/{number}.py": "" for part in ("one", "two") for number in range(5)}
    tour = tour_of(tmp_path / "root", {**files, "docs/a.md": ""})
    assert [part.path for part in tour.parts] == ["src/one", "src/two", "docs"]


def test_commands_are_those_of_manifests_but_not_of_copies(tour: Tour) -> None:
    commands = {(item.purpose, item.command, item.manifest) for item in tour.commands}
    assert ("test", "make test", "Makefile") in commands
    assert ("test", "pnpm run test", "web/package.json") in commands
    assert not [item for item in tour.commands if item.manifest.startswith("vendor")]


def test_a_command_of_an_outer_folder_counts_for_inner_ones(tmp_path: Path) -> None:
    tour = tour_of(
        tmp_path / "root", {"pom.xml": "", "mvnw": "", "a/pom.xml": "", "b/c/pom.xml": ""}
    )
    assert [item.manifest for item in tour.commands] == ["pom.xml", "pom.xml"]


def test_entry_points_are_declared_or_named_so(tour: Tour) -> None:
    entries = {entry.name: entry.path for entry in tour.entries}
    assert entries["shop"] == "api/pyproject.toml"
    assert "api/manage.py" in entries
    assert "tools/*/main.py" in entries
    assert "web/src/main.ts" in entries


def test_tests_settings_routes_and_schema_have_their_places(tour: Tour) -> None:
    assert places(tour.tests) == {"api/tests": 2}
    assert places(tour.settings) == {"api/shop/settings.py": 1}
    assert places(tour.routes) == {"api/shop/urls.py": 1}
    assert places(tour.schema) == {"api/shop/migrations": 2, "api/shop/models.py": 1}
    assert places(tour.automation) == {".github/workflows/test.yml": 1}


def test_owners_are_those_of_the_file_that_counts_first(tour: Tour) -> None:
    assert tour.owners == ["* @shop/all", "/web/ @shop/web @ada"]


@pytest.mark.parametrize(
    ("role", "paths"),
    [
        (
            AUTOMATION,
            ".github/workflows/a.yml .gitlab-ci.yml Jenkinsfile x/Dockerfile compose.dev.yml",
        ),
        (SETTINGS, "config/any.rb appsettings.Development.json .env.example application-test.yml"),
        (
            ROUTES,
            "config/routes.rb a/BookController.java app/api/books/route.ts openapi.yaml x.proto",
        ),
        (SCHEMA, "db/migrate/1_a.rb db/schema.rb schema.prisma a/b.sql app/models/book.rb"),
    ],
    ids=["automation", "settings", "routes", "schema"],
)
def test_files_have_roles_by_conventions(role: FileRole, paths: str) -> None:
    assert [path for path in paths.split() if not role.has(path)] == []
    assert not any(map(role.has, ("src/book.py", "workflows/a.py", "model.py", "README.md")))


@pytest.mark.parametrize("most", [300, 500, 800])
def test_the_text_fits_and_counts_what_it_leaves_out(tour: Tour, most: int) -> None:
    full = Tour(**{**vars(tour), "parts": [TourPart(path=f"part{n}", files=n) for n in range(90)]})
    lines = [*full.as_text(most)]
    assert len("\n".join(lines)) <= most
    (parts,) = (line for line in lines if line.startswith("parts: "))
    shown = parts.count("part") - 1
    assert parts.endswith(f"… {90 - shown} more")


def test_short_lines_leave_their_room_to_long_ones(tour: Tour) -> None:
    assert "…" not in "\n".join(tour.as_text())
    assert "/web/ @shop/web @ada" in "\n".join(tour.as_text())


def test_in_brief_it_has_languages_parts_and_tests(tour: Tour) -> None:
    brief = tour.in_brief()
    languages, parts, tests = brief.split("\n")
    assert len(brief) <= MOST_BRIEF
    assert "python" in languages
    assert "api = shop-api" in parts
    assert "`make test`" in tests


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Title\n=====\n\nA thing that does it. More.", "A thing that does it."),
        ("```\nsome code that is here\n```\n\nIt is a v1.2 thing!\n", "It is a v1.2 thing!"),
        ("> a quote that is long enough\n\n| a | b | c | d |\n", ""),
        (
            ".. image:: a.png\n\nUse `ruff <https://a.example>`_ for every file",
            "Use ruff for every file",
        ),
    ],
)
def test_the_first_sentence_is_prose(text: str, sentence: str) -> None:
    assert first_sentence(text) == sentence


def test_what_is_denied_is_neither_counted_nor_read(tmp_path: Path) -> None:
    files = {".env": "A=1\n", "README.md": "Never shown to anyone at all.\n", "a.py": "x = 1\n"}
    tour = tour_of(tmp_path / "root", files, deny_globs=("README.md",))
    assert (tour.about, tour.files) == ("", 1)
