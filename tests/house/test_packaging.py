"""The built package names versions, files and commands that are there, and no secret."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
CONFIGURATION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = CONFIGURATION["project"]
WORKFLOWS = {
    file.stem: yaml.safe_load(file.read_text(encoding="utf-8"))
    for file in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
}
VERSION = re.compile(r"Programming Language :: Python :: (3\.\d+)$")
LINK = re.compile(r"\]\(([^)\s#]+)")
ACTION = re.compile(r"[\w-]+/[\w-]+@(v\d+|release/v\d+)")


def jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    for workflow in WORKFLOWS.values():
        yield from workflow["jobs"].items()


def steps() -> Iterator[dict[str, Any]]:
    for _, job in jobs():
        yield from job["steps"]


def commands() -> list[str]:
    lines = [line for step in steps() if "run" in step for line in step["run"].splitlines()]
    return [line.strip() for line in lines]


@pytest.fixture(scope="module")
def readme_hook() -> ModuleType:
    spec = importlib.util.spec_from_file_location("hook", ROOT / "release" / "readme_hook.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tests_run_on_every_version_that_is_claimed() -> None:
    claimed = [found[1] for line in PROJECT["classifiers"] if (found := VERSION.search(line))]
    matrix = WORKFLOWS["tests"]["jobs"]["tests"]["strategy"]["matrix"]
    assert claimed == ["3.11", "3.12", "3.13", "3.14"] == matrix["python"]
    assert PROJECT["requires-python"] == f">={claimed[0]}"
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}


def test_each_action_has_a_version_and_each_job_the_least_rights() -> None:
    used = [step["uses"] for step in steps() if "uses" in step]
    assert [name for name in used if not ACTION.fullmatch(name)] == []
    assert all(flow["permissions"] == {"contents": "read"} for flow in WORKFLOWS.values())
    writing = {name: job["permissions"] for name, job in jobs() if "permissions" in job}
    assert writing == {"publish": {"id-token": "write"}}


def test_no_workflow_names_a_secret_or_a_password() -> None:
    for file in (ROOT / ".github" / "workflows").glob("*.yml"):
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"secrets\.|password:|api-token", text)


def test_each_command_of_a_workflow_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for line in commands():
        if "make " in line:
            words = [word for word in line.partition("make ")[2].split() if "=" not in word]
            targets = words[2:] if words[0] == "-C" else words
            assert all(f"\n{target}:" in makefile for target in targets), line
        if line.startswith(".ci/"):
            assert os.access(ROOT / line, os.X_OK)
    extras = re.findall(r"\.\[(\w+)\]", "\n".join(commands()))
    assert set(extras) <= set(PROJECT["optional-dependencies"])


def test_wheels_are_built_for_all_systems_and_tried_with_files_that_exist() -> None:
    wheels = CONFIGURATION["tool"]["cibuildwheel"]
    assert wheels["build"] == [f"cp{PROJECT['requires-python'][2:].replace('.', '')}-*"]
    assert wheels["linux"]["archs"] == ["x86_64", "aarch64"]
    assert {"linux", "macos", "windows"} <= set(wheels)
    named = re.findall(r"\{project\}/(\S+)", "\n".join(wheels["test-command"]))
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_page_of_a_distribution_has_no_relative_link(readme_hook: ModuleType) -> None:
    metadata = {"version": "9.8.7"}
    readme_hook.ReadmeHook(str(ROOT), {}).update(metadata)
    text: str = metadata["readme"]["text"]  # type: ignore[index]
    links = LINK.findall(text)
    assert [link for link in links if not link.startswith("https://")] == []
    above = f"{readme_hook.HOST}/blob/v9.8.7/"
    files = [link.removeprefix(above) for link in links if link.startswith(above)]
    assert len(files) > 20
    assert [name for name in files if not (ROOT / name).exists()] == []
    assert f"]({readme_hook.PICTURES}/v9.8.7/docs/pictures/answer.svg)" in text


def test_links_to_elsewhere_are_left_alone(readme_hook: ModuleType) -> None:
    text = "[a](https://b) [c](#d) [e](mailto:f)"
    assert readme_hook.with_absolute_links(text, "v1") == text


@pytest.mark.servers
def test_a_source_distribution_holds_what_the_demo_and_the_tests_need(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    packed = [
        ".ci",
        "bench",
        "code_graph",
        "docs",
        "examples",
        "index_format",
        "release",
        "repo_mcp",
        "tests",
    ]
    needed = {
        file.relative_to(ROOT).as_posix()
        for folder in packed
        for file in (ROOT / folder).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and file.suffix not in {".so", ".pyd"}
    }
    assert sorted({"Makefile", "pyproject.toml", "requirements.lock", *needed} - names) == []
    assert not [name for name in names if name.startswith((".venv", "build/", "dist/"))]
