"""Tool declarations of the SwiftIndex toolset."""

from __future__ import annotations

from functools import partial
from typing import Final

from repo_mcp.answers.records import AnswerRecord, strings
from repo_mcp.answers.research import FOCUSES, ResearchResult
from repo_mcp.toolsets.kit.spec import TEXTS, HandlerTable, ToolArgument, bare_tool
from repo_mcp.toolsets.swiftindex.results import IndexResult, SearchCodeResult, SearchDocsResult

NAME: Final = "swiftindex"
TOON: Final = "toon"
JSON: Final = "json"
HUMAN: Final = "human"
FORMATS: Final = (TOON, JSON, HUMAN)
DEFAULT_RESULTS: Final = 20
DEFAULT_SECTIONS: Final = 10
MOST_RESULTS: Final = 50
DEFAULT_DEPTH: Final = 2
# the documented weight of meaning, which stands for the one that measured best
DEFAULT_WEIGHT: Final = 0.7

_PATH: Final = ToolArgument(
    "path",
    "string",
    "The repository, or a folder inside it to search only there; absolute, or relative to its root",
    default=".",
)
_PATH_FILTER: Final = ToolArgument(
    "path_filter", "string", "Search only files that match this glob, e.g. src/**/*.py"
)
_CURSOR: Final = ToolArgument("cursor", "string", "Of the answer before, for the next results")
_FORMAT: Final = ToolArgument(
    "format",
    "string",
    "Form of the text: toon (compact), json, or human",
    default=TOON,
    choices=FORMATS,
)


class _Notes(AnswerRecord):
    """Fields that every answer may have besides its result."""

    warnings: list[str] = strings("Limits of the answer, if any", default=())


_tool = partial(bare_tool, more=_Notes)
INDEX_CODEBASE: Final = _tool(
    "index_codebase",
    "Index a codebase",
    "Index the repository, or bring its index up to date: only changed files are read again. Search"
    " needs an index; changes are then found by themselves.",
    (
        ToolArgument(
            "path",
            "string",
            "Absolute path of the repository, or of a folder inside it",
            required=True,
        ),
        ToolArgument("force", "boolean", "Index every file again", default=False),
    ),
    IndexResult,
)
SEARCH_CODE: Final = _tool(
    "search_code",
    "Search code",
    "Search the repository by words and meaning: a question in plain language, names, or a piece of"
    " code. Each result is a passage with its declaration.",
    (
        ToolArgument("query", "string", "Question, names, or a piece of code", required=True),
        _PATH,
        ToolArgument(
            "limit", "integer", "Most results, up to 50", default=DEFAULT_RESULTS, minimum=1
        ),
        ToolArgument(
            "semantic_weight",
            "number",
            "0 ranks by words alone, 1 by meaning alone",
            default=DEFAULT_WEIGHT,
        ),
        ToolArgument("extensions", "string", "Search only these file extensions, e.g. swift,h"),
        _PATH_FILTER,
        _FORMAT,
        ToolArgument(
            "expand_query",
            "boolean",
            "Add related words: by the client's model, or by the index",
            default=False,
        ),
        ToolArgument(
            "synthesize",
            "boolean",
            "Add a summary with citations: by the client's model, or taken from the results",
            default=False,
        ),
        _CURSOR,
    ),
    SearchCodeResult,
    reads=TEXTS,
)
SEARCH_DOCS: Final = _tool(
    "search_docs",
    "Search documentation",
    "Search Markdown, reStructuredText, AsciiDoc, HTML, plain text and notebooks of the repository."
    " Each result is a passage with the headings above it.",
    (
        ToolArgument("query", "string", "Question or words", required=True),
        _PATH,
        ToolArgument(
            "limit", "integer", "Most results, up to 50", default=DEFAULT_SECTIONS, minimum=1
        ),
        _PATH_FILTER,
        ToolArgument(
            "docstrings",
            "boolean",
            "Search documented declarations of code as well",
            default=False,
        ),
        _FORMAT,
        _CURSOR,
    ),
    SearchDocsResult,
    reads=TEXTS,
)
CODE_RESEARCH: Final = _tool(
    "code_research",
    "Research code",
    "Answer a question about the structure of the repository in several hops over search and the"
    " symbol graph: all implementations of a type, what calls a function and what calls that, what"
    " depends on a file, how one thing reaches another, or how a part is built.",
    (
        ToolArgument(
            "query",
            "string",
            "Question, e.g. what calls authenticate()",
            required=True,
        ),
        _PATH,
        ToolArgument("depth", "integer", "Hops, 1 to 5", default=DEFAULT_DEPTH, minimum=1),
        ToolArgument("focus", "string", "What the answer is about", choices=FOCUSES),
    ),
    ResearchResult,
)

TOOLS: Final = (INDEX_CODEBASE, SEARCH_CODE, SEARCH_DOCS, CODE_RESEARCH)
# tools that need the symbol graph
GRAPH_TOOLS: Final = (CODE_RESEARCH.name,)
INSTRUCTIONS: Final = (
    "search_code finds code by words and meaning, search_docs documentation; code_research answers"
    " questions about structure with evidence. index_codebase builds the index."
)
_HANDLERS: Final = "repo_mcp.toolsets.swiftindex"
HANDLERS: Final[HandlerTable] = {
    INDEX_CODEBASE.name: f"{_HANDLERS}.index_codebase:IndexCodebase",
    SEARCH_CODE.name: f"{_HANDLERS}.search_code:SearchCode",
    SEARCH_DOCS.name: f"{_HANDLERS}.search_docs:SearchDocs",
    CODE_RESEARCH.name: f"{_HANDLERS}.code_research:CodeResearch",
}
