"""The build compiles an extension of each package, for all versions of Python or for one."""

from __future__ import annotations

import importlib.util
import shutil
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


class BuildHook:
    """Stands for the class of hatchling, which is there only while a wheel is built."""


@pytest.fixture
def build(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    for name in ("", ".builders", ".builders.hooks", ".builders.hooks.plugin"):
        monkeypatch.setitem(sys.modules, f"hatchling{name}", ModuleType(f"hatchling{name}"))
    interface = ModuleType("hatchling.builders.hooks.plugin.interface")
    monkeypatch.setattr(interface, "BuildHookInterface", BuildHook, raising=False)
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def set_free_threaded(monkeypatch: pytest.MonkeyPatch, *, value: bool) -> None:
    known = sysconfig.get_config_var

    def answer(name: str) -> object:
        return int(value) if name == "Py_GIL_DISABLED" else known(name)

    monkeypatch.setattr(sysconfig, "get_config_var", answer)


@pytest.mark.servers
@pytest.mark.parametrize("free_threaded", [False, True])
def test_the_library_is_for_all_versions_unless_python_has_no_global_lock(
    free_threaded: bool,  # noqa: FBT001 as pytest gives it
    build: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("setuptools")
    if shutil.which("gcc") is None:
        pytest.skip("no compiler here")
    set_free_threaded(monkeypatch, value=free_threaded)
    monkeypatch.chdir(ROOT)
    assert build.is_stable() is not free_threaded
    libraries = build.compile_extensions(ROOT)
    suffix = sysconfig.get_config_var("EXT_SUFFIX") if free_threaded else ".abi3.so"
    assert [library.name for library in libraries] == [f"_native{suffix}"] * 3
    folder = libraries[0].parents[2]
    names = {library.relative_to(folder).parts[0] for library in libraries}
    assert names == set(build.PACKAGES)
    shutil.rmtree(folder)


def test_libraries_of_former_names_are_found(build: ModuleType, tmp_path: Path) -> None:
    names = [
        "repo_mcp/text/_counting.abi3.so",
        "repo_mcp/text/_lines.pyd",
        "index_format/native/_native.cpython-311-x86_64-linux-gnu.so",
        "index_format/native/words.c",
        "elsewhere/_x.so",
    ]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = sorted(str(file.relative_to(tmp_path)) for file in build.find_libraries(tmp_path))
    assert found == sorted(names[:3])


class FailingHook:
    root = str(ROOT)

    def __init__(self) -> None:
        self.app = self
        self.warnings: list[str] = []

    def display_warning(self, text: str) -> None:
        self.warnings.append(text)


def test_a_wheel_is_built_where_nothing_can_be_compiled(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Path) -> list[Path]:
        raise RuntimeError("no compiler")

    monkeypatch.setattr(build, "compile_extensions", fail)
    hook, build_data = FailingHook(), dict[str, object]()
    build.ExtensionHook.initialize(hook, "standard", build_data)
    assert build_data == {}
    assert hook.warnings == ["nothing is compiled: RuntimeError: no compiler"]
