"""Settings: defaults, then `repo_mcp.toml`, then variables, then flags; nothing else counts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from repo_mcp.settings import project_root
from repo_mcp.settings.retrieval_roots import CODE, SUBFOLDER, data_folder, roots
from repo_mcp.settings.sources import (
    SettingValue,
    by_flags,
    by_own_file,
    by_variables,
    taken,
    unknown,
)
from repo_mcp.settings.table import BY_NAME, SETTINGS, Setting, Value
from repo_mcp.settings.values import ConfigError, refusal

if TYPE_CHECKING:
    from repo_mcp.model import Settings
    from repo_mcp.settings.repository_file import RepoConfig

DATA_FOLDER: Final = ".repo_mcp"
# what a data folder has that was in use before
_OURS: Final = frozenset(
    {"index", "place", "refresh.json", "stat.cache", "audit.jsonl", "last_bundle.json"}
    | {SUBFOLDER}
)
_LIMIT: Final = "limits."
# what is looked at where it is used
_PLACES: Final = frozenset({"folder", "file"})


class Options(NamedTuple):
    """Flags and variables, checked for form only: cheap, because the server starts with it."""

    repo_root: str
    data_dir: str | None = None
    limits: Mapping[str, int] = {}
    include_extensions: tuple[str, ...] = ()
    exclude_globs: tuple[str, ...] = ()
    allow_hardlinks: bool = False
    deny_globs: tuple[str, ...] = ()
    chunk_lines: int | None = None
    chunk_overlap: int | None = None
    workers: int = 0
    watch: bool = True
    # words and names of toolsets, and names of tools: empty says nothing
    toolsets: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    exclude_tools: tuple[str, ...] = ()
    tool_names: str = "dotted"
    http: bool = False
    http_host: str = "127.0.0.1"
    http_port: int = 8000
    # the name of the variable that holds the token, never the token
    http_token_env: str = "REPO_MCP_HTTP_TOKEN"  # noqa: S105 the name of a variable
    embeddings: bool = False
    # who said what, in the order of their weight
    said: tuple[SettingValue, ...] = ()
    notes: tuple[str, ...] = ()
    # the user's own file, and the folders of the toolset `retrieval`; empty when not named
    config: str = ""
    docs_root: str = ""
    code_root: str = ""


def read_options(
    flags: Iterable[tuple[str, str]] = (), environment: Mapping[str, str] | None = None
) -> Options:
    """What variables and flags (names of settings and texts) say; `ConfigError` where it can't be.

    Without a root the repository around the current folder is meant.
    """
    around = os.environ if environment is None else environment
    said = (*by_variables(around), *by_flags(flags))
    values = taken(said)
    if "config" in values:
        said = (*by_own_file(str(values["config"])), *said)
        values = taken(said)
    if "repo_root" not in values:
        values |= _around(values, around)
    limits = {name: values.pop(name) for name in list(values) if _is_limit(BY_NAME[name])}
    found = Options(**values, limits=limits, said=said, notes=unknown(around, values))  # type: ignore[arg-type]
    check_options(found)
    return found


def _around(values: Mapping[str, Value], around: Mapping[str, str]) -> dict[str, Value]:
    """The repository where none is named; where there is none to be had, the code root.

    Nothing is written into that one: it was named to be read.
    """
    try:
        return {"repo_root": project_root.found(".")}
    except ConfigError:
        docs, code = (str(values.get(name) or "") for name in ("docs_root", "code_root"))
        if not docs and not code:
            raise
        data_dir = values.get("data_dir")
        found = roots(docs, code, None if data_dir is None else str(data_dir), around)
        if found.faults:
            raise ConfigError(found.refusal) from None
        beside = os.path.join(
            os.path.dirname(found.data), os.path.basename(data_folder(found, CODE))
        )
        return {"repo_root": found.folders[CODE], "data_dir": data_dir or beside}


def check_options(options: Options) -> None:
    """Refuse what can't be served, before anybody waits for an answer."""
    root, data = os.path.realpath(options.repo_root), _data_dir(options)
    where = f"{_source(options, 'repo_root')} {options.repo_root}"
    if not os.path.isdir(root):
        raise ConfigError(f"{where}: not a folder")
    if not os.access(root, os.R_OK | os.X_OK):
        raise ConfigError(f"{where}: not readable")
    if not os.path.isabs(options.repo_root):
        project_root.refuse_too_much(options.repo_root)
    if options.data_dir is None and os.path.islink(data):
        raise ConfigError(f"{DATA_FOLDER} is a link: remove it, or say --data-dir")
    _check_data_dir(root, data, f"{_source(options, 'data_dir')} {data}")
    for name, value in _given(options):
        problem = refusal(BY_NAME[name], value)
        if problem:
            shown = value[0] if isinstance(value, tuple) else value
            raise ConfigError(f"{_source(options, name)} {shown}: it {problem}")


def http_token(options: Options) -> str:
    """The token of the HTTP server, empty when there is none."""
    return os.environ.get(options.http_token_env, "").strip()


def merge_settings(options: Options, found: RepoConfig) -> Settings:
    """Options and the repository's file, taken together."""
    from repo_mcp.model import Limits, Settings, Windows  # noqa: PLC0415 not before a call

    lowered = {name: found.values[name] for name in Limits.__slots__ if name in found.values}
    lines, overlap = _windows(options, found)
    of_languages = tuple(extension for extension, _ in found.languages.extensions)
    return Settings(
        os.path.abspath(options.repo_root),
        _data_dir(options),
        Limits(**{**lowered, **options.limits}),  # type: ignore[arg-type]
        (*_texts(found, "include_extensions"), *of_languages, *options.include_extensions),
        (*_texts(found, "exclude_globs"), *options.exclude_globs),
        (*_texts(found, "deny_globs"), *options.deny_globs),
        options.allow_hardlinks,
        Windows(lines, overlap),
        options.workers,
        options.watch,
        notes=(*options.notes, *found.notes),
        languages=found.languages,
        hybrid=found.hybrid,
    )


def _windows(options: Options, found: RepoConfig) -> tuple[int, int]:
    """What is said by flags and variables is meant; else no line is in more than three chunks."""
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


def _given(options: Options) -> Iterator[tuple[str, Value]]:
    """Settings that are not at their defaults; those of a list one by one."""
    for setting in SETTINGS:
        limit = _is_limit(setting)
        value = options.limits.get(setting.name) if limit else getattr(options, setting.name)
        if isinstance(value, tuple):
            yield from ((setting.name, (item,)) for item in value)
        elif value not in (None, setting.default) and setting.kind not in _PLACES:
            yield setting.name, value


def _source(options: Options, name: str) -> str:
    """Who said it last."""
    sources = [source for said, source, _ in options.said if said == name]
    return sources[-1] if sources else BY_NAME[name].flag


def _is_limit(setting: Setting) -> bool:
    return setting.key.startswith(_LIMIT)


def _check_data_dir(root: str, data: str, where: str) -> None:
    real = os.path.realpath(data)
    if root == real or root.startswith(real.rstrip(os.sep) + os.sep):
        raise ConfigError(f"{where}: not the repository itself, nor a folder around it")
    if not os.path.exists(data):
        return
    if not os.path.isdir(data):
        raise ConfigError(f"{where}: not a folder")
    with suppress(PermissionError):
        held = set(os.listdir(data)) - {".gitignore"}
        if held and not held & _OURS:
            raise ConfigError(f"{where}: there are other things in it, take an empty one")


def _data_dir(options: Options) -> str:
    return os.path.abspath(options.data_dir or os.path.join(options.repo_root, DATA_FOLDER))
