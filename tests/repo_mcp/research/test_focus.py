"""Each focus, on a folder and on something that is named."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.repo_mcp.research.projects import ALL, Project, chains, names

Projects = Callable[[str], Project]
language = pytest.mark.parametrize("language", sorted(ALL))


@language
@pytest.mark.requirement("SWI-code_research")
def test_architecture(project: Projects, language: str) -> None:
    report = project(language).ask("", focus="architecture")
    titles = [hop.title for hop in report.hops]
    assert titles[0] in {"projects by their files", "folders by their files", "files"}
    assert any(title.startswith("layers") for title in titles)
    assert "User" in names(report, "hubs")


def test_layers_follow_the_direction_of_uses(python: Project) -> None:
    report = python.ask("architecture")
    layers = {
        finding.node.name: finding.detail
        for hop in report.hops
        if hop.title.startswith("layers")
        for finding in hop.findings
    }
    assert layers == {"shop/app": "layer 1", "shop/auth": "layer 2"}
    assert "main" in names(report, "entry points")


def test_dependencies_inside_and_outside(project: Projects) -> None:
    report = project("python").ask("dependencies", depth=3)
    assert names(report, "packages from elsewhere") == {"abc", "json"}
    report = project("typescript").ask("", focus="dependencies")
    assert names(report, "packages from elsewhere") == {"fs"}
    (uses,) = [hop for hop in report.hops if hop.title.startswith("uses between")]
    assert [(item.other.name, item.node.name) for item in uses.findings if item.other] == [
        ("src/app", "src/auth")
    ]


@language
def test_dependencies_of_something(project: Projects, language: str) -> None:
    report = project(language).ask("User", focus="dependencies")
    assert "Authenticatable" in names(report, "uses in the repository")
    assert "User" not in names(report)


def test_patterns(python: Project) -> None:
    report = python.ask("", focus="patterns")
    assert "abc.abstractmethod" in {
        finding.node.name for hop in report.hops for finding in hop.findings
    }
    assert "LoginError" in names(report, "error handling")


def test_flow_of_a_folder_begins_at_its_entry_points(python: Project) -> None:
    report = python.ask("", focus="flow", depth=4)
    assert "main" in names(report, "entry points")
    assert ["main", "start", "login", "authenticate", "check"] in chains(report) or any(
        chain[:4] == ["main", "start", "login", "authenticate"] for chain in chains(report)
    )


@language
def test_flow_of_a_type_is_who_takes_and_returns_it(project: Projects, language: str) -> None:
    report = project(language).ask("User", focus="flow")
    assert {name.lower() for name in names(report, "with a parameter")} == {"login", "start"}
    made = {name.lower().replace("_", "") for name in names(report, "return it")}
    assert made == {"makeuser"}


def test_a_folder_is_looked_at_by_its_path(python: Project) -> None:
    report = python.ask("architecture of shop/auth")
    assert "shop/auth" in report.summary
    paths = {finding.node.path for hop in report.hops[2:] for finding in hop.findings}
    assert all(path.startswith("shop/auth") for path in paths)
