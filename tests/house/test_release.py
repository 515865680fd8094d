"""The parts of a release are pinned, listed, and the same whenever it is built."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
DIRECT = [*PROJECT["dependencies"], *EXTRAS["cluster"], *EXTRAS["http"], *EXTRAS["web"]]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
# where indexes are, or a path on a machine; names of packages are not addresses
ADDRESS = re.compile(r"https?:|file:|--index|--extra-index|--find-links|@ |/")


@pytest.fixture(scope="module")
def sbom() -> ModuleType:
    spec = importlib.util.spec_from_file_location("sbom", ROOT / "release" / "sbom.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def bill(sbom: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("dist")
    assert sbom.main(["--folder", str(folder)]) == 0
    (file,) = folder.iterdir()
    assert file.name == f"repo_mcp-{PROJECT['version']}.cdx.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("line", DIRECT)
def test_every_dependency_is_locked_to_a_version_that_it_allows(
    line: str, sbom: ModuleType
) -> None:
    wanted = Requirement(line)
    name = sbom.normalise(wanted.name)
    locked = [item.version for item in sbom.read_lock(LOCK) if item.name == name]
    assert locked
    assert [item for item in locked if item not in wanted.specifier] == []


def test_the_tests_run_with_the_locked_versions(sbom: ModuleType) -> None:
    here = [
        item for item in sbom.read_lock(LOCK) if not item.marker or Marker(item.marker).evaluate()
    ]
    installed = {item.name: version(item.name) for item in here}
    assert installed == {item.name: item.version for item in here}


def test_everything_that_a_locked_package_needs_is_locked(sbom: ModuleType) -> None:
    names = {item.name for item in sbom.read_lock(LOCK)}
    for name in sorted(names - {"pywin32"}):
        lines = sbom.distribution(name).requires or []
        needed = [Requirement(line) for line in lines]
        missing = {
            sbom.normalise(item.name)
            for item in needed
            if item.marker is None or item.marker.evaluate({"extra": ""})
        }
        assert missing <= names, name


def test_every_locked_package_has_hashes(sbom: ModuleType) -> None:
    assert [item.name for item in sbom.read_lock(LOCK) if not item.hashes] == []


def test_the_lock_names_no_address() -> None:
    assert ADDRESS.findall(LOCK) == []


def test_a_strange_line_in_a_lock_is_refused(sbom: ModuleType) -> None:
    for line in ("numpy>=2.4", "    --hash=md5:00", "-e ."):
        with pytest.raises(ValueError, match="not a line"):
            sbom.read_lock(f"numpy==2.4.6 \\\n{line}\n")


def test_the_bill_has_the_form_of_cyclonedx(bill: dict[str, Any]) -> None:
    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1)
    own = bill["metadata"]["component"]
    assert (own["type"], own["name"], own["version"]) == (
        "application",
        PROJECT["name"],
        PROJECT["version"],
    )
    for item in bill["components"]:
        assert item["type"] == "library"
        assert item["scope"] in {"required", "optional"}
        assert item["purl"] == f"pkg:pypi/{item['name']}@{item['version']}"
        assert all(re.fullmatch("[0-9a-f]{64}", one["content"]) for one in item["hashes"])
    refs = [own["bom-ref"], *(item["bom-ref"] for item in bill["components"])]
    assert len(set(refs)) == len(refs)
    assert [item["ref"] for item in bill["dependencies"]] == refs
    assert {ref for item in bill["dependencies"] for ref in item.get("dependsOn", [])} <= set(refs)


def test_the_bill_lists_what_the_lock_pins(bill: dict[str, Any], sbom: ModuleType) -> None:
    listed = [(item["name"], item["version"]) for item in bill["components"]]
    assert sorted(listed) == sorted((item.name, item.version) for item in sbom.read_lock(LOCK))


def test_the_bill_tells_what_is_always_installed(bill: dict[str, Any], sbom: ModuleType) -> None:
    scopes = {item["name"]: item["scope"] for item in bill["components"]}
    always = {sbom.normalise(line) for line in PROJECT["dependencies"]}
    assert {scopes[name] for name in always} == {"required"}
    assert scopes["cached-property"] == "required"  # whoosh-reloaded needs it
    assert {scopes["mcp"], scopes["uvicorn"], scopes["starlette"]} == {"optional"}
    assert sum(name.startswith("tree-sitter-") for name in scopes) >= 9


def test_every_installed_package_has_a_licence(bill: dict[str, Any]) -> None:
    without = [item["name"] for item in bill["components"] if not item.get("licenses")]
    assert without == ["pywin32"]  # it is for another system


@pytest.mark.servers
def test_the_bill_is_the_same_each_time(tmp_path: Path) -> None:
    command = [sys.executable, "-P", str(ROOT / "release" / "sbom.py"), "--folder"]
    outputs: set[bytes] = set()
    for seed in ("1", "2"):
        environment = {"PYTHONHASHSEED": seed}
        subprocess.run([*command, str(tmp_path / seed)], env=environment, check=True)
        outputs.update(file.read_bytes() for file in (tmp_path / seed).iterdir())
    assert len(outputs) == 1
    assert b"timestamp" not in outputs.pop()


@pytest.mark.servers
def test_the_extension_is_the_same_wherever_it_is_built(tmp_path: Path) -> None:
    pytest.importorskip("setuptools")
    if shutil.which("gcc") is None:
        pytest.skip("no compiler here")
    program = (
        "import sys; from types import ModuleType\n"
        "name = 'hatchling.builders.hooks.plugin.interface'\n"
        "parts = name.split('.')\n"
        "for at in range(1, 1 + len(parts)):\n"
        "    sys.modules['.'.join(parts[:at])] = ModuleType(parts[at - 1])\n"
        "sys.modules[name].BuildHookInterface = object\n"
        "from pathlib import Path; import hatch_build\n"
        "made = hatch_build.compile_extensions(Path.cwd())\n"
        "Path('built').write_bytes(b''.join(library.read_bytes() for library in made))\n"
    )
    for folder in (tmp_path / "one", tmp_path / "another"):
        for package in ("index_format", "code_graph", "repo_mcp"):
            shutil.copytree(ROOT / package / "native", folder / package / "native")
        shutil.copy(ROOT / "hatch_build.py", folder)
        subprocess.run([sys.executable, "-c", program], cwd=folder, check=True, capture_output=True)
    assert (tmp_path / "one/built").read_bytes() == (tmp_path / "another/built").read_bytes()
