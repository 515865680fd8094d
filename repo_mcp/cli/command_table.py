"""Every command: what it does, what runs it, and what it needs.

Modules and functions are named, below this package, and imported for the one command that runs.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from index_format.tuples import NamedTuple
from repo_mcp.cli.command_line import HOOK, RIPGREP, SERVE, WEB


class Command(NamedTuple):
    """A row: the name and meaning of a command, and what differs between commands."""

    name: str
    meaning: str
    # the "module:function" that runs it with the command line, and where it needs the index with
    # its services, too; the program itself runs commands without one
    target: str = ""
    # the module whose function `_add_NAME` adds its options
    options: str = "command_arguments"
    # the names of tools that do the same
    tools: tuple[str, ...] = ()
    needs_index: bool = True
    # its target takes the whole call instead, with its packages and notes
    takes_call: bool = False
    # its words may stand before and behind options
    takes_words: bool = False
    # takes the settings of a repository as options, and those of a server
    has_settings: bool = True
    has_server_settings: bool = False
    # may make the folder of the index, and says so before it reads anything
    notes_folder: bool = True
    # is about the files of one index: of several roots each has its own
    of_one_root: bool = False
    # and reads or writes one place, which several roots can't share
    to_one_place: bool = False
    # reads a repository as it is, or as it was
    at_revisions: bool = False
    # answers from installed packages, too
    knows_packages: bool = False
    asks_graph: bool = False


_without_repository = partial(Command, needs_index=False, has_settings=False)
_about_the_program = partial(Command, needs_index=False, has_server_settings=True)
_of_kept_index = partial(Command, notes_folder=False)
_of_files = partial(
    Command,
    target="commands:_search",
    options="search.arguments",
    takes_call=True,
    takes_words=True,
    notes_folder=False,
    at_revisions=True,
    knows_packages=True,
)
_of_file = partial(Command, options="file.arguments", at_revisions=True, knows_packages=True)
_of_whole_graph = partial(
    Command,
    target="commands:_graph",
    options="graph_arguments",
    takes_call=True,
    at_revisions=True,
    asks_graph=True,
)
_of_symbol = partial(_of_whole_graph, knows_packages=True)

_ROWS: Final = (
    Command(
        SERVE,
        "serve MCP over standard input and output (the command that clients start)",
        options="",
        has_server_settings=True,
    ),
    _without_repository(
        "install", "add this server to the configuration of a client", "clients.install:run"
    ),
    _without_repository(
        "uninstall", "remove this server from the configuration of a client", "clients.install:run"
    ),
    _about_the_program(
        "doctor",
        "check installation, repository, index and clients, and suggest repairs",
        "doctor.command:run",
    ),
    _about_the_program(
        "config", "show every setting and where its value comes from", "config_command:run"
    ),
    Command(
        "index", "bring the index up to date", "state.commands:index", tools=("refresh_index",)
    ),
    _of_files("search", "find passages or lines in the repository's files", tools=("search_code",)),
    # it has the settings of the environment and of the configuration
    _without_repository(
        RIPGREP,
        "answer ripgrep's command lines with ripgrep's output, from the index",
        "commands:_rg",
    ),
    Command(
        "ask",
        "answer questions of any kind, each with a verdict and the next step",
        "ask_command:run",
        takes_words=True,
        at_revisions=True,
    ),
    _of_kept_index(
        "tour",
        "tell what the repository is: parts, entry points, how it is built and tested",
        "tour_command:run",
    ),
    _of_files("files", "list the files that are searched", tools=("list_files",)),
    _of_file(
        "outline",
        "list the declarations of a file",
        "file.outline:run",
        tools=("get_file_outline",),
    ),
    _of_file(
        "open",
        "show lines of a file",
        "file.open:run",
        tools=("open_file", "read_file"),
        notes_folder=False,
    ),
    Command(
        "history",
        "ask git's history: texts, words, files, lines, people",
        "history.command:run",
        "history.arguments",
        ("log", "blame"),
    ),
    Command(
        "diff",
        "list the declarations that differ between revisions, or since one",
        "history.diff:run",
        "history.arguments",
    ),
    Command(
        "changes",
        "tell what a change may break, and which tests to run",
        "changes.command:run",
        "changes.arguments",
    ),
    Command(
        "bundle",
        "collect the excerpts that a task needs, with citations",
        "commands:_bundle",
        tools=("build_context_bundle",),
        takes_call=True,
        at_revisions=True,
        knows_packages=True,
    ),
    _of_symbol(
        "symbol",
        "show one symbol: definition, uses in code and tests, what it uses",
        tools=("get_symbol",),
    ),
    _of_symbol(
        "symbols",
        "find symbols by the words of their names",
        tools=("search_symbols", "lookup_symbol"),
    ),
    _of_symbol("callers", "show what calls a symbol, and where", tools=("get_callers",)),
    _of_symbol("callees", "show what a symbol calls, and where", tools=("get_callees",)),
    _of_symbol(
        "implementations",
        "show what implements, extends or overrides a symbol",
        tools=("get_implementations",),
    ),
    _of_symbol("refs", "show every use of a symbol", tools=("get_references",)),
    _of_symbol(
        "dependencies",
        "show what a symbol or file uses, in its members too",
        tools=("get_dependencies",),
    ),
    _of_symbol(
        "dependents", "show what uses a symbol or file, or its members", tools=("get_dependents",)
    ),
    _of_symbol(
        "similar",
        "show the symbols whose code is most like that of a symbol",
        tools=("find_similar",),
    ),
    _of_symbol(
        "impact",
        "show what a change of a symbol may affect, and which tests reach it",
        tools=("get_impact",),
    ),
    _of_symbol(
        "path",
        "show why one symbol depends on another, with a place for each step",
        tools=("get_path",),
    ),
    _of_whole_graph("cycles", "show files, folders or projects that import each other"),
    _of_whole_graph("unused", "show symbols that nothing uses, as far as that can be proved"),
    _of_whole_graph(
        "graph", "show or draw the symbols around one, or the packages of the repository"
    ),
    _of_symbol(
        "research",
        "answer a question over several steps, with the evidence of each",
        tools=("code_research",),
        takes_words=True,
    ),
    Command(
        "proof",
        "certify a list of uses for others, or check a certificate",
        "proof.command:run",
        "proof.arguments",
    ),
    Command(WEB, "show search, files, bundles and more as pages in a browser of this machine"),
    Command(HOOK, "answer the hooks of clients: facts about what a prompt or a search names"),
    Command(
        "audit",
        "show recorded tool calls",
        "audit_command:run",
        tools=("audit_log",),
        needs_index=False,
    ),
    _of_kept_index(
        "status", "show the state of the index", "state.report:show_status", tools=("get_status",)
    ),
    _of_kept_index("check", "read the whole index and report damage", "state.commands:check"),
    _of_kept_index(
        "compact",
        "merge the index into the fewest files, as a fresh build writes it",
        "state.commands:compact",
    ),
    _of_kept_index(
        "dump", "show the content of an index file", "state.commands:dump", of_one_root=True
    ),
    Command(
        "publish",
        "publish the index in an object store, for other checkouts",
        "state.published:publish",
        of_one_root=True,
        to_one_place=True,
    ),
    Command(
        "pull",
        "take over the published index that is nearest to this checkout",
        "state.published:pull",
        of_one_root=True,
        to_one_place=True,
    ),
    _of_kept_index(
        "audit-index",
        "rebuild some segments from the files, and compare them with the index",
        "state.published:audit_index",
        of_one_root=True,
    ),
    _without_repository(
        "keygen", "make a pair of keys that sign published indexes", "state.published:keygen"
    ),
    _without_repository(
        "completion",
        "print the script with which a shell completes the words of this program",
        "help.completion:run",
    ),
    Command(
        "scip",
        "write the symbol graph as a SCIP index, or show imported ones",
        "graph.scip_command:run",
        of_one_root=True,
    ),
)
COMMANDS: Final = {command.name: command for command in _ROWS}
