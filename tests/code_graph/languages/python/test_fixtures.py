"""Fixtures of pytest: tests reach them by parameters, marks and settings, and have their values."""

from __future__ import annotations

import pytest

from code_graph import SourceTree
from code_graph.link.linker import GraphLinker
from code_graph.model import EdgeType
from tests.code_graph.link.relinking import relink
from tests.code_graph.sources import link

RUN = "    def run(self):\n        pass\n"
APP = f"class App:\n{RUN}\n\nclass Other:\n{RUN}"
HEAD = "import pytest\nfrom app import App, Other\n\n\n"
FIXTURE = HEAD + "@pytest.fixture\ndef app():\n    return App()\n"
MADE = "@pytest.fixture\ndef made():\n    return App()\n"
USE = "def test_it(app):\n    app.run()\n"


def called(files: dict[str, str]) -> set[tuple[str, str]]:
    """The callers and callees of a tree, by their names."""
    tree = SourceTree({"app.py": APP, **files})
    linked = link(tree)
    names = {
        symbol.id: symbol.qualified_name for file in linked.values() for symbol in file.symbols
    }
    found = set()
    for file in linked.values():
        own = {symbol.declaration: symbol.qualified_name for symbol in file.symbols}
        for edge in file.edges:
            if edge.type == EdgeType.CALLS and edge.target in names:
                found.add((own[edge.source], names[edge.target]))
    return found


def test_a_parameter_calls_the_fixture_and_has_its_value() -> None:
    found = called({"tests/test_a.py": FIXTURE + "\n\n" + USE})
    assert ("tests.test_a.test_it", "tests.test_a.app") in found
    assert ("tests.test_a.test_it", "app.App.run") in found


def test_fixtures_are_found_in_files_of_the_folders_around() -> None:
    found = called({"tests/conftest.py": FIXTURE, "tests/unit/deep/test_a.py": USE})
    assert ("tests.unit.deep.test_a.test_it", "tests.conftest.app") in found
    assert ("tests.unit.deep.test_a.test_it", "app.App.run") in found


def test_the_nearest_fixture_counts() -> None:
    other = FIXTURE.replace("return App()", "return Other()")
    found = called({"conftest.py": FIXTURE, "tests/conftest.py": other, "tests/test_a.py": USE})
    assert ("tests.test_a.test_it", "app.Other.run") in found
    assert ("tests.test_a.test_it", "app.App.run") not in found
    in_module = called({"tests/conftest.py": other, "tests/test_a.py": f"{FIXTURE}\n\n{USE}"})
    assert ("tests.test_a.test_it", "app.App.run") in in_module


def test_a_fixture_that_asks_for_its_own_name_gets_the_next_one() -> None:
    wrapping = "import pytest\n\n\n@pytest.fixture\ndef app(app):\n    app.run()\n    return app\n"
    found = called({"conftest.py": FIXTURE, "tests/test_a.py": f"{wrapping}\n\n{USE}"})
    assert ("tests.test_a.app", "conftest.app") in found
    assert ("tests.test_a.app", "app.App.run") in found
    assert ("tests.test_a.test_it", "tests.test_a.app") in found
    assert ("tests.test_a.test_it", "app.App.run") in found


@pytest.mark.parametrize(
    "fixture",
    [
        "@pytest.fixture()\ndef app():\n    yield App()\n",
        "@pytest.fixture\ndef app() -> Iterator[App]:\n    yield App()\n",
        '@pytest.fixture(scope="module")\nasync def app():\n    yield App()\n',
        "@pytest.fixture\nasync def app():\n    return App()\n",
        '@pytest.fixture(name="app")\ndef make_app():\n    return App()\n',
        "@pytest_asyncio.fixture\nasync def app():\n    return App()\n",
        "@fixture\ndef app():\n    return App()\n",
        f"@pytest.fixture\ndef app(made):\n    return made\n\n\n{MADE}",
    ],
)
def test_forms_of_fixtures_give_the_same_value(fixture: str) -> None:
    head = (
        "import pytest, pytest_asyncio\nfrom pytest import fixture\nfrom typing import Iterator\n"
    )
    text = f"{head}from app import App\n\n\n{fixture}\n\n{USE}"
    assert ("tests.test_a.test_it", "app.App.run") in called({"tests/test_a.py": text})


def test_fixtures_of_classes_and_imported_ones_are_found() -> None:
    text = HEAD + (
        "class TestApp:\n    @pytest.fixture\n    def app(self):\n        return App()\n\n"
        "    def test_it(self, app):\n        app.run()\n"
    )
    assert ("tests.test_a.TestApp.test_it", "app.App.run") in called({"tests/test_a.py": text})
    found = called(
        {
            "tests/fixtures.py": FIXTURE,
            "tests/conftest.py": "from tests.fixtures import app\n",
            "tests/test_a.py": USE,
        }
    )
    assert ("tests.test_a.test_it", "tests.fixtures.app") in found
    assert ("tests.test_a.test_it", "app.App.run") in found


