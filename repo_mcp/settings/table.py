"""Table of all settings: meaning, allowed values, and what a repository's file may set.

The command line, the variables, `repo_mcp.toml`, `repo-mcp config` and docs/settings.md are all
generated from these rows. The module imports nothing, to keep the server's start fast.
"""

from __future__ import annotations

from index_format.annotations import Final, Literal
from index_format.tuples import NamedTuple

PREFIX: Final = "REPO_MCP_"
MIN_RESPONSE: Final = 4000
MAX_CHUNK_LINES: Final = 10_000

Kind = Literal[
    "folder",
    "file",
    "number",
    "switch",
    "choice",
    "text",
    "names",
    "extensions",
    "globs",
    "paths",
    "roots",
]
# powers of repo_mcp.toml: none, lower a number, add to a list, or choose a value in the range
FromFile = Literal["nothing", "lower", "add", "choose"]
Value = int | str | tuple[str, ...]
LISTS: Final = frozenset({"names", "extensions", "globs", "paths", "roots"})
# kinds of lists whose flags are repeated, with one value each
REPEATED: Final = frozenset({"extensions", "globs", "paths", "roots"})
# values of switch flags, which take no argument
ON: Final = "on"
OFF: Final = "off"


class Setting(NamedTuple):
    """One setting; `key` is its place in repo_mcp.toml, even if that file may not set it."""

    name: str
    kind: Kind
    default: Value
    meaning: str
    key: str
    file: FromFile = "nothing"
    least: int = 0
    most: int = 1 << 62
    # of a choice; of a folder, the words that are none
    choices: tuple[str, ...] = ()
    # spelling of the flag if it differs from the name
    flag_name: str = ""
    metavar: str = "N"
    # true if lists of all sources are joined; otherwise the last source wins
    joins_sources: bool = False
    # true if no command but the server uses it
    server_only: bool = False
    # true if less is allowed with a value than without: naming nothing by mistake is an error then
    restricts: bool = False
    # name of the variable if a specification prescribes it
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
        """The environment variable."""
        return self.variable_name or PREFIX + self.name.upper()

    @property
    def is_list(self) -> bool:
        """True if it has several values."""
        return self.kind in LISTS


def _limit(name: str, default: int, meaning: str, least: int = 1) -> Setting:
    return Setting(name, "number", default, meaning, f"limits.{name}", "lower", least)


