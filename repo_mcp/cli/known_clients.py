"""Known clients: their configuration files, and the form of a server's entry."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from index_format.tuples import NamedTuple

Scope = Literal["user", "project"]
_UNDERSCORE: Final = ("--tool-names", "underscore")
# for clients whose model reads text, or text only where there is no other form: docs/clients.md
_TEXT: Final = ("--content", "text")


class Client(NamedTuple):
    """One client; `table` is the key of the servers in its file."""

    name: str
    title: str
    table: str
    # fields of an entry besides command and arguments
    more: Mapping[str, object]
    project_file: str
    scope: Scope = "user"
    # the client's variable for the open folder, if it does not start the server there
    open_folder: str = ""
    # scopes in which it starts the server somewhere and tells nothing: the line names the folder
    untold: tuple[Scope, ...] = ()
    # flags that this client needs
    flags: tuple[str, ...] = ()
    toml: bool = False

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """The scopes in which it has a file of servers."""
        return ("user", "project") if self.project_file else ("user",)

    def config_path(
        self, scope: Scope, project: Path, environment: Mapping[str, str] = os.environ
    ) -> Path:
        """The configuration file with its servers."""
        found = (
            project / self.project_file
            if scope == "project"
            else _user_file(self.name, environment)
        )
        if self.name == "opencode" and found.with_suffix(".jsonc").exists():
            return found.with_suffix(".jsonc")
        return found

    def entry(self, line: Sequence[str]) -> dict[str, Any]:
        """The entry of a server that this command line starts."""
        command: dict[str, Any] = {"command": line[0], "args": list(line[1:])}
        if self.name == "opencode":
            command = {"command": list(line)}
        first = {"type": self.more["type"]} if "type" in self.more else {}
        return {**first, **command, **self.more}


def line_of(entry: object) -> list[str]:
    """The command line of an entry; empty if there is none."""
    if not isinstance(entry, dict):
        return []
    command, more = entry.get("command"), entry.get("args", [])
    parts = [*(command if isinstance(command, list) else [command])]
    parts += more if isinstance(more, list) else [more]
    return parts if all(isinstance(part, str) for part in parts) else []


def is_ours(line: Sequence[str]) -> bool:
    """True if a command line starts this program, in any installation."""
    return bool(line) and (
        Path(line[0].replace("\\", "/")).stem == "repo-mcp"
        or any("repo_mcp.server" in part for part in line[1:])
    )


def user_folder(name: str, environment: Mapping[str, str]) -> Path:
    """The client's own folder for one user."""
    if name == "claude":
        return _path_from(environment, "CLAUDE_CONFIG_DIR") or Path.home() / ".claude"
    return _user_file(name, environment).parent


def _user_file(name: str, environment: Mapping[str, str]) -> Path:
    home = Path.home()
    folder = {
        "codex": _path_from(environment, "CODEX_HOME") or home / ".codex",
        "claude": _path_from(environment, "CLAUDE_CONFIG_DIR") or home,
        "gemini": (_path_from(environment, "GEMINI_CLI_HOME") or home) / ".gemini",
        "copilot": _path_from(environment, "COPILOT_HOME") or home / ".copilot",
        "vscode": _desktop_settings(environment) / "Code" / "User",
        "cursor": home / ".cursor",
        "qwen": _path_from(environment, "QWEN_HOME") or home / ".qwen",
        "kimi": _path_from(environment, "KIMI_CODE_HOME") or home / ".kimi-code",
        "cline": home / ".cline" / "data" / "settings",
        "amp": (_path_from(environment, "XDG_CONFIG_HOME") or home / ".config") / "amp",
        "zed": (_path_from(environment, "XDG_CONFIG_HOME") or home / ".config") / "zed",
        "windsurf": home / ".codeium" / "windsurf",
        "kiro": home / ".kiro" / "settings",
        "junie": home / ".junie" / "mcp",
        "opencode": (_path_from(environment, "XDG_CONFIG_HOME") or home / ".config") / "opencode",
    }
    return folder[name] / _USER_NAMES[name]


