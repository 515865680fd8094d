"""Files of a repository by what they are for: automation, settings, routes and schema."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

from index_format.tuples import NamedTuple


class FileRole(NamedTuple):
    """Files of one kind by conventions of frameworks and tools: by name, or by folder and name."""

    names: re.Pattern[str]
    folders: frozenset[str]
    inside: re.Pattern[str]

    def has(self, path: str) -> bool:
        """True if a file is of this kind."""
        folder, _, name = path.rpartition("/")
        if self.names.fullmatch(name):
            return True
        return not self.folders.isdisjoint(_names_of(folder)) and bool(self.inside.fullmatch(name))


def _declare(names: str, folders: str, inside: str = ".+") -> FileRole:
    return FileRole(re.compile(names), frozenset(folders.split()), re.compile(inside))


AUTOMATION: Final = _declare(
    r"\.(?:gitlab-ci|travis|drone|woodpecker)\.ya?ml|Jenkinsfile|azure-pipelines.*\.ya?ml"
    r"|appveyor\.yml|(?:.+\.)?Dockerfile(?:\..+)?|(?:docker-)?compose(?:\.[\w-]+)*\.ya?ml"
    r"|Chart\.yaml|.+\.tf",
    ".github/workflows .circleci .woodpecker .ci",
)
SETTINGS: Final = _declare(
    r"(?:settings|config|configuration|appsettings)(?:[.-]\w+)*"
    r"\.(?:py|rb|[cm]?[jt]s|json|ya?ml|toml|ini|properties|cs|php|exs|go|rs|java|kt)"
    r"|application(?:[.-]\w+)*\.(?:ya?ml|properties|json)"
    r"|\.env\.(?:example|sample|template|dist)|.+\.(?:conf|ini)(?:\.\w+)?",
    "settings config conf",
)
ROUTES: Final = _declare(
    r"urls\.py|routes?\.\w+|router\.\w+|[\w-]*[-_.](?:routes?|router|routing)\.\w+"
    r"|\w+(?:_controller\.rb|Controller\.(?:java|kt|cs|php|[jt]s))|page\.[jt]sx"
    r"|(?:openapi|swagger)[\w.-]*\.(?:ya?ml|json)|.+\.(?:proto|graphqls?)",
    "routes routers controllers endpoints",
)
SCHEMA: Final = _declare(
    r"(?:models|entities)\.(?:py|rb|[jt]s|go|rs|php|kt)|schema\.rb|.+\.(?:sql|prisma|dbml)",
    "migration migrations migrate alembic changelog models entities",
    r".+\.(?:py|rb|sql|cs|[jt]s|php|go|java|kt|rs|xml|ya?ml|exs?)",
)


@lru_cache(maxsize=4096)
def _names_of(folder: str) -> frozenset[str]:
    """The names of the folders of a path, alone and with the one above."""
    names = folder.lower().split("/")
    return frozenset((*names, *map("/".join, pairwise(names))))
