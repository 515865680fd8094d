"""Loads settings: defaults, then `repo_mcp.toml`, the user's file, variables and flags."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from index_format.annotations import TYPE_CHECKING, Final
from index_format.late_import import find_package
from index_format.tuples import NamedTuple
from repo_mcp.settings import project_root
from repo_mcp.settings.project_root import DATA_FOLDER
from repo_mcp.settings.retrieval_roots import (
    CODE,
    SUBFOLDER,
    cache_folder,
    data_folder,
    resolve_roots,
)
from repo_mcp.settings.sources import (
    SettingValue,
    merge_values,
    read_flags,
    read_user_file,
    read_variables,
    unknown_variables,
)
from repo_mcp.settings.table import BY_NAME, OFF, SETTINGS, Setting, Value
from repo_mcp.settings.values import ConfigError, find_problem, is_address

if TYPE_CHECKING:
    from repo_mcp.model import Settings
    from repo_mcp.settings.repository_file import RepoConfig
    from repo_mcp.settings.workspace_roots import WorkspaceRoot

_LIMIT: Final = "limits."
_PACKAGES: Final = "packages"
# in a data folder that is set, the folders of the roots of a workspace
_ROOTS: Final = "roots"
# in a data folder, the folders of parts of its root that are served alone
_PARTS: Final = "parts"
# in the user's cache folder, the folders of graphs that lead from root to root
_WORKSPACES: Final = "workspaces"
# in the user's cache folder
_SEGMENTS: Final = "segments"
# in the user's cache folder, and in such a data folder what stands for the tree
_PUBLISHED: Final = "published"
_TREE: Final = "tree"
# the label that `publish` moves unless told otherwise
_LABEL: Final = "main"
# entries that show that a folder is a data folder already in use
_OURS: Final = frozenset(
    {"index", "place", "refresh.json", "scip.bin", "stat.cache", "audit.jsonl", "last_bundle.json"}
    # files that a pull leaves because they were refused
    | {"in_use", "labels.json", "history", "root.json"}
    | {SUBFOLDER, "roots", "parts"}
    | {_PUBLISHED, _TREE}
)
NEVER: Final = "never"
# kinds that are checked against the file system, not by their text
_PATH_KINDS: Final = frozenset({"folder", "file"})


class Options(NamedTuple):
    """Settings from flags, variables and the user's file, without the repository's file."""

    repo_root: str
    data_dir: str | None = None
    limits: Mapping[str, int] = {}
    include_extensions: tuple[str, ...] = ()
    exclude_globs: tuple[str, ...] = ()
    allow_hardlinks: bool = False
    deny_globs: tuple[str, ...] = ()
    # the part of the root that is served; of several roots, paths begin with their names
    only: tuple[str, ...] = ()
    # the branches whose commits are shown: all, or none
    branches: tuple[str, ...] | None = None
    chunk_lines: int | None = None
    chunk_overlap: int | None = None
    workers: int = 0
    scip: tuple[str, ...] = ()
    watch: bool = True
    first_answer: int = 5
    # names of toolsets (also `all` and `default`) and of tools; empty: not set
    toolsets: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    exclude_tools: tuple[str, ...] = ()
    tool_names: str = "dotted"
    # form of answers: text, structured or both
    content: str = "both"
    # the roots are those that the client tells
    client_roots: bool = False
    # installed packages are looked into
    dependencies: bool = False
    # after so many hours without a message, a server on standard input ends; 0 for never
    idle_hours: int = 0
    http: bool = False
    http_host: str = "127.0.0.1"
    http_port: int = 8000
    # the name of the variable that holds the token, never the token
    http_token_env: str = "REPO_MCP_HTTP_TOKEN"  # noqa: S105 the name of a variable
    # the file of the tokens of several users
    http_tokens: str = ""
    # processes that answer calls over HTTP; 0: as many as users and processors make useful
    http_processes: int = 0
    embeddings: bool | None = None
    embedding_model: str = ""
    function_encoder: str = ""
    index_from: str = ""
    index_in_place: bool = False
    index_trust: tuple[str, ...] = ()
    index_share: str = "worktrees"
    index_cache: str = ""
    index_cache_mb: int = 20_000
    # commits that are indexed; 0 for none
    history_commits: int = 200_000
    # the cluster whose workers read the index in searches, and the object store that has it
    engine: str = ""
    segments: str = ""
    # every value that was set, with its source, weakest source first
    assignments: tuple[SettingValue, ...] = ()
    notes: tuple[str, ...] = ()
    # the user's file, and the folders of the toolset `retrieval`; empty if not set
    config: str = ""
    docs_root: str = ""
    code_root: str = ""
    # why `repo_root` is not served, if only folders that the client tells may be
    root_refusal: str = ""
    # where a root that is served without a checkout was published, and the label that is followed;
    # `repo_root` is an empty folder then
    address: str = ""
    label: str = ""
    # where `repo_root` led when the server started; empty for commands, which open it once
    real_root: str = ""
    # the roots of a workspace as they were given, the file that lists them, and what they are;
    # without any, `repo_root` alone is served, which else is the first of them
    roots: tuple[str, ...] = ()
    workspace: str = ""
    mounts: tuple[WorkspaceRoot, ...] = ()
    # of a root of several, the paths in it of those that are inside of it
    inner_roots: tuple[str, ...] = ()
    # the folders around it whose `repo_mcp.toml` denies in it, too, each with its path in them
    around: tuple[tuple[str, str], ...] = ()
    # limits of a front end where neither the user nor the repository sets one
    usual_limits: Mapping[str, int] = {}


def fix_paths(options: Options) -> Options:
    """Options for a server: no path depends on its folder later, nor on a link to the root."""
    data = options.data_dir
    return options._replace(
        repo_root=os.path.abspath(options.repo_root),
        # another process of this server has it already
        real_root=options.real_root or os.path.realpath(options.repo_root),
        data_dir=data and os.path.abspath(data),
    )


def read_options(
    flags: Iterable[tuple[str, str]] = (),
    environment: Mapping[str, str] | None = None,
    *,
    serves: bool = False,
) -> Options:
    """Read variables, flags (names of settings with texts) and the user's file.

    Raises `ConfigError` for invalid values. The default root is the repository around the current
    folder. A server (`serves`) that asks its client for folders may be started anywhere.
    """
    variables = os.environ if environment is None else environment
    assignments = (*read_variables(variables), *read_flags(flags))
    values = merge_values(assignments)
    if "config" in values:
        assignments = (*read_user_file(str(values["config"])), *assignments)
        values = merge_values(assignments)
    mounts, chosen = _mounts(values, assignments)
    refusal, alone = "", mounts[0] if len(mounts) == 1 else None
    if len(mounts) > 1:
        values["repo_root"] = mounts[0].path
    elif mounts:
        values["repo_root"], mounts = mounts[0].path, ()
    if "repo_root" not in values:
        asks = serves and values.get("client_roots") and not values.get("http")
        root, refusal = _broad_root() if asks else ("", "")
        values |= {"repo_root": root} if root else _default_root(values, variables)
    limits = {name: values.pop(name) for name in list(values) if _is_limit(BY_NAME[name])}
    notes = unknown_variables(variables, values)
    options = Options(
        **values,  # type: ignore[arg-type]
        mounts=mounts,
        root_refusal=refusal,
        limits=limits,  # type: ignore[arg-type]
        assignments=assignments,
        notes=notes,
    )
    if chosen is not None:
        options = root_options(options, chosen)
    elif alone is not None:
        options = options._replace(deny_globs=_globs_in(alone, options), around=alone.around)
    if is_address(options.repo_root):
        options = _published_options(options)
    check_options(options)
    return options


def _published_options(options: Options) -> Options:
    """The options of a root that is served from where it was published.

    Its data is the user's. An empty folder there stands for the files, so that whatever looks for
    `.git`, or for files of a checkout, finds none.
    """
    address, _, label = options.repo_root.partition("#")
    data, cache = options.data_dir, cache_folder(os.environ)
    if data is None:
        if not cache:
            where = _source(options, "repo_root")
            raise ConfigError(f"{where} {address}: there is no folder for data: set --data-dir")
        data = os.path.join(cache, _PUBLISHED, _digest(address))
    root = os.path.join(os.path.abspath(data), _TREE)
    return options._replace(
        address=address,
        label=label or _LABEL,
        repo_root=root,
        real_root=root,
        data_dir=data,
        index_from=address,
        watch=False,
        scip=(),
        history_commits=0,
    )


def _mounts(
    values: Mapping[str, Value], assignments: Iterable[SettingValue]
) -> tuple[tuple[WorkspaceRoot, ...], WorkspaceRoot | None]:
    """The roots of a workspace, none without one; and the root that alone was chosen of several."""
    roots, file = values.get("roots"), str(values.get("workspace") or "")
    named = {item.name: item.source for item in assignments}
    given = [named[name] for name in ("roots", "workspace") if values.get(name)]
    if given and named.get("repo_root") == BY_NAME["repo_root"].flag:
        raise ConfigError(f"{named['repo_root']} and {given[0]}: give one root or several")
    found = ""
    if not file and (roots or "repo_root" not in values):
        found = project_root.find_workspace_file(".")
    if not (roots or file or found):
        return (), None
    from repo_mcp.settings import workspace_roots  # noqa: PLC0415 few have several

    if isinstance(roots, tuple) and roots:
        if not file and not (found and workspace_roots.are_names(roots)):
            return workspace_roots.roots_of_flags(roots, given[0]), None
        listed = workspace_roots.roots_of_file(file or found, is_named=bool(file))
        mounts = workspace_roots.choose_roots(listed, roots, file or found)
        return mounts, mounts[0] if len(mounts) == 1 < len(listed) else None
    return workspace_roots.roots_of_file(file or found, is_named=bool(file)), None


def root_options(options: Options, root: WorkspaceRoot) -> Options:
    """The options of one root of a workspace; below a data folder that is set, each has its own."""
    from repo_mcp.settings import workspace_roots  # noqa: PLC0415 few have several

    data = options.data_dir
    if data is not None:
        data = os.path.join(os.path.abspath(data), _ROOTS, f"{root.name}-{_digest(root.real)}")
    return options._replace(
        repo_root=root.path,
        real_root=root.real,
        data_dir=data,
        deny_globs=_globs_in(root, options),
        inner_roots=workspace_roots.roots_inside(root, options.mounts),
        only=_parts_in(root, options),
        around=root.around,
        roots=(),
        workspace="",
        mounts=(),
    )


def _parts_in(root: WorkspaceRoot, options: Options) -> tuple[str, ...]:
    """The parts that are served of one root of several."""
    parts = (part.partition(f"{root.name}/") for part in options.only)
    return tuple(f"{sign}{below}" for sign, _, below in parts if below and sign in {"", "!"})


def _digest(text: str) -> str:
    """The name of a folder that belongs to a text."""
    from index_format.blake2 import blake2b  # noqa: PLC0415 not at start

    return blake2b(os.fsencode(text), digest_size=8).hexdigest()


def _globs_in(root: WorkspaceRoot, options: Options) -> tuple[str, ...]:
    from repo_mcp.settings.workspace_roots import globs_in_root  # noqa: PLC0415 few have several

    return globs_in_root(root, options.mounts, options.deny_globs)


def workspace_options(options: Options) -> Options:
    """The options of what roots have in common, whose data is beside that of the roots."""
    data = options.data_dir
    if data is None:
        names = "\0".join(part for mount in options.mounts for part in (mount.name, mount.real))
        cache = cache_folder(os.environ) or usual_data_folder(options.mounts[0].path)
        data = os.path.join(cache, _WORKSPACES, _digest(names))
    folders = [mount.real for mount in options.mounts if os.path.isdir(mount.real)]
    try:
        root = os.path.commonpath(folders)
    except ValueError:  # none is there, or they are on several drives
        root = next(iter(folders), options.mounts[0].real)
    return options._replace(repo_root=root, real_root=root, data_dir=data, mounts=())


def _broad_root() -> tuple[str, str]:
    """The current folder, if it is too broad to be served, and why; both empty for any other."""
    try:
        project_root.refuse_broad_root(".")
    except ConfigError as refused:
        return ".", str(refused)
    return "", ""


def _default_root(values: Mapping[str, Value], variables: Mapping[str, str]) -> dict[str, Value]:
    """The repository around the current folder, else the code root with a data folder outside it.

    Nothing is written into the code root: it is served read-only.
    """
    try:
        return {"repo_root": project_root.find_root(".")}
    except ConfigError:
        docs, code = (str(values.get(name) or "") for name in ("docs_root", "code_root"))
        if not docs and not code:
            raise
        data_dir = values.get("data_dir")
        roots = resolve_roots(docs, code, None if data_dir is None else str(data_dir), variables)
        if roots.faults:
            raise roots.refusal from None
        default_data = os.path.join(
            os.path.dirname(roots.data), os.path.basename(data_folder(roots, CODE))
        )
        return {"repo_root": roots.folders[CODE], "data_dir": data_dir or default_data}


def check_options(options: Options) -> None:
    """Raise `ConfigError` at startup for options that can't be served."""
    if options.mounts:
        for mount in options.mounts:
            if os.path.isdir(mount.path):  # one that is missing is named in answers
                check_options(root_options(options, mount))
        return
    if not options.root_refusal:
        _check_root(options)
    for name, value in _non_default_values(options):
        problem = find_problem(BY_NAME[name], value)
        if problem:
            shown = value[0] if isinstance(value, tuple) else value
            raise ConfigError(f"{_source(options, name)} {shown}: {problem}")


