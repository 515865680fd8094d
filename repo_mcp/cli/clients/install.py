"""The commands `install` and `uninstall`: add this server to clients, or remove it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from repo_mcp.cli.clients import allow, drift, files, hooks, instructions, jsonc_edit
from repo_mcp.cli.clients.blocks import Change
from repo_mcp.cli.clients.entries import (
    ClientTarget,
    edit_file,
    is_empty,
    merge_entry,
    remove_entry,
    server_line,
    snippet,
    text_before,
)
from repo_mcp.cli.clients.files import ClientFile, EditError
from repo_mcp.cli.clients.report import FAILED, StepReport
from repo_mcp.cli.command_line import CommandLine, complain
from repo_mcp.cli.known_clients import BY_NAME, Scope
from repo_mcp.cli.program import command, is_temporary
from repo_mcp.errors import Problem
from repo_mcp.settings import ConfigError, project_root
from repo_mcp.settings.workspace_roots import roots_of_file

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,30}")


def run(args: CommandLine) -> int:
    """Run the command for each named client; returns the exit code."""
    if not _NAME.fullmatch(args.name):
        raise Problem("argument_invalid", "--name: letters, digits, - and _, at most 31")
    work = _install if args.command == "install" else _uninstall
    report = StepReport(as_json=args.json)
    targets = list(_targets(args))
    if args.command == "install" and args.all is None:
        args.all = args.instructions is None and _wants_all(args)
    with files.one_at_a_time():
        codes = [work(target, args, report) for target in targets]
    report.end(args.command)
    return max(codes)


def mend(project: Path, report: StepReport) -> None:
    """Change what has drifted, one after the other, as several may be of one file."""
    args = CommandLine(print=False)
    mended = set[str]()
    with files.one_at_a_time():
        while True:
            drifted = (item for item in drift.drifts(project) if item.message not in mended)
            item = next((item for item in drifted if item.change.text is not None), None)
            if item is None:
                return
            mended.add(item.message)
            _apply(item.target, item.change, args, report)


def _targets(args: CommandLine) -> Iterator[ClientTarget]:
    project = Path(args.repo_root).expanduser().absolute() if args.repo_root else None
    if project is not None and not project.is_dir():
        raise ConfigError(f"--repo-root {args.repo_root}: not a folder")
    if project is not None and not Path(args.repo_root).is_absolute():
        project_root.refuse_broad_root(str(project))
    for name in dict.fromkeys(args.clients):
        client = BY_NAME[name]
        scope: Scope = args.scope or client.scope
        if scope == "project" and not client.project_file:
            raise ConfigError(f"{name} has no file of a project: omit --scope")
        if scope == "project":
            yield ClientTarget(
                client, scope, project or Path(project_root.find_root(".")), args.name
            )
        elif scope in client.untold and project is None and args.command == "install":
            raise ConfigError(
                f"{name} does not pass the open project to servers in its user file:"
                f"{' omit --scope, or' if client.project_file else ''} name the repository with"
                " --repo-root"
            )
        else:
            yield ClientTarget(client, scope, project or Path.cwd(), args.name)


def _install(target: ClientTarget, args: CommandLine, report: StepReport) -> int:
    program = [args.program] if args.program else command()
    is_told = args.repo_root and target.scope == "user"
    is_untold = target.scope == "project" and "project" in target.client.untold
    pinned = str(target.project) if is_told or is_untold else ""
    chosen = _chosen_flags(args)
    line = server_line(target.client, program, pinned, chosen)
    more = allow.allowed_fields(target) if args.allow else {}
    entry = {**target.client.entry(line), **more}
    if args.print:
        report.content(target, f"add this to {target.config_path}", snippet(target, entry))
        return _add_parts(target, args, report)
    try:
        file = target.read()
        before = target.entry(file.text)
        entry = {**merge_entry(target, before, program, line, keep=not (pinned or chosen)), **more}
        text = edit_file(target, file.text, before, entry)
    except EditError as error:
        by_hand = snippet(target, {**target.client.entry(line), **more})
        return _leave(target, report, f"{error}. To add by hand:", by_hand)
    if text == file.text:
        report.step(target, "unchanged", f"{target.config_path} has it already")
        return _add_parts(target, args, report)
    # of a file that has only been installed to, the first backup is the one to go back to
    is_update = before is not None and text_before(target, file) is not None
    code = _write(target, report, file, text, keeps_backup=is_update)
    code = code or _add_parts(target, args, report)
    if not code and is_temporary(program):
        report.warn(f"{program[0]} is in a cache that may be emptied: install repo-mcp permanently")
    return code


def _chosen_flags(args: CommandLine) -> list[str]:
    """Flags of the server that were asked for; raises `ConfigError` for a file without folders."""
    found: list[str] = []
    if args.workspace:
        if args.repo_root:
            raise ConfigError("--repo-root and --workspace: name one repository, or several")
        file = str(Path(args.workspace).expanduser().absolute())
        roots_of_file(file)
        found += ["--workspace", file]
    if args.client_roots:
        if args.workspace or args.repo_root:
            raise ConfigError("--client-roots: the client names the folders, and nothing else does")
        found.append("--client-roots")
    if args.dependencies:
        found.append("--dependencies")
    return found


def _wants_all(args: CommandLine) -> bool:
    """The answer of a person at a terminal; no, if there is none."""
    if args.json or args.print or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    complain(
        "also give it hooks that put facts in front of prompts, instructions, a skill and an"
        " explorer (uninstall takes all of it back)? [Y/n]"
    )
    answer = sys.stdin.readline()
    return bool(answer) and answer.strip().lower() in {"", "y", "yes"}


def _add_parts(target: ClientTarget, args: CommandLine, report: StepReport) -> int:
    """Write what was asked for beside the server's entry."""
    code = _allow(target, report) if args.allow and not args.print else 0
    if not code and args.all:
        code = _add_hooks(target, args, report)
    if not code and (args.all or args.instructions):
        code = _instruct(target, args, report)
    return code


