"""The page on the settings, from their table."""

from __future__ import annotations

from repo_mcp.settings import MORE_TABLES, SETTINGS, Setting, allowed

HEAD = """# Settings

Written by `make docs` from [table.py](../repo_mcp/settings/table.py). A setting is said, the
weakest first, by `repo_mcp.toml` at the root of the repository, by a variable of the
environment, or by a flag; `repo-mcp config` shows each with its source. Lists of files
(extensions and globs) of all three are taken together; of anything else the strongest counts.

A variable that is empty says nothing. Lists have commas between their items in variables; flags are
repeated, or, for names of tools and toolsets, have commas too. A switch is turned off by
`--no-` before its name.

"""
FILE = """
## repo_mcp.toml

The file comes with the repository, so it can't be trusted to loosen anything: it may lower limits,
leave out more files, and choose how files are cut, and no more. What it says beyond that, or says
wrongly, changes nothing; every answer of the server warns of it, and so do the commands.

| key | a repository may |
|---|---|
"""
MAY = {
    "lower": "lower it",
    "add": "add to it",
    "choose": "choose it",
    "repeat": "say that it is off",
}
EXAMPLE = """
```toml
[limits]
max_file_bytes = 500000

[indexing]
exclude_globs = ["third_party/**"]
include_extensions = [".lark"]
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
    said = [setting for setting in SETTINGS if setting.file != "nothing"]
    keys = [f"| `{setting.key}` | {MAY[setting.file]} |" for setting in said]
    keys += [f"| `[{name}]` | {meaning} |" for name, meaning in MORE_TABLES.items()]
    return f"{HEAD}{table}{FILE}" + "\n".join(keys) + "\n" + EXAMPLE


def setting_row(setting: Setting) -> str:
    """One setting."""
    return (
        f"| `{setting.flag}` | `{setting.variable}` | {default(setting)} |"
        f" {setting.meaning} ({allowed(setting)}) |"
    )


def default(setting: Setting) -> str:
    """What holds when nobody says anything."""
    if setting.kind == "switch":
        return "on" if setting.default else "off"
    return f"`{setting.default}`" if setting.default not in ((), "") else "none"
