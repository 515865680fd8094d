"""Writes the bill of materials: CycloneDX JSON of what an installation consists of.

It is made of pyproject.toml, requirements.lock and the licences of installed packages, and of no
clock, number drawn by chance or address: the same three give the same bytes.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
LOCK: Final = ROOT / "requirements.lock"
PINNED: Final = re.compile(r"([A-Za-z0-9._-]+)==([^\s;]+)(?:\s*;\s*([^\\]+?))?\s*\\?")
HASH: Final = re.compile(r"\s+--hash=sha256:([0-9a-f]{64})\s*\\?")
_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA: Final = re.compile(r"extra\s*==")
# a licence's whole text in the place of its name says nothing in one line
_LONGEST_LICENCE: Final = 100


class LockedPackage(NamedTuple):
    """One version of a package, where it is used, and the hashes of all its files."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]

    @property
    def purl(self) -> str:
        """Its package URL, which names it in the bill."""
        return f"pkg:pypi/{self.name}@{self.version}"


def normalise(requirement: str) -> str:
    """The name of a package, as indexes compare names."""
    match = _NAME.match(requirement.strip())
    return re.sub(r"[-_.]+", "-", match[0]).lower() if match else ""


def read_lock(text: str) -> list[LockedPackage]:
    """The packages of a lock file; `ValueError` for a line of another form."""
    found: list[LockedPackage] = []
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if match := PINNED.fullmatch(line):
            marker = (match[3] or "").strip()
            found.append(LockedPackage(normalise(match[1]), match[2], marker, ()))
        elif (match := HASH.fullmatch(line)) and found:
            found[-1] = found[-1]._replace(hashes=(*found[-1].hashes, match[1]))
        else:
            message = f"not a line of a lock file: {line!r}"
            raise ValueError(message)
    return found


def make_sbom(project: dict[str, Any], packages: list[LockedPackage]) -> dict[str, Any]:
    """The bill for a project table of pyproject.toml and the packages of its lock."""
    required = _with_dependencies(map(normalise, project["dependencies"]), packages)
    own = f"pkg:pypi/{project['name']}@{project['version']}"
    optional = project["optional-dependencies"]
    lines = [*project["dependencies"], *optional["http"], *optional["web"]]
    direct = set(map(normalise, lines))
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": project["name"],
                "version": project["version"],
                "description": project["description"],
                "licenses": [{"expression": project["license"]}],
                "purl": own,
            }
        },
        "components": [
            _component(item, optional=item.name not in required) for item in sorted(packages)
        ],
        "dependencies": [
            _edges(own, direct, packages),
            *(_edges(item.purl, requires(item.name), packages) for item in sorted(packages)),
        ],
    }


def requires(name: str) -> set[str]:
    """The requirements of an installed package, extras left out."""
    try:
        lines = distribution(name).requires or []
    except PackageNotFoundError:  # one for another system
        return set()
    return {normalise(line) for line in lines if not _EXTRA.search(line)}


def licences(name: str) -> list[dict[str, Any]]:
    """The licences of an installed package, in the form of the bill."""
    try:
        metadata = distribution(name).metadata
    except PackageNotFoundError:
        return []
    if "License-Expression" in metadata:
        return [{"expression": metadata["License-Expression"]}]
    text = metadata["License"].strip() if "License" in metadata else ""
    if text and "\n" not in text and len(text) <= _LONGEST_LICENCE:
        return [{"license": {"name": text}}]
    classifiers = metadata.get_all("Classifier") or []
    names = {item.rpartition(" :: ")[2] for item in classifiers if item.startswith("License ::")}
    return [{"license": {"name": item}} for item in sorted(names)]


def _component(item: LockedPackage, *, optional: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "type": "library",
        "bom-ref": item.purl,
        "name": item.name,
        "version": item.version,
        "scope": "optional" if optional else "required",
        # of each file of this version, one of which is installed
        "hashes": [{"alg": "SHA-256", "content": value} for value in sorted(item.hashes)],
        "purl": item.purl,
    }
    if held := licences(item.name):
        found["licenses"] = held
    if item.marker:
        found["properties"] = [{"name": "repo-mcp:marker", "value": item.marker}]
    return found


def _edges(ref: str, names: Iterable[str], packages: list[LockedPackage]) -> dict[str, Any]:
    wanted = set(names)
    targets = sorted(item.purl for item in packages if item.name in wanted)
    return {"ref": ref, "dependsOn": targets} if targets else {"ref": ref}


def _with_dependencies(names: Iterable[str], packages: list[LockedPackage]) -> set[str]:
    """These packages and all that they need."""
    known = {item.name for item in packages}
    found: set[str] = set()
    pending = set(names)
    while pending:
        found |= pending
        needed: Iterator[str] = (name for item in pending for name in requires(item))
        pending = (set(needed) & known) - found
    return found


def main(arguments: list[str]) -> int:
    """Write the bill into a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=ROOT / "dist")
    folder = parser.parse_args(arguments).folder
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    bill = make_sbom(project, read_lock(LOCK.read_text(encoding="utf-8")))
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"repo_mcp-{project['version']}.cdx.json"
    target.write_text(json.dumps(bill, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
