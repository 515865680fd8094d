"""Every setting there is, one row each: what it means, who may say it, and how far.

The command line, the variables, `repo_mcp.toml`, `repo-mcp config` and docs/settings.md are all
made from these rows. Nothing is imported for them, because the server starts with them.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

PREFIX: Final = "REPO_MCP_"
MIN_RESPONSE: Final = 4000
MAX_CHUNK_LINES: Final = 10_000

Kind = Literal[
    "folder", "file", "number", "switch", "choice", "text", "names", "extensions", "globs"
]
# what a repository's own file may do: nothing, lower a number, add to a list, choose within the
# range, or repeat the only value there is
FromFile = Literal["nothing", "lower", "add", "choose", "repeat"]
Value = int | str | tuple[str, ...]
LISTS: Final = frozenset({"names", "extensions", "globs"})
# what flags without a value say
ON: Final = "on"
OFF: Final = "off"


class Setting(NamedTuple):
    """One setting; `key` is its place in repo_mcp.toml, whether or not the file may say it."""

    name: str
    kind: Kind
    default: Value
    meaning: str
    key: str
    file: FromFile = "nothing"
    least: int = 0
    most: int = 1 << 62
    choices: tuple[str, ...] = ()
    # how the flag is spelled where it is not the name
    flag_name: str = ""
    metavar: str = "N"
    # lists of all sources are taken together; of any other setting the last source counts
    together: bool = False
    # whether only the server asks for it, and no other command
    server_only: bool = False
    # how the variable is spelled where a specification gives it a name
    variable_name: str = ""

    @property
    def flag(self) -> str:
        """The flag on the command line."""
        return "--" + (self.flag_name or self.name).replace("_", "-")

    @property
    def flag_off(self) -> str:
        """The flag that turns a switch off."""
        return self.flag.replace("--", "--no-", 1)

    @property
    def variable(self) -> str:
        """The variable of the environment."""
        return self.variable_name or PREFIX + self.name.upper()

    @property
    def is_list(self) -> bool:
        """Whether it has several values."""
        return self.kind in LISTS


def _limit(name: str, default: int, meaning: str, least: int = 1) -> Setting:
    return Setting(name, "number", default, meaning, f"limits.{name}", "lower", least)


def _list(name: str, kind: Kind, meaning: str, key: str, metavar: str) -> Setting:
    singular = name.removesuffix("s")
    return Setting(
        name, kind, (), meaning, key, "add", flag_name=singular, metavar=metavar, together=True
    )


def _root(name: str, meaning: str) -> Setting:
    return Setting(
        name,
        "folder",
        "",
        meaning,
        f"retrieval.{name}",
        metavar="FOLDER",
        server_only=True,
        variable_name=name.upper(),
    )


def _server(name: str, kind: Kind, default: Value, meaning: str, metavar: str = "") -> Setting:
    key = f"server.{name}"
    return Setting(name, kind, default, meaning, key, metavar=metavar, server_only=True)


SETTINGS: Final = (
    Setting(
        "repo_root",
        "folder",
        "",
        "The repository: without it, the nearest folder from here upwards that is one, else this"
        " one; `/` and the home folder only when they are named in full",
        "server.repo_root",
        metavar="FOLDER",
    ),
    Setting(
        "data_dir",
        "folder",
        "",
        "Where the index and the audit log lie: without it, `.repo_mcp` in the repository",
        "server.data_dir",
        metavar="FOLDER",
    ),
    Setting(
        "config",
        "file",
        "",
        "A file of your own that may say all settings, by their keys; folders in it are relative to"
        " where it lies",
        "server.config",
        metavar="FILE",
    ),
    _root("docs_root", "Documentation that the toolset `retrieval` serves"),
    _root("code_root", "Code that the toolset `retrieval` serves"),
    _limit("max_file_bytes", 1_048_576, "Leave out files larger than this"),
    _limit("max_open_lines", 400, "Most lines of a file in one answer"),
    _limit("max_total_bytes_per_response", 40_000, "Largest answer, in bytes", least=MIN_RESPONSE),
    _limit("max_search_hits", 50, "Most hits of one search"),
    _limit("max_bundle_files", 20, "Most files in one context bundle"),
    _list(
        "include_extensions",
        "extensions",
        "Index files that end so too",
        "indexing.include_extensions",
        ".EXT",
    ),
    _list(
        "exclude_globs",
        "globs",
        "Leave these files out of the index",
        "indexing.exclude_globs",
        "GLOB",
    ),
    Setting(
        "chunk_lines",
        "number",
        200,
        "Lines of a chunk at most",
        "indexing.chunk_lines",
        "choose",
        1,
        MAX_CHUNK_LINES,
    ),
    Setting(
        "chunk_overlap",
        "number",
        30,
        "Lines that two chunks share: half of `chunk_lines` at most, unless it is said by you",
        "indexing.chunk_overlap",
        "choose",
        0,
        MAX_CHUNK_LINES - 1,
    ),
    Setting(
        "workers",
        "number",
        0,
        "Processes that index: 0 is as many as there are processors, but no more than 8",
        "indexing.workers",
        most=64,
    ),
    _list(
        "deny_globs",
        "globs",
        "Never show these files, nor index them",
        "security.deny_globs",
        "GLOB",
    ),
    Setting(
        "allow_hardlinks",
        "switch",
        0,
        "Open files that have several names",
        "security.allow_hardlinks",
    ),
    Setting(
        "embeddings",
        "switch",
        0,
        "Search by meaning: reserved, it can't be turned on yet",
        "embeddings.enabled",
        "repeat",
        most=0,
    ),
    Setting(
        "watch",
        "switch",
        1,
        "Hear of changed files from the system; without it they are found by walking",
        "server.watch",
        server_only=True,
    ),
    _server(
        "toolsets",
        "names",
        (),
        "Toolsets to serve: their names, `all` or `default`; without it, the default ones",
        "NAME,...",
    ),
    _server("tools", "names", (), "Tools to serve besides those of the toolsets", "NAME,..."),
    _server("exclude_tools", "names", (), "Tools not to serve, whatever else is said", "NAME,..."),
    _server(
        "tool_names",
        "choice",
        "dotted",
        "How names of tools are listed: `underscore` for clients that reject dots. Calls may use"
        " either",
        "STYLE",
    )._replace(choices=("dotted", "underscore")),
    _server("http", "switch", 0, "Serve over HTTP instead of standard input and output"),
    _server("http_host", "text", "127.0.0.1", "Address to serve HTTP at", "ADDRESS"),
    _server("http_port", "number", 8000, "Port to serve HTTP at: 0 is any free one", "N")._replace(
        most=65_535
    ),
    _server(
        "http_token_env",
        "text",
        "REPO_MCP_HTTP_TOKEN",
        "Name of the variable that holds the token of the HTTP server",
        "VARIABLE",
    ),
)
BY_NAME: Final = {setting.name: setting for setting in SETTINGS}
BY_KEY: Final = {setting.key: setting for setting in SETTINGS}
# tables of the file besides settings, and what a repository may say in them
MORE_TABLES: Final = {
    "adapters": "say of a language, e.g. `[adapters.swift]`, that its files are searched but not"
    ' parsed (`enabled = false`), or which files are of it too (`extensions = [".inc"]`)',
    "hybrid": "keep parameters of hybrid search: reserved, nothing reads them yet",
}
