"""Lays out sources of packages as a language's own package manager would.

    python -m bench.dependencies.lay go ROOT --into CACHE
    python -m bench.dependencies.lay java FOLDER --as GROUP:ARTIFACT:VERSION --into REPOSITORY

Modules of Go come from packages of Debian, which has one version of each: it stands for all that
manifests ask for. This program and the tool that judges it read the same files. FOLDER has the
sources of a library of Java.
"""

from __future__ import annotations

import argparse
import re
import shutil
import zipfile
from pathlib import Path
from typing import Final

from bench.dependencies.go_places import folder_of, required
from bench.dependencies.java_places import SOURCES

_GO: Final = Path("/usr/share/gocode/src")
_MAJOR: Final = re.compile(r"/v\d+$")


def main() -> None:
    """Lay out what a project needs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("language", choices=["go", "java"])
    parser.add_argument("root", type=Path)
    parser.add_argument("--as", dest="library", default="")
    parser.add_argument("--into", type=Path, required=True)
    options = parser.parse_args()
    if options.language == "go":
        _lay_go(options.root, options.into)
    else:
        _lay_java(options.root, options.library, options.into)


def _lay_go(root: Path, cache: Path) -> None:
    """The modules that a manifest requires, and those that they require."""
    waiting = [(root / "go.mod").read_text("utf-8")]
    seen: set[str] = set()
    while waiting:
        for module, version in required(waiting.pop()):
            source = _source(module)
            folder = cache / folder_of(module, version)
            if source is None or str(folder) in seen:
                continue
            seen.add(str(folder))
            if not folder.exists():
                shutil.copytree(source, folder, symlinks=True)
            manifest = folder / "go.mod"
            waiting.append(manifest.read_text("utf-8") if manifest.exists() else "")


def _source(module: str) -> Path | None:
    names = (module, _MAJOR.sub("", module))
    return next((_GO / name for name in names if (_GO / name).is_dir()), None)


def _lay_java(sources: Path, library: str, repository: Path) -> None:
    """An archive of sources, and a manifest that names nothing."""
    group, artifact, version = library.split(":")
    folder = repository.joinpath(*group.split("."), artifact, version)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{artifact}-{version}.pom").write_text("<project></project>", "utf-8")
    with zipfile.ZipFile(folder / f"{artifact}-{version}{SOURCES}", "w") as archive:
        for path in sorted(sources.rglob("*.java")):
            archive.write(path, path.relative_to(sources))


if __name__ == "__main__":
    main()
