"""Where go/types finds the declarations of names, with the modules of the module cache."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from bench.dependencies.places import Answers, Target, Use

_SCRIPT: Final = Path(__file__).with_name("go_places.go")
_UPPER: Final = re.compile(r"[A-Z]")
_REQUIRED: Final = re.compile(r"^\s*(?:require\s+)?([\w.~/+-]+\.[\w.~/+-]+)\s+(v\S+)", re.MULTILINE)
_MODULE: Final = re.compile(r"^module\s+(\S+)", re.MULTILINE)
_LANGUAGE: Final = re.compile(r"^go 1\.(\d+)", re.MULTILINE)
_NUMBERS: Final = re.compile(r"\d+|[a-z]+")


def ask_go(root: Path, uses: Sequence[Use], _keep: Path) -> Answers:
    """The declarations of the names at uses."""
    cache = Path(os.environ["GOMODCACHE"])
    manifest = (root / "go.mod").read_text("utf-8")
    (module,) = _MODULE.findall(manifest)
    modules = json.dumps(_chosen(manifest, cache))
    questions = json.dumps([[use.path, use.line, use.column] for use in uses])
    command = ["go", "run", str(_SCRIPT), str(root), module, modules]
    done = subprocess.run(command, input=questions, stdout=subprocess.PIPE, text=True, check=True)
    return [[Target(*item) for item in found] for found in json.loads(done.stdout)]


def required(manifest: str) -> Iterator[tuple[str, str]]:
    """The modules that a manifest requires, with their versions."""
    text = manifest.partition("\nreplace")[0].partition("\nexclude")[0]
    return ((match[1], match[2]) for match in _REQUIRED.finditer(text))


def folder_of(module: str, version: str) -> str:
    """The folder of a module in the cache, where capital letters have a mark."""
    return _UPPER.sub(lambda found: f"!{found[0].lower()}", f"{module}@{version}")


def _chosen(manifest: str, cache: Path) -> Mapping[str, str]:
    """The folders of modules: those that the project requires, else the newest that one needs.

    Since 1.17 a manifest names all versions itself; before, what it needs may ask for newer ones.
    """
    best = dict(required(manifest))
    language = _LANGUAGE.search(manifest)
    own = frozenset(best) if language and int(language[1]) >= 17 else frozenset[str]()
    waiting = [*best.items()]
    seen = set(waiting)
    while waiting:
        inner = cache / folder_of(*waiting.pop()) / "go.mod"
        for module, version in required(inner.read_text("utf-8")) if inner.exists() else ():
            folder = cache / folder_of(module, version)
            if (module, version) in seen or not folder.is_dir():
                continue
            seen.add((module, version))
            waiting.append((module, version))
            is_newer = module not in best or _order(best[module]) < _order(version)
            if module not in own and is_newer:
                best[module] = version
    return {module: str(cache / folder_of(module, best[module])) for module in best}


def _order(version: str) -> list[tuple[bool, int, str]]:
    parts = _NUMBERS.findall(version)
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]