def _desktop_settings(environment: Mapping[str, str]) -> Path:
    """The folder where desktop programs keep their settings."""
    if sys.platform == "win32":
        return _path_from(environment, "APPDATA") or Path.home() / "AppData" / "Roaming"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return _path_from(environment, "XDG_CONFIG_HOME") or Path.home() / ".config"


def _path_from(environment: Mapping[str, str], name: str) -> Path | None:
    text = environment.get(name, "").strip()
    return Path(text).expanduser() if text else None


_USER_NAMES: Final = {
    "codex": "config.toml",
    "claude": ".claude.json",
    "gemini": "settings.json",
    "copilot": "mcp-config.json",
    "vscode": "mcp.json",
    "cursor": "mcp.json",
    "opencode": "opencode.json",
    "qwen": "settings.json",
    "kimi": "mcp.json",
    "cline": "cline_mcp_settings.json",
    "amp": "settings.json",
    "zed": "settings.json",
    "windsurf": "mcp_config.json",
    "kiro": "mcp.json",
    "junie": "mcp.json",
}
_EVERYWHERE: Final[tuple[Scope, ...]] = ("user", "project")
_STDIO: Final = {"type": "stdio"}
_ALL: Final = (
    Client("codex", "Codex", "mcp_servers", {}, ".codex/config.toml", toml=True),
    # a start waits for the tools, and none of them is left to be searched for
    Client(
        "claude",
        "Claude Code",
        "mcpServers",
        {**_STDIO, "alwaysLoad": True},
        ".mcp.json",
        flags=_TEXT,
    ),
    Client("gemini", "Gemini CLI", "mcpServers", {}, ".gemini/settings.json", flags=_TEXT),
    Client(
        "copilot",
        "Copilot CLI",
        "mcpServers",
        {"type": "local", "tools": ["*"]},
        ".github/mcp.json",
        flags=_TEXT,
    ),
    Client(
        "vscode",
        "VS Code",
        "servers",
        _STDIO,
        ".vscode/mcp.json",
        "project",
        "${workspaceFolder}",
        flags=_TEXT,
    ),
    Client(
        "cursor",
        "Cursor",
        "mcpServers",
        _STDIO,
        ".cursor/mcp.json",
        "project",
        "${workspaceFolder}",
        ("user",),
        _UNDERSCORE,
    ),
    Client(
        "opencode",
        "opencode",
        "mcp",
        {"type": "local", "enabled": True},
        "opencode.json",
        flags=_TEXT,
    ),
    # it searches for tools on demand, unless the entry says otherwise
    Client(
        "qwen",
        "Qwen Code",
        "mcpServers",
        {"alwaysLoadTools": True},
        ".qwen/settings.json",
        flags=_TEXT + _UNDERSCORE,
    ),
    Client("kimi", "Kimi Code", "mcpServers", {}, ".kimi-code/mcp.json", flags=_TEXT),
    # it makes other names of those with dots
    Client("cline", "Cline", "mcpServers", {}, "", flags=_TEXT + _UNDERSCORE),
    Client("amp", "Amp", "amp.mcpServers", {}, ".amp/settings.json", flags=_TEXT),
    Client("zed", "Zed", "context_servers", {}, ".zed/settings.json", flags=_TEXT),
    Client("windsurf", "Windsurf", "mcpServers", {}, "", untold=_EVERYWHERE, flags=_TEXT),
    Client(
        "kiro",
        "Kiro",
        "mcpServers",
        {},
        ".kiro/settings/mcp.json",
        "project",
        untold=_EVERYWHERE,
        flags=_TEXT,
    ),
    Client(
        "junie",
        "Junie",
        "mcpServers",
        {},
        ".junie/mcp/mcp.json",
        "project",
        untold=_EVERYWHERE,
        flags=_TEXT,
    ),
)
BY_NAME: Final = {client.name: client for client in _ALL}
CLIENTS: Final = tuple(BY_NAME)
