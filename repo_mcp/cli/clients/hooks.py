"""Hooks: commands that a client runs after a prompt and after a search, in its files of settings.

They are of the user alone. What they say goes to the model; a program that is gone or fails says
nothing and stops nothing, as a client may take any failure for a refusal.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from index_format.tuples import NamedTuple
from repo_mcp.cli.clients import blocks, files, jsonc_edit
from repo_mcp.cli.clients.blocks import Change, MarkedText
from repo_mcp.cli.clients.entries import ClientTarget, other_readers
from repo_mcp.cli.clients.files import ClientFile, EditError
from repo_mcp.cli.clients.places import hooks_path
from repo_mcp.cli.known_clients import Client, is_ours

_TABLE: Final = "hooks"
_COMMAND: Final = "hook"
# the end of a line: no message, and no exit code, by which clients refuse a prompt
_QUIET: Final = " 2>/dev/null || :"
_SECONDS: Final = 2
_MILLISECONDS: Final = 2000
# hooks of opencode are the code of a plugin, which starts the program as other clients do: it gets
# one JSON object on its standard input, and answers with one, or with nothing
_PLUGIN: Final = """\
const told = async (kind, event) => {
  try {
    const run = Bun.spawn([...PROGRAM, "hook", kind], {
      stdin: new Blob([JSON.stringify(event)]),
      stdout: "pipe",
      stderr: "ignore",
      timeout: 2000,
    })
    const text = await new Response(run.stdout).text()
    return text.trim() ? JSON.parse(text).additionalContext || "" : ""
  } catch {
    return ""
  }
}

export const RepoMcp = async ({ directory }) => ({
  "chat.message": async (_, output) => {
    const asked = output.parts.find((part) => part.type === "text" && !part.synthetic)
    if (!asked) return
    const event = { hook_event_name: "chat.message", cwd: directory, prompt: asked.text }
    const text = await told("prompt", event)
    if (text) output.parts.push({ ...asked, id: `${asked.id}z`, text, synthetic: true })
  },
  "tool.execute.after": async (input, output) => {
    if (!["bash", "grep"].includes(input.tool)) return
    const text = await told("search", {
      hook_event_name: "tool.execute.after",
      cwd: directory,
      tool_name: input.tool,
      tool_input: input.args,
      tool_response: output.output,
    })
    if (text) output.output += `\\n\\n${text}`
  },
})
"""
_PROGRAM: Final = re.compile(r"^const PROGRAM = (\[.*\])$", re.MULTILINE)


class HookForm(NamedTuple):
    """The form in which a client has hooks: events, the tools that search, and its entries."""

    # the event after a prompt; empty if it takes no text from there
    prompt: str
    search: str
    # a pattern of the names of its tools for searching
    tools: str
    # how long it waits, in its own unit; far more than they take
    patience: int = _SECONDS
    # entries in groups, each with a pattern of tools, or a pattern in each entry
    is_grouped: bool = True
    head: Mapping[str, object] = {}


_COPILOT: Final = HookForm(
    "UserPromptSubmit", "PostToolUse", "Bash|Grep", is_grouped=False, head={"version": 1}
)
_GEMINI_TOOLS: Final = "run_shell_command|grep_search|search_file_content"
FORMS: Final[Mapping[str, HookForm]] = {
    "claude": HookForm("UserPromptSubmit", "PostToolUse", "Bash|Grep"),
    "codex": HookForm("UserPromptSubmit", "PostToolUse", "Bash"),
    "gemini": HookForm("BeforeAgent", "AfterTool", _GEMINI_TOOLS, _MILLISECONDS),
    "qwen": HookForm("UserPromptSubmit", "PostToolUse", "run_shell_command|grep_search"),
    "copilot": _COPILOT,
    "vscode": _COPILOT,
    "cursor": HookForm("", "postToolUse", "Shell|Grep", is_grouped=False, head={"version": 1}),
}
# the clients with hooks; one has them as code
CLIENTS: Final = frozenset({*FORMS, "opencode"})
# what a client does with hooks that are new
NOTES: Final = {"codex": "it runs new hooks once you have trusted them: open /hooks in it"}


def hook_entries(form: HookForm, program: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The entry of each event, for a program that is started by this command line."""
    entries: dict[str, dict[str, Any]] = {}
    if form.prompt:
        entries[form.prompt] = _entry(form, program, "prompt", "")
    entries[form.search] = _entry(form, program, "search", form.tools)
    return entries


def _entry(form: HookForm, program: Sequence[str], kind: str, tools: str) -> dict[str, Any]:
    line = f"{shlex.join([*program, _COMMAND, kind])}{_QUIET}"
    hook = {"type": "command", "command": line, "timeout": form.patience}
    pattern = {"matcher": tools} if tools else {}
    return {**pattern, "hooks": [hook]} if form.is_grouped else {**hook, **pattern}


def addition(target: ClientTarget, program: Sequence[str]) -> Change | None:
    """The change that writes the hooks; None if they are there."""
    file = _read(target)
    if file is None:
        return None
    if target.client.name not in FORMS:
        return blocks.addition(_plugin(file, program), file)
    text = _with_hooks(file.text, FORMS[target.client.name], program)
    return Change(file, text) if text != file.text else None


