"""The audit log of a workspace: every call in its own, and in each root's what was shown of it."""

from __future__ import annotations

from collections.abc import Mapping

from repo_mcp.audit.log import AuditEntry, AuditLog
from repo_mcp.safety.denylist import Denylist


class WorkspaceAudit(AuditLog):
    """The log of all calls; the logs of roots get those that showed something of them."""

    def __init__(self, data_dir: str, denylist: Denylist, roots: Mapping[str, AuditLog]) -> None:
        """Keep the arguments; opens nothing."""
        super().__init__(data_dir, denylist)
        self._roots = roots

    def record(self, entry: AuditEntry) -> str:
        """Append an entry; returns a warning the first time that a log can't be written."""
        warnings = [super().record(entry)]
        for name, log in self._roots.items():
            begin = f"{name}/"
            shown = [path.removeprefix(begin) for path in entry.shown if path.startswith(begin)]
            if shown:
                warnings.append(log.record(entry._replace(shown=shown, shown_in_all=len(shown))))
        return next(filter(None, warnings), "")