def _check_root(options: Options) -> None:
    if options.address:
        data = data_dir_of(options)
        _check_data_dir("", data, f"{_source(options, 'data_dir')} {data}")
        return
    root, data = os.path.realpath(options.repo_root), data_dir_of(options)
    where = f"{_source(options, 'repo_root')} {options.repo_root}"
    if not os.path.isdir(root):
        raise ConfigError(f"{where}: not a folder")
    if not os.access(root, os.R_OK | os.X_OK):
        raise ConfigError(f"{where}: not readable")
    if not os.path.isabs(options.repo_root):
        project_root.refuse_broad_root(options.repo_root)
    if options.data_dir is None and os.path.islink(data):
        raise ConfigError(f"{DATA_FOLDER} is a link: remove it, or set --data-dir")
    _check_data_dir(root, data, f"{_source(options, 'data_dir')} {data}")


def http_token(options: Options) -> str:
    """The token of the HTTP server, or empty."""
    return os.environ.get(options.http_token_env, "").strip()


def allows_plain_http(scheme: str) -> bool:
    """True if the variable of this kind of object store allows requests without TLS."""
    names = {"s3": "AWS", "gs": "GOOGLE", "az": "AZURE", "ab": "AZURE"}
    variable = f"{names.get(scheme[:2], '')}_ALLOW_HTTP"
    return os.environ.get(variable, "").strip().lower() in {"1", "true", "yes", "on"}