def _add_hooks(target: ClientTarget, args: CommandLine, report: StepReport) -> int:
    """Write the hooks into the user's own file, which no project has."""
    if target.client.name not in hooks.CLIENTS:
        return 0
    if args.scope == "project":
        told = "no hooks for a project alone: they run by themselves, so only you may have them"
        report.step(target, "note", told, note=told)
        return 0
    if sys.platform == "win32":
        told = "no hooks: their lines are for a POSIX shell"
        report.step(target, "note", told, note=told)
        return 0
    try:
        change = hooks.addition(target, [args.program] if args.program else command())
    except EditError as error:
        return report.failure(target, f"its hooks are unchanged: {error}")
    code = _apply(target, change, args, report) if change else 0
    told = hooks.NOTES.get(target.client.name, "")
    if change and told and not args.print:
        report.step(target, "note", told, note=told)
    return code


def _remove_hooks(target: ClientTarget, args: CommandLine, report: StepReport) -> int:
    if target.client.name not in hooks.CLIENTS or args.scope == "project":
        return 0
    try:
        change = hooks.removal(target, _earlier(target))
    except EditError as error:
        return report.failure(target, f"its hooks are unchanged: {error}")
    if change is None or change.text is None or args.print:
        return _apply(target, change, args, report) if change else 0
    if hooks.is_empty(change.text) and not files.has_backup(change.file):
        return _remove(target, change.file, report, change.file.path)
    return _write(target, report, change.file, change.text, change.file.path, keeps_backup=True)


def _earlier(target: ClientTarget) -> list[str]:
    """Texts that the file of hooks had before them, if the server or its rule is in it, too."""
    texts: list[str] = []
    with suppress(EditError):
        edited, rules = target.read(), allow.rules_file(target)
        before, entry = files.backup_text(edited), target.entry(edited.text)
        if before is not None and isinstance(entry, dict):
            texts.append(edit_file(target, before, None, entry))
        before = files.backup_text(rules) if rules else None
        if before is not None:
            texts.append(allow.rule_added(target, before) or before)
    return texts


def _instruct(
    target: ClientTarget, args: CommandLine, report: StepReport, *, add: bool = True
) -> int:
    """Write what its agents read, or remove that; edited texts stay."""
    try:
        changes = list(
            instructions.additions(target, explorer=bool(args.all))
            if add
            else instructions.removals(target)
        )
    except EditError as error:
        return report.failure(target, f"instructions are unchanged: {error}")
    code = 0
    for change in changes:
        code |= _apply(target, change, args, report)
    unreached = instructions.unreached(target) if add and not args.print else []
    if unreached:
        told = (
            f"subagents with a list of tools get these only if it has them: {', '.join(unreached)};"
            f" add mcp__{target.name}__repo_search and others to `tools`"
        )
        report.step(target, "note", told, note=told)
    return code