def _list(name: str, kind: Kind, meaning: str, key: str, metavar: str) -> Setting:
    singular = name.removesuffix("s")
    return Setting(
        name, kind, (), meaning, key, "add", flag_name=singular, metavar=metavar, joins_sources=True
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
        "Repository to serve; default: the nearest repository at or above the current folder, else"
        " the current folder. `/`, the home folder and `/tmp` need their full path. Or the address"
        " where it was published with its texts, as `s3://bucket/repo`; `#LABEL` names a label",
        "server.repo_root",
        metavar="FOLDER",
    ),
    Setting(
        "roots",
        "roots",
        (),
        "Folders to serve together, each with a name that its paths begin with: the folder's own,"
        " or NAME=FOLDER; of a workspace file, the names of those to serve",
        "server.roots",
        flag_name="root",
        metavar="FOLDER",
    ),
    Setting(
        "workspace",
        "file",
        "",
        'File that lists such folders: a table `[roots]` with lines NAME = "FOLDER", or a'
        " `.code-workspace` of VS Code. Default: `repo_mcp_workspace.toml` at or above the current"
        " folder, if no root is given",
        "server.workspace",
        metavar="FILE",
    ),
    Setting(
        "data_dir",
        "folder",
        "",
        "Folder for the index and the audit log; default: `.repo_mcp` in the repository",
        "server.data_dir",
        metavar="FOLDER",
    ),
    Setting(
        "config",
        "file",
        "",
        "Your own TOML file with any of the settings, by their keys; relative folders in it start"
        " at the file's folder",
        "server.config",
        metavar="FILE",
    ),
    _root("docs_root", "Documentation that the toolset `retrieval` serves"),
    _root("code_root", "Code that the toolset `retrieval` serves"),
    _limit("max_file_bytes", 1_048_576, "Skip files larger than this many bytes"),
    _limit("max_open_lines", 2_000, "Maximum lines of a file in one answer"),
    _limit(
        "max_total_bytes_per_response",
        40_000,
        "Maximum size of one answer in bytes",
        least=MIN_RESPONSE,
    ),
    _limit("max_search_hits", 200, "Maximum hits of one search"),
    _limit("max_bundle_files", 50, "Maximum files in one context bundle"),
    _list(
        "include_extensions",
        "extensions",
        "Further extensions of text, listed from the index; all text is indexed",
        "indexing.include_extensions",
        ".EXT",
    ),
    _list(
        "exclude_globs",
        "globs",
        "Do not index files that match these globs",
        "indexing.exclude_globs",
        "GLOB",
    )._replace(restricts=True),
    Setting(
        "chunk_lines",
        "number",
        200,
        "Maximum lines of a chunk",
        "indexing.chunk_lines",
        "choose",
        1,
        MAX_CHUNK_LINES,
    ),
    Setting(
        "chunk_overlap",
        "number",
        30,
        "Lines that neighbouring chunks share; at most half of `chunk_lines` unless set outside"
        " `repo_mcp.toml`",
        "indexing.chunk_overlap",
        "choose",
        0,
        MAX_CHUNK_LINES - 1,
    ),
    Setting(
        "workers",
        "number",
        0,
        "Indexing processes; 0: one per processor, at most 8",
        "indexing.workers",
        most=64,
    ),
    Setting(
        "index_from",
        "text",
        "",
        "Address of an object store from which a repository without an index takes a published one:"
        " `s3://`, `gs://`, `az://`, `https://` or `file://`. It is read there until it is copied",
        "index.from",
        metavar="URL",
    ),
    Setting(
        "index_in_place",
        "switch",
        0,
        "Read the index at `index_from` where it is, page by page, and copy none of it: for"
        " containers that answer a few questions. Not with `index_trust`",
        "index.in_place",
    ),
    Setting(
        "index_trust",
        "names",
        (),
        "Public keys, as `repo-mcp keygen` shows them: published indexes are refused unless one of"
        " these has signed them",
        "index.trust",
        metavar="KEY,...",
        joins_sources=False,
        restricts=True,
    ),
    Setting(
        "index_share",
        "choice",
        "worktrees",
        "Which repositories lend their index files to other checkouts on this machine: those with"
        " several git `worktrees`, `always` all, or `never`, which borrows none either",
        "index.share",
        choices=("worktrees", "always", "never"),
        metavar="WHICH",
    ),
    Setting(
        "index_cache",
        "folder",
        "",
        "Folder of the index files that checkouts share; default: `repo-mcp/segments` in your cache"
        " folder",
        "index.cache",
        metavar="FOLDER",
    ),
    Setting(
        "index_cache_mb",
        "number",
        20_000,
        "Maximum size of that folder in MB; what other checkouts read stays, and nothing is added",
        "index.cache_mb",
        most=1 << 40,
    ),
    Setting(
        "scip",
        "names",
        (),
        "SCIP indexes in the repository, made by compilers: their edges win in the symbol graph",
        "graph.scip",
        "add",
        metavar="FILE,...",
        joins_sources=True,
    ),
    Setting(
        "history_commits",
        "number",
        200_000,
        "Index this many of the last commits of a checkout of git; 0: none",
        "history.commits",
        metavar="N",
        most=1 << 24,
    ),
    _list(
        "deny_globs",
        "globs",
        "Neither show nor index files that match these globs",
        "security.deny_globs",
        "GLOB",
    )._replace(restricts=True),
    Setting(
        "only",
        "paths",
        (),
        "Serve this part of the repository, as if there were nothing else: a folder or file, or"
        " `!PATH` for all but that. Each part has an index of its own, in the data folder",
        "server.only",
        metavar="PATH",
        joins_sources=True,
        restricts=True,
    ),
    Setting(
        "allow_hardlinks",
        "switch",
        0,
        "Open files that have more than one hard link",
        "security.allow_hardlinks",
    ),
    Setting(
        "dependencies",
        "switch",
        0,
        "Answer from installed dependencies, too, where they are asked: Python environments,"
        " `node_modules`, Yarn's archives, the caches of Go and Cargo, archives of sources of Java,"
        " documentation of .NET; read-only",
        "server.dependencies",
    ),
    Setting(
        "embeddings",
        "switch",
        0,
        "Rank short questions by meaning in repo.* and commands, too; --no-embeddings: no vectors",
        "embeddings.enabled",
        "choose",
    ),
    Setting(
        "embedding_model",
        "folder",
        "",
        "Folder of the embedding model; default: the built-in one. Nothing is ever downloaded",
        "embeddings.model",
        metavar="FOLDER",
    ),
    Setting(
        "function_encoder",
        "folder",
        "",
        "Sentence encoder that functions are encoded with in the background, for questions for"
        " functions; default: `minilm` where the extra `semantic` is installed, else none",
        "embeddings.functions",
        choices=("minilm", OFF),
        metavar="ENCODER",
    ),
    Setting(
        "watch",
        "switch",
        1,
        "Watch for file changes; when off, changes are found by walking the tree",
        "server.watch",
        server_only=True,
    ),
    Setting(
        "first_answer",
        "number",
        5,
        "Seconds that a question waits for a first index that will be there by then; otherwise it"
        " reads files for up to three times as long, and has the best of them indexed first",
        "server.first_answer",
        least=1,
        most=30,
        server_only=True,
    ),
    _server(
        "toolsets",
        "names",
        (),
        "Toolsets to serve: names, `all` or `default`; default: `default`",
        "NAME,...",
    ),
    _server("tools", "names", (), "Tools to serve in addition to the toolsets", "NAME,..."),
    _server(
        "exclude_tools", "names", (), "Tools never to serve; overrides the others", "NAME,..."
    )._replace(restricts=True),
    _server(
        "tool_names",
        "choice",
        "dotted",
        "Style of listed tool names: `underscore` for clients that reject dots. Calls may use"
        " either",
        "STYLE",
    )._replace(choices=("dotted", "underscore")),
    _server(
        "content",
        "choice",
        "both",
        "Form of answers: `text`, `structured`, or `both`; a client shows its model one of them",
        "FORM",
    )._replace(choices=("text", "structured", "both")),
    _server(
        "client_roots",
        "switch",
        0,
        "Serve the folders that the client has open, if it tells them; not over HTTP",
    ),
    _server(
        "idle_hours",
        "number",
        0,
        "End a server on standard input and output that was asked nothing for this many hours; 0:"
        " never. Without it, too, it ends with its input and with the process that started it",
        "N",
    ),
    _server("http", "switch", 0, "Serve over HTTP instead of standard input and output"),
    _server("http_host", "text", "127.0.0.1", "Address to serve HTTP on", "ADDRESS"),
    _server("http_port", "number", 8000, "Port to serve HTTP on; 0: any free port", "N")._replace(
        most=65_535
    ),
    _server(
        "http_token_env",
        "text",
        "REPO_MCP_HTTP_TOKEN",
        "Name of the environment variable with the HTTP server's token",
        "VARIABLE",
    ),
    _server(
        "http_tokens",
        "file",
        "",
        "File of the tokens of several users, which says what each may see; it is read again once"
        " it has changed",
        "FILE",
    )._replace(restricts=True),
    _server(
        "http_processes",
        "number",
        0,
        "Processes that answer calls over HTTP; 0: one for each processor with `--http-tokens`,"
        " else the server itself",
        "N",
    )._replace(most=64),
    _server(
        "engine",
        "text",
        "",
        "Let the workers of this cluster read the index in searches: `dask://HOST:PORT`,"
        " `tls://HOST:PORT`, or `local:N` for N processes here",
        "URL",
    ),
    _server(
        "segments",
        "text",
        "",
        "Address to which the index is published, where these workers find it; it is read there in"
        " place by the server, too, unless `index_from` is set. Default: the data folder, which"
        " workers have to see",
        "URL",
    ),
)
BY_NAME: Final = {setting.name: setting for setting in SETTINGS}
BY_KEY: Final = {setting.key: setting for setting in SETTINGS}
# further tables of repo_mcp.toml, and what a repository may do with them
MORE_TABLES: Final = {
    "adapters": "turn off parsing for a language, e.g. `[adapters.swift]` with `enabled = false`"
    ' (its files stay searchable), or give it more extensions (`extensions = [".inc"]`)',
    "hybrid": "store parameters of hybrid search: reserved, not used yet",
}