def merge_settings(options: Options, found: RepoConfig) -> Settings:
    """Merge the options with the repository's file."""
    from repo_mcp.model import ENCODERS, RequestLimits, Settings, Windows  # noqa: PLC0415 not at start

    lowered = {
        name: found.values[name] for name in RequestLimits.__match_args__ if name in found.values
    }
    lines, overlap = _windows(options, found)
    of_languages = tuple(extension for extension, _ in found.languages.extensions)
    return Settings(
        os.path.abspath(options.repo_root),
        data_dir_of(options),
        RequestLimits(**{**options.usual_limits, **lowered, **options.limits}),  # type: ignore[arg-type]
        (*_texts(found, "include_extensions"), *of_languages, *options.include_extensions),
        (*_texts(found, "exclude_globs"), *options.exclude_globs),
        (*_texts(found, "deny_globs"), *options.deny_globs),
        options.allow_hardlinks,
        Windows(lines, overlap),
        options.workers,
        options.watch,
        options.first_answer,
        notes=(*options.notes, *found.notes),
        languages=found.languages,
        scip=tuple(dict.fromkeys((*_texts(found, "scip"), *options.scip))),
        embedding_model=_embedding_model(options, found),
        ranks_by_meaning=bool(_embeddings(options, found)),
        function_encoder=_function_encoder(options, found, ENCODERS),
        hybrid=found.hybrid,
        index_from=options.index_from or _segments(options),
        index_in_place=options.index_in_place
        or bool(_segments(options) and not options.index_from),
        index_trust=options.index_trust,
        index_share=options.index_share,
        index_cache=_index_cache(options),
        index_cache_bytes=options.index_cache_mb * 1_000_000,
        history_commits=options.history_commits,
        real_root=options.real_root,
        entries=_entries(options),
        branches=options.branches,
        audit_dir=own_data_dir(options),
        address=_shown_address(options.address),
    )


