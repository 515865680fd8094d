"""Units of shell scripts, by lines."""

from __future__ import annotations

from typing import Final

from code_graph.lines.rules import HASH_ALONE, LineRules, Unit, by_braces, by_line

_HERE: Final = r"<<-?\s*[\"']?(?P<here>\w+)[\"']?[^\n]*\n(?s:.*?)\n[ \t]*(?P=here)[ \t]*$"
# texts may go on in the next lines, but not over what begins or ends a function
_ON: Final = r"\n(?!\}|[\w.-]+[ \t]*\([ \t]*\)|function[ \t])"
_DOUBLE: Final = rf'(?<!\\)"(?:[^"\\\n]|\\(?s:.)|{_ON})*"?'
_SINGLE: Final = rf"(?<![\w\\])\$?'(?:[^'\n]|{_ON})*'?"
_NAME: Final = r"(?P<name>[\w.:+@-]+)"

RULES: Final = LineRules(
    name="shell",
    comments=(HASH_ALONE,),
    texts=(_HERE, _DOUBLE, _SINGLE),
    imports=r"^[ \t]*(?:source|\.)[ \t]+(?P<module>[^\s;|&]+)",
    units=(
        Unit("function", rf"^[ \t]*function[ \t]+{_NAME}(?:[ \t]*\([ \t]*\))?", by_braces),
        Unit("function", rf"^[ \t]*{_NAME}[ \t]*\([ \t]*\)", by_braces),
        Unit("alias", r"^[ \t]*alias[ \t]+(?:-\w+[ \t]+)?(?P<name>[\w.:+-]+)=", by_line),
        Unit(
            "variable",
            r"^(?:(?:export|readonly|declare|typeset)[ \t]+(?:-\w+[ \t]+)*)?"
            r"(?P<name>[A-Z_][A-Z\d_]*)=",
            by_line,
            inside=("",),
            is_once=True,
        ),
    ),
)
