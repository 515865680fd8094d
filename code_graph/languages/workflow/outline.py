"""Units of jobs of CI in YAML, by lines."""

from __future__ import annotations

from typing import Final

from code_graph.lines.rules import HASH_ALONE, LineRules, Unit, by_indent

# keys of GitLab and others that are no jobs
_NO_JOB: Final = (
    r"(?!(?:stages|variables|default|include|workflow|image|cache|before_script|after_script"
    r"|services|on|true|env|permissions|concurrency|defaults|name|run-name|version|orbs|executors"
    r"|commands|parameters|trigger|pool|resources|pr|schedules|jobs|workflows|steps|inputs|outputs"
    r"|runs|description|branding|author|language|script|matrix|git|os|dist|addons|install"
    r"|notifications|branches|sudo)\b)"
)
_STEP: Final = r"[ \t]+(?P<name>[^\n]+?)[ \t]*$"
_IN: Final = ("job", "jobs", "")

RULES: Final = LineRules(
    name="workflow",
    comments=(HASH_ALONE,),
    word=r"[^\W\d][\w.-]*",
    imports=r"^[ \t]*(?:-[ \t]+)?uses:[ \t]+(?P<module>[^\s\#]+)",
    units=(
        Unit("jobs", r"^(?P<name>jobs|workflows|runs):[ \t]*$", by_indent, inside=("",)),
        Unit("job", r"^[ \t]{1,4}(?P<name>[\w.-]+):[ \t]*$", by_indent, inside=("jobs",)),
        Unit(
            "job",
            rf"^{_NO_JOB}(?P<name>[\w.][^:\n\"'-][^:\n\"']*):[ \t]*$",
            by_indent,
            inside=("",),
        ),
        Unit(
            "job",
            r"^[ \t]*-[ \t]+(?:job|stage|deployment):[ \t]*(?P<name>[\w.-]+)",
            by_indent,
        ),
        Unit("step", r"^[ \t]*-[ \t]+name:" + _STEP, by_indent, inside=_IN),
        Unit("step", r"^[ \t]*-[ \t]+(?:uses|id|task|script|run):" + _STEP, by_indent, inside=_IN),
    ),
)