def _shown_address(address: str) -> str:
    """An address without what may be a credential."""
    scheme, mark, rest = address.partition("://")
    host, slash, path = rest.partition("?")[0].partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}"


def _entries(options: Options) -> tuple[str, ...]:
    """The part of the root that is served, without the data folder of the whole."""
    if own_data_dir(options) == data_dir_of(options):
        return ()
    root, data = map(os.path.realpath, (options.repo_root, own_data_dir(options)))
    below = data.removeprefix(os.path.join(root, ""))
    return options.only if below == data else (*options.only, f"!{below.replace(os.sep, '/')}")


def _segments(options: Options) -> str:
    """Where workers read a published index: whoever asks them reads it in place, without a copy."""
    return options.segments if options.engine else ""


def _index_cache(options: Options) -> str:
    """The folder of index files that checkouts share; empty if nothing is shared."""
    if options.index_share == NEVER:
        return ""
    if options.index_cache:
        return os.path.abspath(options.index_cache)
    folder = cache_folder(os.environ)
    return os.path.join(folder, _SEGMENTS) if folder else ""


def _embedding_model(options: Options, found: RepoConfig) -> str | None:
    """The folder of the model, "" for the built-in one; None without vectors."""
    if _embeddings(options, found) is False:
        return None
    return os.path.abspath(options.embedding_model) if options.embedding_model else ""


