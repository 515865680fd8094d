"""Settings: defaults, then `repo_mcp.toml`, then the command line; nothing else decides them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from repo_mcp.model import Settings

DATA_FOLDER: Final = ".repo_mcp"
# what a data folder has that was in use before
_OURS: Final = frozenset({"index", "place", "refresh.json", "stat.cache"})
_MIN_RESPONSE: Final = 4000
_MAX_WORKERS: Final = 64
# as in model, which the server starts without
_MAX_CHUNK_LINES: Final = 10_000


class ConfigError(Exception):
    """What was asked for on the command line can't be."""


class Options(NamedTuple):
    """The command line, checked for form only: cheap, because the server starts with it."""

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
    http_token_env: str = "REPO_MCP_HTTP_TOKEN"


def project_folder(start: str) -> str:
    """The repository around a folder: the nearest one above it that has a `.git`, or itself."""
    folder = os.path.abspath(start)
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return os.path.abspath(start)
        folder = above
    return folder


def check(options: Options) -> None:
    """Refuse what can't be served, before anybody waits for an answer."""
    root, data = os.path.realpath(options.repo_root), _data_dir(options)
    if not os.path.isdir(root):
        raise ConfigError(f"--repo-root {options.repo_root}: not a folder")
    if not os.access(root, os.R_OK | os.X_OK):
        raise ConfigError(f"--repo-root {options.repo_root}: not readable")
    if options.data_dir is None and os.path.islink(data):
        raise ConfigError(f"{DATA_FOLDER} is a link: remove it, or say --data-dir")
    _check_data_dir(root, data)
    for name, value in options.limits.items():
        least = _MIN_RESPONSE if name == "max_total_bytes_per_response" else 1
        if value < least:
            raise ConfigError(f"--{name.replace('_', '-')}: {least} or more")
    _check_range("chunk-lines", options.chunk_lines, 1, _MAX_CHUNK_LINES)
    _check_range("chunk-overlap", options.chunk_overlap, 0, _MAX_CHUNK_LINES - 1)
    _check_range("workers", options.workers, 0, _MAX_WORKERS)
    for extension in options.include_extensions:
        if not is_extension(extension):
            raise ConfigError(f"--include-extension {extension}: say it like .lark")


def is_extension(text: str) -> bool:
    """Whether a file's name can end so: one dot, and what follows it."""
    return text[:1] == "." and len(text) > 1 and not set(text[1:]) & set("./\\*?")


def _check_data_dir(root: str, data: str) -> None:
    real = os.path.realpath(data)
    if root == real or root.startswith(real.rstrip(os.sep) + os.sep):
        raise ConfigError(f"--data-dir {data}: not the repository itself, nor a folder around it")
    if not os.path.exists(data):
        return
    if not os.path.isdir(data):
        raise ConfigError(f"--data-dir {data}: not a folder")
    with suppress(PermissionError):
        held = set(os.listdir(data)) - {".gitignore"}
        if held and not held & _OURS:
            raise ConfigError(f"--data-dir {data}: there are other things in it, take an empty one")


def _check_range(name: str, value: int | None, least: int, most: int) -> None:
    if value is not None and not least <= value <= most:
        raise ConfigError(f"--{name}: from {least} to {most}")


def load(options: Options, read: Callable[[str], bytes]) -> Settings:
    """All settings; `read` gives a file of the repository, empty when there is none to be read."""
    from dataclasses import replace  # noqa: PLC0415 not before the first call

    from repo_mcp.config_file import FILE_NAME, RepoConfig  # noqa: PLC0415 as above
    from repo_mcp.model import Settings, Windows  # noqa: PLC0415 as above

    found = RepoConfig(read(FILE_NAME), is_extension)
    lines = options.chunk_lines or found.chunk_lines
    # what the command line says is meant; else no line is in more than two or three chunks
    overlap = min(found.chunk_overlap, lines // 2)
    if options.chunk_overlap is not None:
        overlap = min(options.chunk_overlap, lines - 1)
    return Settings(
        os.path.abspath(options.repo_root),
        _data_dir(options),
        replace(found.limits(_MIN_RESPONSE), **options.limits),
        (*found.include_extensions, *options.include_extensions),
        (*found.exclude_globs, *options.exclude_globs),
        (*found.deny_globs, *options.deny_globs),
        options.allow_hardlinks,
        Windows(lines, overlap),
        options.workers,
        options.watch,
        notes=found.notes,
    )


def _data_dir(options: Options) -> str:
    return os.path.abspath(options.data_dir or os.path.join(options.repo_root, DATA_FOLDER))