def _apply(target: ClientTarget, change: Change, args: CommandLine, report: StepReport) -> int:
    """Write a change, show it, or say why it is not made."""
    file, text, note = change
    if text is None:
        report.step(target, "kept", f"{file.path}: {note}", file.path, note=note)
    elif args.print:
        report.content(target, f"{file.path} would be", text)
    elif note:  # it was made for the text
        return _remove(target, file, report, file.path)
    else:
        # a block has in its mark what the file was before
        kept = files.has_backup(file) or not hooks.has_any(text)
        return _write(target, report, file, text, file.path, keeps_backup=kept)
    return 0


def _allow(target: ClientTarget, report: StepReport, *, allowed: bool = True) -> int:
    """Change the client's rules, or say how it is told."""
    try:
        change = allow.rule_change(target, allowed=allowed)
    except EditError as error:
        return report.failure(target, f"its rules are unchanged: {error}")
    told = allow.note(target)
    if allowed and told:
        report.step(target, "note", told, note=told)
    if change is None:
        return 0
    file, text = change
    if allowed:
        return _write(target, report, file, text, file.path)
    return _write_rest(target, file, text, report, file.path)


def _uninstall(target: ClientTarget, args: CommandLine, report: StepReport) -> int:
    if _remove_hooks(target, args, report):
        return FAILED
    try:
        file = target.read()
        text = remove_entry(target, file)
    except EditError as error:
        return _leave(target, report, str(error))
    if text is None:
        report.step(target, "absent", f"{target.config_path} does not have it")
        return _instruct(target, args, report, add=False)
    if args.print:
        report.content(target, "", text)
        return _instruct(target, args, report, add=False)
    code = _write_rest(target, file, text, report)
    if not code and args.backups:
        for path in files.remove_backups(file):
            report.step(target, "removed", f"{path} removed", path)
    code = code or _allow(target, report, allowed=False)
    return code or _instruct(target, args, report, add=False)


def _write_rest(
    target: ClientTarget, file: ClientFile, text: str, report: StepReport, path: Path | None = None
) -> int:
    """Write what is left; a file that holds nothing else is removed, if `install` made it."""
    if not is_empty(target, text) or files.has_backup(file):
        return _write(target, report, file, text, path)
    return _remove(target, file, report, path)


def _remove(target: ClientTarget, file: ClientFile, report: StepReport, path: Path | None) -> int:
    """Remove a file that `install` has made, and its folder if that is left empty."""
    try:
        inside = target.scope == "project" and file.path.is_relative_to(target.project)
        files.remove(file, target.project if inside else Path.home())
    except EditError as error:
        return _leave(target, report, str(error), path=path)
    shown = path or target.config_path
    report.step(target, "removed", f"{shown} removed, as nothing else was in it", path)
    return 0


def _write(
    target: ClientTarget,
    report: StepReport,
    file: ClientFile,
    text: str,
    path: Path | None = None,
    *,
    keeps_backup: bool = False,
) -> int:
    shown = path or target.config_path
    try:
        private = not file.path.is_relative_to(target.project) or target.scope == "user"
        kept = keeps_backup or _is_ours_alone(target, file)
        backup = files.replace(file, text, private=private, keeps_backup=kept)
    except EditError as error:
        return _leave(target, report, str(error), path=path)
    told = f"; backup: {backup}" if backup else ""
    report.step(target, "written", f"{shown} written{told}", path, backup=str(backup or ""))
    return 0


def _is_ours_alone(target: ClientTarget, file: ClientFile) -> bool:
    """True if a part of this installation has made the file, so that it needs no backup."""
    if target.client.toml or file.found is None or files.has_backup(file):
        return False
    with suppress(EditError):
        text = hooks.without(target.client, file.text)
        text = allow.without_rule(target, text)
        if target.entry(text) is not None:
            text = jsonc_edit.without_member(text, target.keys)
        return text != file.text and (is_empty(target, text) or hooks.is_empty(text))
    return False


def _leave(
    target: ClientTarget, report: StepReport, why: str, by_hand: str = "", path: Path | None = None
) -> int:
    """Say that a file is unchanged, and what to paste into it."""
    shown = path or target.config_path
    code = report.failure(target, f"{shown} is unchanged: {why}", path, text=by_hand)
    if by_hand:
        report.paste(by_hand)
    return code