def test_marks_and_settings_call_fixtures() -> None:
    marked = '@pytest.mark.usefixtures("app")\ndef test_it():\n    pass\n'
    found = called(
        {"tests/conftest.py": FIXTURE, "tests/test_a.py": f"import pytest\n\n\n{marked}"}
    )
    assert ("tests.test_a.test_it", "tests.conftest.app") in found
    of_class = marked.replace(
        "def test_it():\n    pass", "class TestIt:\n    def test_it(self):\n        pass"
    )
    found = called(
        {"tests/conftest.py": FIXTURE, "tests/test_a.py": f"import pytest\n\n\n{of_class}"}
    )
    assert ("tests.test_a.TestIt", "tests.conftest.app") in found
    automatic = FIXTURE.replace("@pytest.fixture", "@pytest.fixture(autouse=True)")
    found = called(
        {"tests/conftest.py": automatic, "tests/test_a.py": "def test_it():\n    pass\n"}
    )
    assert ("tests.test_a", "tests.conftest.app") in found


def test_other_parameters_are_no_fixtures() -> None:
    no_test = "def helper(app):\n    app.run()\n"
    found = called({"tests/conftest.py": FIXTURE, "tests/test_a.py": no_test})
    assert not any(source == "tests.test_a.helper" for source, _ in found)
    with_default = "def test_it(app=None):\n    app.run()\n"
    found = called({"tests/conftest.py": FIXTURE, "tests/test_a.py": with_default})
    assert not any(source == "tests.test_a.test_it" for source, _ in found)
    beside = called({"other/conftest.py": FIXTURE, "tests/test_a.py": USE})
    assert not any(source == "tests.test_a.test_it" for source, _ in beside)
    plain = FIXTURE.replace("@pytest.fixture\n", "")
    found = called({"tests/conftest.py": plain, "tests/test_a.py": USE})
    assert not any(source == "tests.test_a.test_it" for source, _ in found)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tests/conftest.py", FIXTURE.replace("return App()", "return Other()")),
        ("tests/conftest.py", FIXTURE.replace("def app", "def other")),
        ("tests/conftest.py", "import pytest\n"),
        ("tests/unit/conftest.py", FIXTURE.replace("return App()", "return Other()")),
        ("tests/conftest.py", FIXTURE.replace("@pytest.fixture", "@pytest.fixture(autouse=True)")),
    ],
)
def test_a_changed_fixture_has_its_tests_linked_again(path: str, text: str) -> None:
    files = {
        "app.py": APP,
        "tests/conftest.py": FIXTURE,
        "tests/unit/conftest.py": "import pytest\n",
        "tests/unit/test_a.py": USE,
        "tests/test_b.py": "def test_b():\n    pass\n",
    }
    before = link(SourceTree(files))
    tree = SourceTree({**files, path: text})
    linked, _ = relink(before, tree, path)
    for name, file in {name: GraphLinker(tree).link(name) for name in tree.paths()}.items():
        assert linked[name].edges == file.edges, name


def test_a_function_that_a_fixture_gives_is_called_whatever_type_is_declared() -> None:
    making = (
        "import pytest\nfrom typing import Callable\n\n\n@pytest.fixture\n"
        "def make() -> Callable[[], None]:\n    def inner():\n        pass\n    return inner\n\n\n"
        "def test_it(make: Callable[[], None]):\n    make()\n"
    )
    found = called({"tests/test_a.py": making})
    assert ("tests.test_a.test_it", "tests.test_a.make.inner") in found


@pytest.mark.parametrize(
    "given",
    [
        '"name, count", [("run", 1), ("stop", 2)]',
        '("name", "count"), (pytest.param("run", 1), pytest.param("stop", 2, id="s"))',
        '"name", ["run", "stop"]',
        '"name", NAMES',
    ],
)
def test_a_member_by_a_name_that_a_mark_gives_is_one_of_those(given: str) -> None:
    text = (
        "import pytest\n\n\nclass Car:\n    def run(self):\n        pass\n\n    def stop(self):\n"
        "        pass\n\n    def turn(self):\n        pass\n\n\nNAMES = ['run', 'stop']\n\n\n"
        f"@pytest.mark.parametrize({given})\ndef test_it(name):\n    getattr(Car(), name)()\n"
    )
    found = {target for source, target in called({"tests/test_a.py": text}) if "test_it" in source}
    assert found >= {"tests.test_a.Car.run", "tests.test_a.Car.stop"}
    assert "tests.test_a.Car.turn" not in found


def test_what_a_mark_gives_to_a_parameter_is_its_value() -> None:
    text = HEAD + (
        "@pytest.mark.parametrize('one', [App(), Other()])\ndef test_it(one):\n    one.run()\n"
    )
    found = called({"tests/test_a.py": text})
    assert {("tests.test_a.test_it", f"app.{name}.run") for name in ("App", "Other")} <= found
