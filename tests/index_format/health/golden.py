"""Writes the golden indexes and the gallery of damaged ones anew.

    python -m tests.index_format.health.golden --write    (from the root of the repository)

`golden/v<N>/` holds indexes of format version N with the answers they must give. While no version
is promised, a change of its bytes is followed by this command; once a version is promised, its
folder is never written again.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from index_format import layout
from index_format.generation.snapshot import Snapshot
from tests.index_format.health.gallery_cases import DAMAGES
from tests.index_format.samples import answers, dense, files_of, index_in, tiny, wordy

GOLDEN = Path(__file__).parent / "golden"
GALLERY = Path(__file__).parent / "gallery"
ANSWERS = "answers.txt"
INDEXES = {"dense": dense, "tiny": tiny, "wordy": wordy}


def readable_versions() -> list[str]:
    """The folders there must be: one for each version that is read."""
    versions = range(layout.MIN_READABLE_VERSION, layout.FORMAT_VERSION + 1)
    return [f"v{version}" for version in versions]


def told(snapshot: Snapshot) -> str:
    """All answers of a snapshot, one on each line."""
    return "".join(f"{answer!r}\n" for answer in answers(snapshot))


def golden_files(name: str) -> dict[str, bytes]:
    """An index of today's version and its answers."""
    store = INDEXES[name]()
    return files_of(store) | {ANSWERS: told(index_in(store).snapshot()).encode()}


def gallery_files() -> dict[str, dict[str, bytes]]:
    """Every damaged index by its name."""
    base = tiny()
    return {name: damage(base) for name, damage in DAMAGES.items()}


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make a folder that holds these files and nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)


def read(folder: Path) -> dict[str, bytes]:
    """All files of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def main() -> int:
    """Write everything, if told to."""
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    for name in INDEXES:
        write(GOLDEN / f"v{layout.FORMAT_VERSION}" / name, golden_files(name))
    shutil.rmtree(GALLERY, ignore_errors=True)
    for name, files in gallery_files().items():
        write(GALLERY / name, files)
    return 0


if __name__ == "__main__":
    sys.exit(main())
