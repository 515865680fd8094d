"""Says who owns, maintains and reviews a file, by the files of a repository that say so."""

from __future__ import annotations

from typing import Final

# parts of the names of the files that may say so, in small letters
OWNER_FILES: Final = (
    "owners",
    "maintainers",
    "package.json",
    "pyproject.toml",
    "cargo.toml",
    "composer.json",
)
