"""Module options of a folder's tsconfig.json and jsconfig.json, with all that they extend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from code_graph.projects.manifests.npm import TsConfig
from code_graph.projects.tree import below, join, parent
from index_format.tuples import NamedTuple

_MAX_CHAIN: Final = 20
_CONFIG_DIR: Final = "${configDir}"
_ENTRIES: Final = ("tsconfig.json", "jsconfig.json")


class ModuleOptions(NamedTuple):
    """Module options in force, as paths; patterns are sorted by how exact they are."""

    base_url: str | None
    paths: tuple[tuple[str, tuple[str, ...]], ...]
    root_dirs: tuple[str, ...]
    out_dir: str
    root_dir: str
    # how modules of packages are found, in the words of the compiler; empty if it is not said
    resolution: str = ""


def options_of(
    configs: Mapping[str, TsConfig], packages: Mapping[str, tuple[str, ...]]
) -> dict[str, ModuleOptions]:
    """The options in force in each folder with a configuration."""
    found: dict[str, ModuleOptions] = {}
    for path in sorted(configs):
        folder, _, name = path.rpartition("/")
        if name == "jsconfig.json" and below(folder, "tsconfig.json") in configs:
            continue
        if name in _ENTRIES:
            chain = list(_chain(path, configs, packages))
            chain = chain if _says_paths(chain) else [*chain, *_referred(path, configs, packages)]
            found[folder] = _options(folder, chain)
    return found


def _says_paths(chain: list[TsConfig]) -> bool:
    return any(config.paths is not None or config.base_url is not None for config in chain)


def _chain(
    path: str, configs: Mapping[str, TsConfig], packages: Mapping[str, tuple[str, ...]]
) -> Iterator[TsConfig]:
    """A configuration and those that it extends, what counts more first."""
    seen: set[str] = set()
    waiting = [path]
    while waiting and len(seen) < _MAX_CHAIN:
        at = waiting.pop()
        if at in seen or at not in configs:
            continue
        seen.add(at)
        config = configs[at]
        yield config
        # of several the last counts most
        for text in config.extends:
            waiting.extend(_extended(config, text, configs, packages))


def _extended(
    config: TsConfig,
    text: str,
    configs: Mapping[str, TsConfig],
    packages: Mapping[str, tuple[str, ...]],
) -> Iterator[str]:
    if text.startswith("."):
        folder, inner = config.folder, text
    else:
        count = 2 if text.startswith("@") else 1
        steps = text.split("/")
        places = packages.get("/".join(steps[:count]))
        if not places:
            return
        folder, inner = places[0], "/".join(steps[count:]) or "tsconfig.json"
    where = join(folder, inner)
    if where is not None:
        options = (where, f"{where}.json", below(where, "tsconfig.json"))
        yield from (option for option in options if option in configs)


def _referred(
    path: str, configs: Mapping[str, TsConfig], packages: Mapping[str, tuple[str, ...]]
) -> Iterator[TsConfig]:
    """Configurations of the same folder that one refers to, if they say more than it."""
    config = configs[path]
    for text in config.references[:_MAX_CHAIN]:
        where = join(config.folder, text)
        if where is not None and where in configs and parent(where) == config.folder:
            chain = list(_chain(where, configs, packages))
            if _says_paths(chain):
                yield from chain
                return


def _options(folder: str, chain: list[TsConfig]) -> ModuleOptions:
    """The value of each option in the first configuration that has it, as paths."""
    based = next((one for one in chain if one.base_url is not None), None)
    base_url = _path(folder, based.folder, based.base_url or "") if based is not None else None
    mapped = next((one for one in chain if one.paths is not None), None)
    patterns: list[tuple[str, tuple[str, ...]]] = []
    for pattern, targets in (mapped.paths or ()) if mapped is not None else ():
        start = base_url if base_url is not None else mapped.folder if mapped is not None else ""
        resolved = (_path(folder, start, target) for target in targets)
        patterns.append((pattern, tuple(path for path in resolved if path is not None)))
    patterns.sort(key=lambda item: ("*" in item[0], -len(item[0].partition("*")[0])))
    laid = next((one for one in chain if one.root_dirs), None)
    roots = (_path(folder, laid.folder, text) for text in laid.root_dirs) if laid else ()
    out = next((one for one in chain if one.out_dir), None)
    source = next((one for one in chain if one.root_dir), None)
    return ModuleOptions(
        base_url,
        tuple(patterns),
        tuple(path for path in roots if path is not None),
        (_path(folder, out.folder, out.out_dir) or "") if out is not None else "",
        (_path(folder, source.folder, source.root_dir) if source is not None else None)
        or below(folder, "src"),
        next((one.resolution for one in chain if one.resolution), ""),
    )


def _path(folder: str, base: str, text: str) -> str | None:
    """The path that a text in a configuration means; `folder` is that of the outermost one."""
    if text.startswith(_CONFIG_DIR):
        return join(folder, text.removeprefix(_CONFIG_DIR).strip("/"))
    return join(base, text)
