"""Why lines are in a bundle or not, and what limits it: records, and the text of each code."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple, Self

from repo_mcp.bundle.weights import SizeWeights


class _TextEnum(StrEnum):
    """Codes with a text each."""

    text: str

    def __new__(cls, code: str, text: str) -> Self:
        member = str.__new__(cls, code)
        member._value_ = code
        member.text = text
        return member


class ReasonCode(StrEnum):
    """Why lines are in a bundle.

    Of the reasons of one group only the best is told. `text` may have `{name}`, `{user}`,
    `{number}`, `{names}` joined by commas, and `{quoted}`, the beginning of the name as it stands
    in code.
    """

    text: str
    group: str

    def __new__(cls, code: str, text: str, group: str = "") -> Self:
        """A code, its text, and its group where it shares one."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.text = text
        member.group = group or code
        return member

    # searches by words
    MATCHES = "matches", "speaks of {names}", "matches"
    MATCHES_IN_FILE = "matches_in_file", "speaks of {names}, in a file that does", "matches"
    MENTIONS = "mentions", "mentions {name}"
    # names and texts
    DEFINES = "defines", "defines {name}", "defines"
    HOLDS_TEXT = "holds_text", "holds {quoted}"
    USES_CONSTANT = "uses_constant", "uses {name}, which holds the text", "uses"
    # traces and paths
    DEFINES_FRAME = "defines_frame", "defines {name}, in the stack trace", "defines"
    FRAME_MOVED = "frame_moved", "the stack trace names {name} (line {number} then)", "the"
    FRAME_LINE = "frame_line", "line {number} is in the stack trace", "line"
    PROMPT_LINE = "prompt_line", "line {number} is named in the prompt", "line"
    IN_PATH = "in_path", "in {name}, which the prompt names", "in"
    IN_FILE_NAME = "in_file_name", "in {name}, which is named by words of the prompt", "in"
    TOP_OF_PATH = "top_of_path", "the beginning of {name}, which the prompt names", "the"
    TOP_OF_FILE_NAME = (
        "top_of_file_name",
        "the beginning of {name}, which is named by words of the prompt",
        "the",
    )
    # ties to other declarations
    USED_BY = "used_by", "used by {name}"
    USES = "uses", "uses {name}", "uses"
    PART_OF_USED = "part_of_used", "belongs to what is used by {name}", "part"
    PART_OF_USER = "part_of_user", "belongs to what uses {name}", "part"
    NAMED_LIKE = "named_like", "is named like {name}"
    # what completes a bundle
    DEFINES_USED = "defines_used", "defines {name}, used in {user}", "defines"
    DECLARES_USED = "declares_used", "declares {names}, used in {user}"
    DECLARES_SHOWN = "declares_shown", "declares {names}, used in what is shown"
    DECLARES_WORDS = "declares_words", "declares {names}, which the prompt has words of"
    IMPORTS = "imports", "imports of what it uses"
    OUTLINE = "outline", "what else {name} declares"
    TESTS = "tests", "tests {names}"


class Reason(NamedTuple):
    """Why lines are in a bundle: a code and what goes into its text."""

    code: ReasonCode
    name: str = ""
    user: str = ""
    number: int = 0
    names: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The reason in words."""
        return self.code.text.format(
            name=self.name,
            user=self.user,
            number=self.number,
            names=", ".join(self.names),
            quoted=repr(_short(self.name)),
        )


class Omission(_TextEnum):
    """Why a place that answers is not in a bundle."""

    # more lines, tokens or bytes would have room for it
    NO_ROOM = "no_room", "there is no room for it in the budget"
    NO_FILE_LEFT = "no_file_left", "max_files is reached"
    LESS_WORTH = "less_worth", "it answers less than what was chosen"
    UNREADABLE = "unreadable", "the file can't be read any more"
    TEST = "test", "it is a test: ask with include_tests"


class NoticeCode(_TextEnum):
    """What limits a bundle; `text` may have `{number}` and `{detail}`."""

    PROMPT_CUT = "prompt_cut", "the prompt is long: its beginning and its end were looked at"
    OUT_OF_TIME = "out_of_time", "out of time before all searches were made: there may be more"
    STALE = (
        "stale",
        (
            "{number} file(s) changed since they were indexed: shown as they are now,"
            " without what they declare; call repo.refresh_index"
        ),
    )
    REFUSED = "refused", "{number} file(s) of the index are gone or can't be shown any more"
    TESTS_LEFT_OUT = (
        "tests_left_out",
        "{number} place(s) in tests answer, too: ask with include_tests",
    )
    EMPTY = "empty", "nothing in the repository answers, or the budget is too small for any of it"
    NOT_KEPT = "not_kept", "the bundle could not be kept in the data folder: {detail}"


class Notice(NamedTuple):
    """What limits a bundle: a code and what goes into its text."""

    code: NoticeCode
    number: int = 0
    detail: str = ""

    @property
    def text(self) -> str:
        """The notice in words."""
        return self.code.text.format(number=self.number, detail=self.detail)


def _short(text: str) -> str:
    return (
        text
        if len(text) <= SizeWeights.LONGEST_QUOTE
        else text[: SizeWeights.LONGEST_QUOTE - 1] + "…"
    )