def removal(target: ClientTarget, earlier: Sequence[str] = ()) -> Change | None:
    """The change that takes the hooks away; None without any.

    It gives back one of the earlier texts, if the hooks are all that was added to it.
    """
    file = _read(target)
    if file is not None and target.client.name not in FORMS:
        return blocks.removal(_plugin(file, ()), file)
    line = next(our_lines(file.text), None) if file else None
    if file is None or line is None:
        return None
    others = other_readers(target, file.path, _paths_of, any_scope=True)
    if others:
        return Change(file, None, f"the hooks stay for {others}")
    form, program = FORMS[target.client.name], program_of(line)
    before = files.backup_text(file)
    for text in ([] if before is None else [before]) + list(earlier):
        with suppress(EditError):
            if _with_hooks(text, form, program) == file.text:
                return Change(file, text)
    return Change(file, without(target.client, file.text, before or ""))


def without(client: Client, text: str, before: str = "") -> str:
    """A text without our hooks; lists that are empty then stay where the text before had them."""
    form = FORMS.get(client.name)
    if form is None or not has_any(text):
        return text
    had = jsonc_edit.value_of(before).get(_TABLE)
    for event in hook_entries(form, ()):
        text = _without_event(text, event, is_kept=isinstance(had, dict) and event in had)
    if jsonc_edit.value_of(text).get(_TABLE) == {} and had is None:
        text = jsonc_edit.without_member(text, (_TABLE,))
    return text


def has_any(text: str) -> bool:
    """True if a text of any kind has hooks of ours."""
    with suppress(EditError):
        return any(our_lines(text))
    return False


def present(target: ClientTarget) -> list[list[str]]:
    """The command lines of our hooks in the client's file."""
    file = _read(target)
    if file is not None and target.client.name not in FORMS:
        program = _program_of_plugin(file.text)
        return [[*program, _COMMAND]] if program else []
    return list(our_lines(file.text)) if file else []


def program_of(line: list[str]) -> list[str]:
    """The program that a hook's command line starts."""
    return line[: line.index(_COMMAND)]


def is_empty(text: str) -> bool:
    """True if a text holds nothing but what stands above hooks."""
    value = jsonc_edit.value_of(text)
    return "//" not in text and not {*value} - {"version", _TABLE} and not value.get(_TABLE)


def our_lines(text: str) -> Iterator[list[str]]:
    """The command lines of our hooks in a file's text."""
    table = jsonc_edit.value_of(text).get(_TABLE)
    for entries in table.values() if isinstance(table, dict) else ():
        for entry in entries if isinstance(entries, list) else ():
            line = _our_line(entry)
            if line:
                yield line


def _plugin(file: ClientFile, program: Sequence[str]) -> MarkedText:
    return MarkedText(file.path, _plugin_code(program), is_file=True)


def _with_hooks(text: str, form: HookForm, program: Sequence[str]) -> str:
    for key, value in form.head.items():
        if key not in jsonc_edit.value_of(text):
            text = jsonc_edit.with_member(text, (key,), value)
    for event, entry in hook_entries(form, program).items():
        if [one for one in _entries(text, event) if _our_line(one)] != [entry]:
            text = jsonc_edit.with_element(
                _without_event(text, event, is_kept=True), (_TABLE, event), entry
            )
    return text


def _without_event(text: str, event: str, *, is_kept: bool) -> str:
    entries = _entries(text, event)
    for at in reversed(range(len(entries))):
        if _our_line(entries[at]):
            text = jsonc_edit.without_element(text, (_TABLE, event), at)
    if entries and not _entries(text, event) and not is_kept:
        text = jsonc_edit.without_member(text, (_TABLE, event))
    return text


def _entries(text: str, event: str) -> list[Any]:
    table = jsonc_edit.value_of(text).get(_TABLE, {})
    entries = table.get(event, []) if isinstance(table, dict) else None
    if not isinstance(entries, list):
        raise EditError(f"{_TABLE!r} in it has another form")
    return entries


def _our_line(entry: object) -> list[str]:
    """The command line of an entry if it starts this program, in any installation."""
    if not isinstance(entry, dict):
        return []
    inner = entry.get("hooks")
    for hook in [entry, *(inner if isinstance(inner, list) else [])]:
        command = hook.get("command") if isinstance(hook, dict) else None
        line = _split(command) if isinstance(command, str) else []
        if _COMMAND in line and is_ours(line):
            return line
    return []


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command.removesuffix(_QUIET))
    except ValueError:
        return []


def _read(target: ClientTarget) -> ClientFile | None:
    path = hooks_path(target.client)
    return files.read(path) if path is not None else None


def _paths_of(target: ClientTarget) -> Iterator[Path]:
    path = hooks_path(target.client)
    if path is not None:
        yield path


def _plugin_code(program: Sequence[str]) -> str:
    """The plugin for a program that is started by this command line."""
    return f"const PROGRAM = {json.dumps(list(program))}\n{_PLUGIN}"


def _program_of_plugin(text: str) -> list[str]:
    """The command line of the program that a plugin starts; empty in any other text."""
    found = _PROGRAM.search(text)
    with suppress(ValueError):
        program = json.loads(found[1]) if found else []
        return program if all(isinstance(word, str) for word in program) else []
    return []
