"""Installed packages for commands and programs, which work with `Services`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cached_property
from types import TracebackType
from typing import Any, Final, Self

from repo_mcp.audit.log import AuditLog
from repo_mcp.budget import Clock
from repo_mcp.dependencies import Dependencies, place_in_packages
from repo_mcp.dependencies.places import PackagePlaces
from repo_mcp.dependencies.scope import may_name_packages
from repo_mcp.place.place import Place, PlacedQuestion
from repo_mcp.repository import OpenedRoot
from repo_mcp.root_settings import user_settings
from repo_mcp.services import Services
from repo_mcp.settings import Options, workspace_options

# the name of a root that is alone
_ALONE: Final = ""


class ServedPackages:
    """The packages of what a command or a program has opened."""

    def __init__(self, options: Options, services: Services, clock: Clock = time.monotonic) -> None:
        """Look for nothing yet."""
        self._services = services
        user = user_settings(workspace_options(options) if options.mounts else options)
        # commands and programs are in no log
        audit = AuditLog(services.settings.audit_dir)
        self.dependencies = Dependencies(services.settings, user, self._open_roots, audit, clock)

    def __enter__(self) -> Self:
        """The packages themselves."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close what was opened."""
        self.close()

    def _open_roots(self) -> Mapping[str, OpenedRoot]:
        return {
            name: parts.opened(watches=False)
            for name, parts in (self._services.each or {_ALONE: self._services}).items()
        }

    def read_place(self, arguments: Mapping[str, Any]) -> PlacedQuestion | None:
        """The packages that arguments name; None if they are about the project."""
        if not may_name_packages(arguments):
            return None
        return place_in_packages(arguments, self.dependencies.packages)

    def services(self, place: Place) -> Services:
        """The parts of the packages of a place, and of the roots of the project that it names."""
        found = self.dependencies.view(place).repository
        return Services(
            found.settings,
            found.sandbox,
            found.manager,
            self._services.budget,
            outside=self.places,
            made_once=not place.roots,
            on_demand=bool(place.roots),
        )

    @cached_property
    def places(self) -> PackagePlaces:
        """Finds declarations in packages."""
        return PackagePlaces(lambda: self.dependencies)

    def close(self) -> None:
        """Close all packages."""
        self.dependencies.close()
