"""Generates the page on the settings from their table."""

from __future__ import annotations

from code_graph.formats.toml import MAX_BYTES, MAX_DEPTH, MAX_PARTS, MAX_WORD
from repo_mcp.settings import MORE_TABLES, SETTINGS, Setting, allowed_values

HEAD = """# Settings

Written by `make docs` from [table.py](../repo_mcp/settings/table.py). The sources of a setting,
weakest first: `repo_mcp.toml` at the root of the repository, your own file (`--config`), an
environment variable, a flag; `repo-mcp config` shows each value with its source. Lists of
extensions and globs are joined from all sources; of any other setting the strongest source wins.

An empty variable is ignored, but for those of `--index-trust`, `--deny-glob`, `--exclude-glob` and
`--exclude-tools`: given without a value, in any source, each of them is an error. In variables,
commas separate the items of a list; flags are repeated, or, for names of tools and toolsets, take
commas too. `--no-` before its name turns a switch off.

"""
FILE = f"""
## repo_mcp.toml

The file comes with the repository and is not trusted: it may lower limits, exclude more files,
choose the size of chunks, and set nothing else but the keys below. Everything else in it, and any
invalid value, is ignored; every answer of the server and every command warns of it.

So is the whole file if it has more than {MAX_BYTES:,} bytes, a key of more than {MAX_PARTS} parts,
lists or tables more than {MAX_DEPTH} deep in each other, or a name or number without quotes of more
than {MAX_WORD} characters. Your own file has the same limits; one over them is an error.

| key | a repository may |
|---|---|
"""
MAY = {
    "lower": "lower it",
    "add": "add to it",
    "choose": "choose it",
}
EXAMPLE = """
```toml
[limits]
max_file_bytes = 500000

[indexing]
exclude_globs = ["third_party/**"]
chunk_lines = 120

[security]
deny_globs = ["internal/**"]

[adapters.cpp]
extensions = [".inc"]
```
"""


def page() -> str:
    """The whole page."""
    rows = "\n".join(map(setting_row, SETTINGS))
    table = f"| flag | variable | default | meaning |\n|---|---|---|---|\n{rows}\n"
    in_file = [setting for setting in SETTINGS if setting.file != "nothing"]
    keys = [f"| `{setting.key}` | {MAY[setting.file]} |" for setting in in_file]
    keys += [f"| `[{name}]` | {meaning} |" for name, meaning in MORE_TABLES.items()]
    return f"{HEAD}{table}{FILE}" + "\n".join(keys) + "\n" + EXAMPLE


def setting_row(setting: Setting) -> str:
    """One setting."""
    return (
        f"| `{setting.flag}` | `{setting.variable}` | {default(setting)} |"
        f" {setting.meaning} ({allowed_values(setting)}) |"
    )


def default(setting: Setting) -> str:
    """The default as the table shows it."""
    if setting.kind == "switch":
        return "on" if setting.default else "off"
    return f"`{setting.default}`" if setting.default not in ((), "") else "none"
