"""Reasons, omissions and notices of a bundle: records with codes, and the text of each code."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, Self

from index_format.tuples import NamedTuple
from repo_mcp.bundle.weights import SizeWeights
from repo_mcp.model import AnswerWarning
from repo_mcp.text.cutting import cut
from repo_mcp.text.plurals import counted


class _TextEnum(StrEnum):
    """Codes, each with a text."""

    text: str

    def __new__(cls, code: str, text: str) -> Self:
        member = str.__new__(cls, code)
        member._value_ = code
        member.text = text
        return member


class ReasonCode(StrEnum):
    """Why lines are in a bundle.

    Of the reasons of one group only the best is shown. Placeholders of `text`: `{name}`,
    `{number}`, `{names}` with commas, `{terms}` (the first few names), and `{quoted}` (the
    beginning of the name in quotes).
    """

    text: str
    group: str

    def __new__(cls, code: str, text: str, group: str = "") -> Self:
        """A code, its text, and its group; by default the code is its group."""
        member = str.__new__(cls, code)
        member._value_ = code
        member.text = text
        member.group = group or code
        return member

    # searches by words
    MATCHES = "matches", "matches {terms}"
    MEANS = "means", "close in meaning", "matches"
    MENTIONS = "mentions", "mentions {name}"
    # names and texts
    DEFINES = "defines", "defines {name}", "defines"
    HOLDS_TEXT = "holds_text", "contains {quoted}"
    USES_CONSTANT = "uses_constant", "uses {name}, which contains the text", "uses"
    # traces and paths
    DEFINES_FRAME = "defines_frame", "defines {name}, a frame of the stack trace", "defines"
    FRAME_MOVED = (
        "frame_moved",
        "defines {name}, which the stack trace has at line {number}",
        "defines",
    )
    FRAME_LINE = "frame_line", "line {number} is a frame of the stack trace", "line"
    PROMPT_LINE = "prompt_line", "line {number} is named in the prompt", "line"
    IN_PATH = "in_path", "in {name}, which the prompt names", "in"
    TOP_OF_PATH = "top_of_path", "top of {name}, which the prompt names", "top"
    # ties to other declarations
    USED_BY = "used_by", "used by {name}"
    USES = "uses", "uses {name}", "uses"
    TESTS = "tests", "tests {names}"
    # what shows how something is used
    TELLS = "tells", "tells about {terms}"
    SHOWS_USE = "shows_use", "an example with {terms}"
    # steps of a flow
    BEGINS = "begins", "a beginning of the flow", "step"
    STEP = "step", "called by {name}", "step"
    # the way of a setting
    GETS_VALUE = "gets_value", "gets the value of {name}", "step"
    # what a type asks for
    ASKS = "asks", "{name} asks for it", "step"
    IMPLEMENTS = "implements", "implements {name}", "step"
    MAKES = "makes", "makes or keeps what implements {name}", "step"


class Reason(NamedTuple):
    """Why lines are in a bundle: a code and the values in its text."""

    code: ReasonCode
    name: str = ""
    number: int = 0
    names: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The reason as a phrase."""
        return self.code.text.format(
            name=self.name,
            number=self.number,
            names=", ".join(self.names),
            terms=", ".join(self.names[: SizeWeights.MOST_TERMS]),
            quoted=repr(cut(self.name, SizeWeights.LONGEST_QUOTE)),
        )


class Omission(_TextEnum):
    """Why a candidate is not in a bundle."""

    # a larger limit of lines, tokens or bytes would include it
    NO_ROOM = "no_room", "no room in the budget"
    NO_FILE_LEFT = "no_file_left", "max_files is reached"
    LESS_WORTH = "less_worth", "matches less well than the excerpts"
    COPY = "copy", "a copy of a file in the bundle"
    UNREADABLE = "unreadable", "the file can't be read any more"
    TEST = "test", "a test, and the bundle is without tests"


class NoticeCode(_TextEnum):
    """Limits of a bundle; placeholders of `text` are `{files}`, `{places}` and `{detail}`."""

    PROMPT_CUT = "prompt_cut", "the prompt is long: only its beginning and its end were used"
    OUT_OF_TIME = "out_of_time", "out of time before all searches were done: results may be missing"
    STALE = (
        "stale",
        (
            "{files} changed since the index was made: their text is current,"
            " their declarations are unknown"
        ),
    )
    NOT_LINKED = (
        "not_linked",
        (
            "the symbol graph, which may still be linked, lacks {files} as they are now:"
            " what uses what in them is guessed by names"
        ),
    )
    GRAPH_DAMAGED = (
        "graph_damaged",
        "the symbol graph is damaged: what uses what in a file is guessed by names",
    )
    REFUSED = "refused", "{files} of the index gone, or not readable any more"
    TESTS_LEFT_OUT = (
        "tests_left_out",
        "tests match, too, in {places}, and are left out",
    )
    NO_GRAPH = (
        "no_graph",
        (
            "the calls between what the question names are not followed: there is no symbol graph"
            " of these files, or not yet"
        ),
    )
    UNLINKED = (
        "unlinked",
        (
            "this bundle lacks what the symbol graph tells, as that is not linked, or not of all"
            " files: what uses what is guessed by names, and the same question may get another"
            " answer once it is"
        ),
    )
    NO_WAY = (
        "no_way",
        (
            "no way of calls is known from one end that the question names to the other: the calls"
            " that are listed are those from each end"
        ),
    )
    NAMED_ALONE = (
        "named_alone",
        (
            "this bundle has only what the prompt names or quotes: what fits its words is not"
            " looked for before all files and their declarations are indexed"
        ),
    )
    EMPTY = "empty", "nothing in the repository matches, or the budget is too small for any match"
    NOT_KEPT = "not_kept", "the bundle could not be kept in the data folder: {detail}"


# what helps, by a code: each front end has its own text for it
_ADVICE: Final = {NoticeCode.STALE: "refresh", NoticeCode.TESTS_LEFT_OUT: "tests"}


class Notice(NamedTuple):
    """A limit of a bundle: a code and the values in its text."""

    code: NoticeCode
    number: int = 0
    detail: str = ""

    @property
    def text(self) -> str:
        """The notice as a sentence."""
        return self.code.text.format(
            files=counted(self.number, "file"),
            places=counted(self.number, "place"),
            detail=self.detail,
        )

    @property
    def warning(self) -> AnswerWarning:
        """The notice as a warning of an answer."""
        return AnswerWarning(f"bundle_{self.code.value}", self.text, _ADVICE.get(self.code, ""))