def _function_encoder(options: Options, found: RepoConfig, known: Mapping[str, str]) -> str:
    """The name or the folder of the encoder of functions; "" for none.

    Where the user names none, it is the first of the `known` ones that is installed.
    """
    chosen = options.function_encoder
    if chosen == OFF or _embeddings(options, found) is False:
        return ""
    if not chosen:
        return next((name for name, package in known.items() if find_package(package)), "")
    return chosen if chosen in known else os.path.abspath(chosen)


def _embeddings(options: Options, found: RepoConfig) -> bool | None:
    """True if the user or the repository turns vectors on or off; None if neither does."""
    if options.embeddings is not None:
        return options.embeddings
    value = found.values.get("embeddings")
    return None if value is None else bool(value)


def _windows(options: Options, found: RepoConfig) -> tuple[int, int]:
    """Chunk size and overlap; an overlap not set by the user is at most half a chunk."""
    lines = options.chunk_lines or _number(found, "chunk_lines")
    if options.chunk_overlap is not None:
        return lines, min(options.chunk_overlap, lines - 1)
    return lines, min(_number(found, "chunk_overlap"), lines // 2)


def _number(found: RepoConfig, name: str) -> int:
    value = found.values.get(name, BY_NAME[name].default)
    return value if isinstance(value, int) else 0


def _texts(found: RepoConfig, name: str) -> tuple[str, ...]:
    value = found.values.get(name, ())
    return value if isinstance(value, tuple) else ()


def _non_default_values(options: Options) -> Iterator[tuple[str, Value]]:
    """Values that differ from their defaults; the items of a list one by one."""
    for setting in SETTINGS:
        limit = _is_limit(setting)
        value = options.limits.get(setting.name) if limit else getattr(options, setting.name)
        if isinstance(value, tuple):
            yield from ((setting.name, (item,)) for item in value)
        elif value not in (None, setting.default) and setting.kind not in _PATH_KINDS:
            yield setting.name, value


def _source(options: Options, name: str) -> str:
    """The last source that set this value."""
    sources = [item.source for item in options.assignments if item.name == name]
    return sources[-1] if sources else BY_NAME[name].flag


def _is_limit(setting: Setting) -> bool:
    return setting.key.startswith(_LIMIT)


def _check_data_dir(root: str, data: str, where: str) -> None:
    real = os.path.realpath(data)
    if root == real or root.startswith(real.rstrip(os.sep) + os.sep):
        raise ConfigError(f"{where}: must not be the repository or a folder above it")
    if not os.path.exists(data):
        return
    if not os.path.isdir(data):
        raise ConfigError(f"{where}: not a folder")
    with suppress(PermissionError):
        entries = set(os.listdir(data)) - {".gitignore"}
        if entries and not entries & _OURS:
            raise ConfigError(f"{where}: contains other files, choose an empty folder")


def data_dir_of(options: Options) -> str:
    """The full path of the data folder, which may not be there yet; each part has its own."""
    own = own_data_dir(options)
    if not options.only and options.branches is None:
        return own
    names = sorted(options.only), sorted(options.branches or ())
    return os.path.join(own, _PARTS, _digest("\0\0".join(map("\0".join, names))))


def own_data_dir(options: Options) -> str:
    """The full path of the data folder of the whole root."""
    return os.path.abspath(options.data_dir or usual_data_folder(options.repo_root))


def packages_folder(data_dir: str) -> str:
    """The folder of the indexes of installed packages, which projects share."""
    return os.path.join(cache_folder(os.environ) or data_dir, _PACKAGES)


def usual_data_folder(root: str) -> str:
    """The data folder of a repository for which no other one is named."""
    return os.path.join(root, DATA_FOLDER)
