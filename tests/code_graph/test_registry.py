"""Choosing the adapter of a file, with languages of other packages."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from code_graph import plugins
from code_graph.adapter import Adapter
from code_graph.facts import FAILED, Facts
from code_graph.language import Language, LanguageChoice
from code_graph.language_table import DOCUMENTATION, LANGUAGES
from code_graph.registry import Languages, known_names
from tests.code_graph.plugin_packages import BROKEN, EXAMPLE, HEALTHY, described, example
from tests.waiting import HANG

EXTENSIONS = [(item, extension) for item in LANGUAGES for extension in item.extensions.split()]


@pytest.fixture(name="modules")
def _modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder from which plug-ins are imported."""
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "healthy_plugin.py").write_text(HEALTHY)
    (folder / "broken_plugin.py").write_text(BROKEN)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.syspath_prepend(EXAMPLE)
    for name in ("healthy_plugin", "broken_plugin", "ini_language"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return folder


@pytest.mark.requirement("INT-10.1-adapters")
@pytest.mark.parametrize("item", LANGUAGES, ids=lambda item: item.name)
def test_every_language_of_the_table_has_its_adapter(item: Language) -> None:
    found = importlib.import_module(item.adapter).adapter(item.name)
    assert isinstance(found, Adapter)
    assert found.name == item.name
    assert item.version == importlib.import_module(item.adapter).VERSION


@pytest.mark.parametrize(("item", "extension"), EXTENSIONS, ids=[one for _, one in EXTENSIONS])
def test_a_file_gets_the_adapter_that_supports_its_extension(
    item: Language, extension: str
) -> None:
    path = f"src/some.name{extension}"
    found = Languages(folders=[]).adapter_for(path)
    assert found is not None
    assert found.name == item.name
    assert found.supports_path(path)
    assert Languages(folders=[]).language_of(path.upper()) == item.name


@pytest.mark.parametrize("path", ["README", "a.unknown", "py", ".py/README", "a.py/", "", "a."])
def test_other_files_have_no_adapter(path: str) -> None:
    assert Languages(folders=[]).adapter_for(path) is None
    assert Languages(folders=[]).language_of(path) == ""


def test_no_extension_has_two_languages() -> None:
    assert len({extension for _, extension in EXTENSIONS}) == len(EXTENSIONS)


def test_an_adapter_is_made_once() -> None:
    found = Languages(folders=[])
    assert found.adapter_for("a.py") is found.adapter_for("b/c.pyi")


@pytest.mark.servers
def test_nothing_is_imported_before_it_is_needed() -> None:
    program = """
import sys
from code_graph import Languages
languages = Languages()
found = languages.signature()
loaded = [name for name in sys.modules if name.startswith("code_graph.")]
assert "code_graph.languages.python.adapter" not in loaded, loaded
assert "code_graph.treesitter.adapter" not in loaded, loaded
assert languages.adapter_for("a.py").facts("a.py", "def f(): pass").declarations
assert not [name for name in sys.modules if "tree_sitter" in name]
assert languages.signature() == found
print(found)
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
        cwd=Path(__file__).parents[2],
        env={"PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONHASHSEED": "7"},
    )
    assert done.stderr == ""
    assert done.stdout.strip() == Languages().signature()


def test_the_signature_has_languages_grammars_and_the_version_of_python(tmp_path: Path) -> None:
    (tmp_path / "tree_sitter_go-9.9.dist-info").mkdir()
    (tmp_path / "unrelated-1.0.dist-info").mkdir()
    parts = Languages(folders=[str(tmp_path)]).signature().split()
    assert parts == [
        *(
            f"{item.name}:{item.version}"
            for item in LANGUAGES
            if item.extensions or item.file_names
        ),
        f"ast:{sys.version_info[0]}.{sys.version_info[1]}",
        "tree_sitter_go-9.9",
    ]


def test_a_language_without_extensions_has_files_where_one_is_assigned() -> None:
    assigned = Languages(LanguageChoice(extensions=((".xml", DOCUMENTATION),)), folders=[])
    plain = Languages(folders=[])
    assert f"{DOCUMENTATION}:" in assigned.signature()
    assert f"{DOCUMENTATION}:" not in plain.signature()
    assert DOCUMENTATION in assigned.names()
    assert DOCUMENTATION not in plain.names()
    assert assigned.has_code("a.xml")
    assert not plain.has_code("a.xml")


@pytest.mark.requirement("INT-10.1-adapters")
def test_a_package_adds_a_language_without_a_change_here(tmp_path: Path, modules: Path) -> None:
    assert modules.is_dir()
    found = Languages(folders=[str(example(tmp_path / "packages"))])
    language = found.adapter_for("setup.cfg")
    assert language is not None
    outline = language.outline("setup.cfg", "top = 1\n[tool]\nkey = a\n# no = key\n other: b\n")
    assert [(item.kind, item.name, item.start_line, item.parent) for item in outline] == [
        ("field", "top", 1, -1),
        ("class", "tool", 2, -1),
        ("field", "key", 3, 1),
    ]
    assert found.names()[0] == "ini"
    assert found.signature().endswith(" ini=ini_language:IniLanguage:repo-mcp-ini-1.0.0")
    assert found.notes() == ()


@pytest.mark.usefixtures("modules")
def test_a_package_takes_precedence_over_built_in_languages(tmp_path: Path) -> None:
    folder = described(tmp_path, "healthy", "1", {"x": "healthy_plugin:ready"})
    found = Languages(folders=[str(folder)])
    assert found.language_of("a.py") == "ready"
    adapter = found.adapter_for("a.py")
    assert adapter is not None
    assert [item.name for item in adapter.facts("a.py", "text").declarations] == ["text"]
    assert [item.name for item in adapter.outline("a.py", "text")] == ["text"]
    assert adapter.smart_chunks("a.py", "") == [1]
    assert adapter.symbol_hints("a b") == ["a", "b"]
    assert found.language_of("a.pyi") == "python"


@pytest.mark.usefixtures("modules")
def test_of_several_packages_the_first_by_name_wins_in_any_folder(tmp_path: Path) -> None:
    one = described(tmp_path / "one", "zeta", "1", {"b": "healthy_plugin:other"})
    two = described(tmp_path / "two", "alpha", "1", {"a": "healthy_plugin:made"})
    for folders in ([one, two], [two, one]):
        found = Languages(folders=[str(folder) for folder in folders])
        assert found.language_of("x.made") == "made"
        assert found.names()[:2] == ("made", "other")
    # of two versions of one package the one counts that is imported
    old = described(tmp_path / "old", "alpha", "0", {"a": "healthy_plugin:other"})
    assert Languages(folders=[str(two), str(old)]).names()[0] == "made"
    assert "alpha-1" in Languages(folders=[str(two), str(old)]).signature()


@pytest.mark.usefixtures("modules")
@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ("no_such_module", "ModuleNotFoundError"),
        ("broken_plugin:missing", "AttributeError"),
        ("broken_plugin:raises", "OSError"),
        ("broken_plugin:number", "TypeError"),
        ("broken_plugin:gives_nothing", "it returns no adapter"),
        ("broken_plugin:Nameless", "it returns no adapter"),
    ],
)
def test_a_broken_package_is_noted_and_left_out(tmp_path: Path, entry: str, reason: str) -> None:
    found = Languages(folders=[str(described(tmp_path, "bad", "2", {"bad": entry}))])
    assert found.language_of("a.py") == "python"
    assert found.notes() == (f"language bad (bad 2) is left out: {reason}",)


@pytest.mark.usefixtures("modules")
def test_a_failing_adapter_gives_empty_results_and_notes(tmp_path: Path) -> None:
    found = Languages(
        folders=[str(described(tmp_path, "bad", "2", {"bad": "broken_plugin:Broken"}))]
    )
    assert found.language_of("a.py") == "python"
    adapter = found.adapter_for("a.bad")
    assert adapter is not None
    assert adapter.facts("a.bad", "x") == Facts("broken", FAILED)
    assert adapter.outline("a.bad", "x") == ()
    assert adapter.smart_chunks("a.bad", "x") == ()
    assert adapter.symbol_hints("x") == ()
    assert adapter.facts("a.bad", "y") == Facts("broken", FAILED)
    assert found.notes() == (
        "language bad (bad 2) fails in supports_path: ValueError",
        "language bad (bad 2) fails in facts: AttributeError",
        "language bad (bad 2) fails in outline: ValueError",
        "language bad (bad 2) fails in smart_chunks: KeyError",
        "language bad (bad 2) fails in symbol_hints: TypeError",
    )


def test_damaged_metadata_is_noted(tmp_path: Path) -> None:
    info = described(tmp_path, "bad", "2", {"bad": "x"}) / "bad-2.dist-info"
    (info / "entry_points.txt").write_bytes(b"[repo_mcp.languages]\nbad = \xff\xfe\n")
    found = Languages(folders=[str(tmp_path), str(tmp_path / "missing")])
    assert found.notes() == ("languages of bad-2.dist-info are left out: UnicodeDecodeError",)


@pytest.mark.usefixtures("modules")
def test_the_current_folder_and_the_import_path_add_no_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    described(tmp_path, "healthy", "1", {"x": "healthy_plugin:ready"})
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend("")
    monkeypatch.syspath_prepend(Path(plugins.package_folders()[0]).name)
    assert Languages(folders=[str(tmp_path)]).language_of("a.py") == "ready"
    assert Languages().language_of("a.py") == "python"
    assert all(Path(folder).is_absolute() for folder in plugins.package_folders())


def test_packages_of_an_environment_below_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = tmp_path / Path(plugins.package_folders()[0]).name
    described(base, "below", "1", {"x": "healthy_plugin:ready"})
    before = plugins.package_folders()
    monkeypatch.setattr(sys, "path", [*sys.path, str(base)])
    assert plugins.package_folders() == [*before, str(base)]
    assert "below-1" in Languages().signature()


def test_packages_are_searched_in_site_packages() -> None:
    assert pytest.__file__ is not None
    assert str(Path(pytest.__file__).parents[1]) in plugins.package_folders()
    names = plugins.installed_names(plugins.package_folders(), "pytest-")
    assert [name for name in names if name == f"pytest-{pytest.__version__}.dist-info"]


def test_a_choice_affects_only_its_own_languages_value() -> None:
    plain = Languages()
    without = Languages(LanguageChoice(disabled=("python",)))
    assigned = Languages(LanguageChoice(extensions=((".inc", "c"),)))
    assert [found.language_of("a.py") for found in (plain, without, assigned)] == [
        *("python", "", "python")
    ]
    assert [found.language_of("a.inc") for found in (plain, without, assigned)] == ["", "", "c"]
    assert set(plain.names()) - set(without.names()) == {"python"}
    assert plain.all_names() == without.all_names() == assigned.all_names()
    assert len({found.signature() for found in (plain, without, assigned)}) == 3


def test_names_of_built_in_languages_are_known_without_any_plug_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    built_in = [item.name for item in LANGUAGES]
    monkeypatch.setattr(plugins, "find_plugins", lambda *_: pytest.fail("packages were looked for"))
    assert list(known_names(["c", "python"])) == built_in
    monkeypatch.undo()
    assert list(known_names(["cobol"])) == list(Languages().all_names())
