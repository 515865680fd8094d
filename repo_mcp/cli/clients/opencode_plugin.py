"""Hooks of opencode, which are the code of a plugin: it starts the program as other clients do."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

# the program gets one JSON object on its standard input, and answers with one, or with nothing
_CODE: Final = """\
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


def plugin_code(program: Sequence[str]) -> str:
    """The plugin for a program that is started by this command line."""
    return f"const PROGRAM = {json.dumps(list(program))}\n{_CODE}"


def program_of_plugin(text: str) -> list[str]:
    """The command line of the program that a plugin starts; empty in any other text."""
    found = _PROGRAM.search(text)
    with suppress(ValueError):
        program = json.loads(found[1]) if found else []
        return program if all(isinstance(word, str) for word in program) else []
    return []
