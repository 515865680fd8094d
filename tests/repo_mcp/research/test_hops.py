"""Each kind of question in small projects of four languages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from repo_mcp.question.kinds import Intent
from tests.repo_mcp.research.projects import ALL, Project, chains, names

LANGUAGES = sorted(ALL)
AUTHENTICATE = dict.fromkeys(LANGUAGES, "authenticate") | {"csharp": "Authenticate"}
LOGIN = dict.fromkeys(LANGUAGES, "login") | {"csharp": "Login"}
START = dict.fromkeys(LANGUAGES, "start") | {"csharp": "Start"}
Projects = Callable[[str], Project]
language = pytest.mark.parametrize("language", LANGUAGES)


@pytest.mark.requirement("SWI-code_research")
def test_implementations_are_those_of_extensions_too(project: Projects) -> None:
    report = project("swift").ask("all implementations of Authenticatable")
    assert names(report, "directly") == {"User", "Service"}
    details = {finding.node.name: finding.detail for finding in report.hops[0].findings}
    assert details == {"User": "", "Service": "extension"}
    places = {
        f"{item.path}:{item.line}"
        for finding in report.hops[0].findings
        for item in finding.evidence
    }
    assert places == {"Sources/Shop/Auth.swift:5", "Sources/Shop/Extensions.swift:1"}


@pytest.mark.parametrize("language", ["typescript", "python", "csharp"])
def test_implementations_are_followed_to_the_end(project: Projects, language: str) -> None:
    report = project(language).ask("what implements Authenticatable?", depth=1)
    assert names(report, "directly") == {"User"}
    assert "Admin" in names(report, "through these")


@language
@pytest.mark.requirement("SWI-code_research")
def test_callers_of_callers_are_chains(project: Projects, language: str) -> None:
    asked = f"what calls User.{AUTHENTICATE[language]}()"
    report = project(language).ask(asked)
    assert report.kind is Intent.CALLERS
    assert names(report, "callers") >= {LOGIN[language], START[language]}
    assert [START[language], LOGIN[language], AUTHENTICATE[language]] in chains(report)
    assert report.diagram is not None


@language
def test_callees_lead_on(project: Projects, language: str) -> None:
    report = project(language).ask(f"what does {START[language]} call", depth=3)
    found = names(report)
    assert LOGIN[language] in found
    assert AUTHENTICATE[language] in found


@language
def test_a_way_between_two_symbols(project: Projects, language: str) -> None:
    one, other = START[language], f"User.{AUTHENTICATE[language]}"
    report = project(language).ask(f"how does {one} reach {other}")
    assert chains(report)[0] == [START[language], LOGIN[language], AUTHENTICATE[language]]
    assert "no way leads back" in report.summary


def test_a_way_back_is_called_so(python: Project) -> None:
    report = python.ask("how does User.authenticate flow to start")
    assert "does not lead to" in report.summary
    assert chains(report)[0][:3] == ["start", "login", "authenticate"]


def test_between_ends_that_no_way_joins_are_the_calls_on_each_side(tmp_path: Path) -> None:
    files = {
        "app.py": "from jobs import run_job\n\nHOOKS = {'run': run_job}\n\n\n"
        "def begin_work(name):\n    return pick_hook(name)\n\n\n"
        "def pick_hook(name):\n    return HOOKS[name].fire_hook()\n",
        "jobs.py": "def run_job():\n    return save_row()\n\n\ndef save_row():\n    return 1\n",
    }
    report = Project(tmp_path, files).ask("how does begin_work reach save_row")
    assert report.summary == "no way of calls is known from app.begin_work to jobs.save_row"
    assert chains(report) == [["begin_work", "pick_hook"], ["run_job", "save_row"]]
    handed = [hop for hop in report.hops if hop.title == "where run_job is handed on"]
    places = [place for hop in handed for row in hop.findings for place in row.evidence]
    assert [(place.path, place.line) for place in places] == [("app.py", 3)]
    opened = [hop for hop in report.hops if "without a known target" in hop.title]
    assert [row.detail for hop in opened for row in hop.findings] == ["fire_hook in line 11"]


def test_an_end_that_calls_nothing_has_no_chain(tmp_path: Path) -> None:
    files = {
        "app.py": "def begin_work():\n    return 1\n",
        "jobs.py": "def run_job():\n    return save_row()\n\n\ndef save_row():\n    return 1\n",
    }
    report = Project(tmp_path, files).ask("how does begin_work reach save_row")
    assert report.summary == "no way of calls is known from app.begin_work to jobs.save_row"
    assert chains(report) == [["run_job", "save_row"]]


def test_words_of_a_sentence_mean_nothing_in_a_copied_library(tmp_path: Path) -> None:
    files = {
        "public/lib.min.js": "function Ui(a){return Ti(a)}\nfunction Ti(a){return a}\n",
        "src/app.js": "export function start(a) {\n  return a\n}\n",
    }
    shop = Project(tmp_path, files)
    assert not shop.ask("how does the UI button reach the server").subjects
    assert [subject.name for subject in shop.ask("what does Ui call").subjects] == ["Ui"]


def test_no_chain_is_told_twice(python: Project) -> None:
    found = chains(python.ask("how does login reach User.authenticate"))
    assert ["login", "authenticate"] in [chain[:2] for chain in found]
    assert len(found) == len({tuple(chain) for chain in found})


@language
def test_uses_and_impact(project: Projects, language: str) -> None:
    uses = project(language).ask("what depends on User")
    assert names(uses, "uses") >= {LOGIN[language], START[language]}
    impact = project(language).ask("what breaks if I change User", depth=3)
    assert names(impact, "affected") >= {LOGIN[language], START[language]}


def test_impact_tells_tests_apart(python: Project) -> None:
    report = python.ask("which tests cover login")
    assert "test_login" in names(report, "tests that reach it")
    assert "test_login" not in names(report, "affected")


@language
def test_a_definition_with_what_is_around_it(project: Projects, language: str) -> None:
    report = project(language).ask("what is User")
    assert names(report, "declarations") == {"User"}
    assert AUTHENTICATE[language] in names(report, "members")
    assert LOGIN[language] in names(report, "used by")


def test_a_name_in_other_words(python: Project) -> None:
    report = python.ask("who calls make user")
    assert report.subjects[0].chosen[0].name == "shop.app.login.make_user"
    assert "main" in names(report, "callers")


def test_symbols_of_one_name_are_all_followed_if_few(python: Project) -> None:
    report = python.ask("what calls authenticate()")
    (subject,) = report.subjects
    assert len(subject.chosen) == 2
    assert "login" in names(report, "callers")


def test_a_call_of_a_name_that_only_the_symbol_has_is_listed(python: Project) -> None:
    report = python.ask("what calls User.check")
    assert "unknown" in names(report, "callers")
    assert "possible" not in {gap.code for gap in report.gaps}


def test_of_calls_that_may_mean_several_symbols_this_is_said(tmp_path: Path) -> None:
    shop = "class Till:\n    def pay(self): ...\n\n\nclass Card:\n    def pay(self): ...\n"
    project = Project(tmp_path, {"shop.py": f"{shop}\n\ndef guess(thing):\n    thing.pay()\n"})
    report = project.ask("what calls Till.pay")
    gaps = {gap.code: gap for gap in report.gaps}
    assert gaps["possible"].count == 1
    assert "shop.py:10" in gaps["possible"].text
    assert "guess" not in names(report)


def test_a_name_that_is_nowhere(python: Project) -> None:
    report = python.ask("what calls Nobody.knows()")
    assert [gap.code for gap in report.gaps] == ["unknown"]


def test_progress_is_told_for_each_hop(python: Project) -> None:
    python.ask("what calls User.authenticate", depth=3)
    numbers = [done for done, _, _ in python.progress]
    assert numbers == [*range(1, len(numbers) + 1)]
    assert len(numbers) >= 3
    assert all(done <= total for done, total, _ in python.progress)


def test_every_edge_of_a_report_is_one_of_the_graph(python: Project) -> None:
    known = set()
    graph = python.graph()
    from code_graph.query.edges import EdgeFilter, edges_of_rows  # noqa: PLC0415 as read here

    for path in graph.snapshot.paths():
        for edge in edges_of_rows(graph, path, EdgeFilter()):
            known.add((edge.path, edge.line, edge.type.name.lower()))
    for question in ("what depends on User", "what calls login", "what does main call", "User"):
        report = python.ask(question, depth=5)
        for hop in report.hops:
            for finding in hop.findings:
                for item in finding.evidence:
                    if item.confidence in {"exact", "inferred"}:
                        assert (item.path, item.line, item.edge_type) in known
