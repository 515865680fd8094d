"""Asks tools for a page, as a client of the name `web`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from index_format.tuples import NamedTuple
from repo_mcp.answers.records import Failure, ToolReply, plain
from repo_mcp.app import App
from repo_mcp.budget import Budget, Clock
from repo_mcp.errors import Problem
from repo_mcp.model import RequestLimits
from repo_mcp.place.arguments import INNER_REVISION
from repo_mcp.protocol.offer import NoResourceError, UnavailableError
from repo_mcp.settings import Options
from repo_mcp.web.wording import page_warnings

if TYPE_CHECKING:
    from code_graph.query.snapshot import GraphSnapshot
    from repo_mcp.repository import Names, Repository

Fields = Mapping[str, Any]
# a result and its warnings
Answered = tuple[Fields, Sequence[str]]
CLIENT: Final = "web"
_OK: Final = 200
_STATUS: Final = {
    "argument_invalid": 400,
    "path_invalid": 400,
    "not_found": 404,
    "not_a_file": 404,
    "not_a_folder": 404,
    "root_missing": 503,
    "reopened": 503,
    "index_busy": 503,
    "index_unavailable": 503,
    "internal": 500,
    # of tools for symbols
    "invalid_parameter": 400,
    "engine_unavailable": 503,
    "index_error": 503,
}
# seconds for the names of one text
_NAMES: Final = 0.5
# lines of a file on one page, so that finding in the page finds all of it, and bytes of their text:
# a page of twice as many takes a browser seconds
_FILE_LINES: Final = 20_000
_FILE_BYTES: Final = 4_000_000
# characters of other answers: as many as a client gets
_PAGE_CHARS: Final = RequestLimits().max_total_bytes_per_response
_BLOCKED: Final = 403
_FAILED: Final = 422
_GIVEN_UP: Final = ToolReply(Failure(code="", reason="the question was given up"), ok=False)


class ToolAnswer(NamedTuple):
    """The reply to a call, or a record of the repository itself."""

    reply: ToolReply

    @property
    def result(self) -> Any:  # noqa: ANN401 a record, or what went wrong
        """The record, or the failure."""
        return self.reply.result

    @property
    def ok(self) -> bool:
        """True if the call was answered."""
        return self.reply.ok

    @property
    def warnings(self) -> list[str]:
        """Warnings of the answer, as pages word them."""
        reply = self.reply
        return page_warnings(reply.notices) if reply.notices else list(reply.warnings)

    @property
    def fields(self) -> Fields:
        """The answer as JSON."""
        reply = self.reply
        fields = {"ok": reply.ok, "result": plain(reply.result), "warnings": [*reply.warnings]}
        judged = {"verdict": reply.verdict, "next": reply.step}
        fields |= {name: text for name, text in judged.items() if text}
        if reply.request_id:
            return {"request_id": reply.request_id, **fields, "blocked": reply.blocked}
        return {**fields, "blocked": True} if reply.blocked else fields

    @property
    def status(self) -> int:
        """The HTTP status that says the same."""
        if self.ok:
            return _OK
        return _BLOCKED if self.reply.blocked else _STATUS.get(self.result.code, _FAILED)


class _Caller(NamedTuple):
    """The page as a tool sees it."""

    cancelled: Callable[[], bool]
    client: str = CLIENT
    token: str = ""
    reads_structured: bool = True
    is_task: bool = False
    has_silent_roots: bool = False

    def is_cancelled(self) -> bool:
        return self.cancelled()

    def progress(self, done: int, total: int, what: str) -> None:
        """Show nothing: the page is not there yet."""

    def log(self, level: str, text: str) -> None:
        """Show nothing."""

    def sample(self, prompt: str, tokens: int) -> str | None:  # noqa: ARG002 as the protocol has it
        """No model is here."""
        return None

    def list_roots(self) -> Sequence[dict[str, Any]]:
        """Pages are of the roots that are served."""
        return ()


class Visit(NamedTuple):
    """One request for a page: asks tools until the browser has gone."""

    app: App
    cancelled: Callable[[], bool]
    # empty for the files as they are
    revision: str = ""

    def ask(self, tool: str, arguments: Fields, **inner: object) -> ToolAnswer:
        """The answer of a tool; `inner` are arguments that only pages give."""
        caller = _Caller(self.cancelled)
        if self.revision:
            inner[INNER_REVISION] = self.revision
        return ToolAnswer(self.app.ask(tool, arguments, self.cancelled, caller, inner) or _GIVEN_UP)

    def read(self, address: str) -> bytes:
        """The text of a resource; empty if there is none."""
        try:
            (content,) = self.app.read(address)
        except (NoResourceError, UnavailableError):
            return b""
        text: str = content["text"]
        return text.encode("utf-8", "surrogatepass")

    def answer(self, work: Callable[[Repository], Answered]) -> ToolAnswer:
        """A record of the repository itself, or its error, in the form of a tool's answer."""
        try:
            repository = self.app.services.repository(self.revision)
            result, warnings = work(repository)
            return ToolAnswer(ToolReply(result, [*repository.settings.notes, *warnings]))
        except Problem as problem:
            failure = Failure(code=problem.code, reason=problem.reason, hint=problem.hint)
            reply = ToolReply(failure, ok=False, blocked=problem.blocked)
            return ToolAnswer(reply._replace(problem=problem))

    def names_in(self, path: str, rows: Mapping[int, str]) -> Names:
        """Names in lines of a file that are declared in the repository."""
        from repo_mcp.repository import names_in  # noqa: PLC0415 most pages show no code

        repository = self.repository
        return {} if repository is None else names_in(repository, path, rows, self.budget(_NAMES))

    @property
    def name(self) -> str:
        """The name of the repository; empty while there is none."""
        repository = self.repository
        return "" if repository is None else folder_name(repository.settings.shown_root)

    def budget(self, seconds: float) -> Budget:
        """A budget that ends when the browser has gone, too."""
        return Budget(seconds, self.cancelled, self.app.clock)

    @property
    def repository(self) -> Repository | None:
        """The repository; None while there is none."""
        try:
            return self.app.services.repository(self.revision)
        except Problem:
            return None

    @property
    def graph(self) -> GraphSnapshot | None:
        """The symbol graph as it is; None while there is none."""
        repository = self.repository
        return None if repository is None else repository.current_graph().graph

    @property
    def limits(self) -> RequestLimits:
        """The limits of answers, to ask for as much as a page may hold."""
        repository = self.repository
        return RequestLimits() if repository is None else repository.settings.limits

    @property
    def page_chars(self) -> int:
        """The size of an answer that is a page, which no warning says to be limited."""
        return min(_PAGE_CHARS, self.limits.max_total_bytes_per_response)


def folder_name(path: str) -> str:
    """The last name of a path of this machine."""
    return path.rstrip("/\\").replace("\\", "/").rpartition("/")[2]


def page_app(options: Options, clock: Clock) -> App:
    """The server whose tools pages ask.

    The graph is linked when a page asks for a symbol: most visits do not, and linking a large tree
    takes minutes.
    """
    return App(_page_options(options), clock, links_ahead=False)


def _page_options(options: Options) -> Options:
    """The options with the tools that pages ask, whatever clients are served.

    A file is shown whole: what an answer may cost a model is no limit of a page. Limits that the
    user or the repository sets stay.
    """
    own = {"max_open_lines": _FILE_LINES, "max_total_bytes_per_response": _FILE_BYTES}
    return options._replace(
        usual_limits=own,
        toolsets=("interrogator", "codeagent"),
        tools=(),
        exclude_tools=(),
        tool_names="dotted",
        content="structured",
        docs_root="",
        code_root="",
    )
