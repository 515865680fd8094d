"""Assembles the server; imports and opens most parts on the first call, to start fast."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from types import MappingProxyType

from index_format.annotations import TYPE_CHECKING, Any, Final
from index_format.late_import import collect_garbage, import_object
from repo_mcp import __version__, toolsets
from repo_mcp.allocator import share_arena
from repo_mcp.errors import Problem
from repo_mcp.protocol.offer import (
    Caller,
    Fields,
    NoResourceError,
    NotOfferedError,
    UnavailableError,
    Values,
)
from repo_mcp.settings import Options, fix_paths, root_options
from repo_mcp.settings.project_root import is_repository
from repo_mcp.settings.retrieval_roots import resolve_roots
from repo_mcp.toolsets import kit
from repo_mcp.toolsets.catalog import OVERVIEW_TOOL, RETRIEVAL, select, toolset_of, with_folders
from repo_mcp.toolsets.kit.spec import COMMITS, FOLDERS, ICONS, TEXTS

if TYPE_CHECKING:
    from repo_mcp.answers.records import ToolReply
    from repo_mcp.budget import Clock
    from repo_mcp.place.place import PlacedQuestion
    from repo_mcp.running_services import RunningServices, ServiceStarter
    from repo_mcp.toolsets.kit.answering import FinishedCall, ToolHandlers
    from repo_mcp.toolsets.kit.answers import Shape
    from repo_mcp.toolsets.kit.services import Arguments, Context
    from repo_mcp.toolsets.kit.spec import Tool
    from repo_mcp.toolsets.prompts import Prompts
    from repo_mcp.toolsets.retrieval.root import RetrievalServices
    from repo_mcp.toolsets.skill import ServedSkill

# after the listing of the tools, which a client asks for next
_AHEAD_SECONDS: Final = 0.1
# after that: a hook that comes before finds its answer itself, and a question has the processor
_HOOKS_SECONDS: Final = 1.0
_INFO: Final[Mapping[str, Any]] = {
    "name": "repo-mcp",
    "title": "Repository",
    "version": __version__,
    "icons": list(ICONS),
}
_DEPENDENCIES: Final = (
    "Installed dependencies are served, too, read-only: in:deps or repo:NAME in a ranked query,"
    " file_glob deps:NAME/** in all modes, paths deps:NAME/…, and names of symbols as"
    " requests.Session.send. Other answers are of the repository alone; repo.status lists what is"
    " installed."
)
_NAMES_OF_ROOTS: Final = (
    "Paths begin with the name of one; repo:NAME in a query of words or in a symbol's name"
    " means that one alone, file_glob NAME/** in other modes."
)
_ROOTS_OF_CLIENT: Final = (
    "The folders that are open in the client are served; repo.status lists them. Where these are"
    f" several: {_NAMES_OF_ROOTS}"
)
_MOST_WATCHED: Final = 8
# a client that does not say that its folders have changed is asked for them again after this time
_ROOTS_SECONDS: Final = 60.0
# names of roots in the instructions
_MOST_NAMED: Final = 20


class ClientRoots:
    """The options with the folders to serve: those given at the start, or those of the client."""

    def __init__(self, given: Options, clock: Clock) -> None:
        """Serve what was given, until the client tells other folders."""
        self.options = self._given = given
        self._clock = clock
        self._asks = given.client_roots and not given.http
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """The client has other folders open from now on: the next call asks for them."""
        # until when the folders are known that the client told
        self._known_until = -math.inf if self._asks else math.inf

    def follow(self, caller: Caller) -> None:
        """Take the folders that the client of a call has open, if it tells any to serve."""
        if self._clock() < self._known_until:
            return
        from repo_mcp.settings.workspace_roots import roots_of_client  # noqa: PLC0415 few clients are asked

        with self._lock:
            if self._clock() < self._known_until:
                return
            mounts = roots_of_client(caller.list_roots())
            asks_again = caller.has_silent_roots
            self._known_until = self._clock() + _ROOTS_SECONDS if asks_again else math.inf
            if not mounts:
                return
            options = self._given._replace(
                mounts=mounts, repo_root=mounts[0].path, real_root="", root_refusal=""
            )
            if len(mounts) == 1:
                options = root_options(options, mounts[0])
            # of several roots the first one alone does not say what is served
            served = self.options.mounts, self.options.real_root
            if (options.mounts, options.real_root) != served:
                self.options = options


class App:
    """The server of one repository, as the protocol's `Offer`."""

    def __init__(
        self, options: Options, clock: Clock = time.monotonic, *, links_ahead: bool = True
    ) -> None:
        """Select the tools to serve; reads no file yet.

        With `links_ahead`, tools for symbols have the graph linked before anyone asks them.
        """
        self._links_ahead = links_ahead
        self.clock = clock
        self._roots = ClientRoots(fix_paths(options), clock)
        self._folders = resolve_roots(options.docs_root, options.code_root, options.data_dir)
        self._catalog = select(
            options.toolsets,
            options.tools,
            options.exclude_tools,
            options.tool_names,
            with_folders(usable=not self._folders.faults, named=self._folders.any_set),
        )
        served = self._catalog.toolsets
        if RETRIEVAL in served and self._folders.faults:
            raise self._folders.refusal
        # true if the repository itself is served, not only the two folders of `retrieval`
        self.has_repository = served != {RETRIEVAL}
        self._start_lock = threading.Lock()
        self._started: ServiceStarter | None = None
        self._retrieval: RetrievalServices | None = None
        self._retrieval_handlers: ToolHandlers | None = None
        self._has_imports = self._begun = False

    @property
    def note(self) -> str:
        """A note on what is set but can't be served, or empty."""
        if self._roots.options.client_roots and self._roots.options.http:
            return "--client-roots is for one client on standard input: over HTTP it is left out"
        left_out = self._folders.any_set and self._folders.faults
        texts = (fault.text for fault in self._folders.faults)
        return f"the toolset retrieval is left out: {'; '.join(texts)}" if left_out else ""

    @property
    def services(self) -> ServiceStarter:
        """Starts the services of the folders that are served now; those of others are closed."""
        with self._start_lock:
            before, options = self._started, self._roots.options
            if before is not None and before.options is options:
                return before
            from repo_mcp.running_services import ServiceStarter  # noqa: PLC0415 not before a call

            links, watches = self._links_ahead, _has_few_roots(options)
            started = self._started = ServiceStarter(
                options, self._catalog, self.clock, links_ahead=links, watches=watches
            )
        if before is not None:
            before.close()
        return started

    @property
    def info(self) -> Mapping[str, Any]:
        """Name, title and version."""
        return _INFO

    @property
    def instructions(self) -> str:
        """Instructions for models on using the served tools, with the names of several roots."""
        text = self._catalog.instructions
        if self._roots.options.dependencies and self.has_repository:
            text = f"{text}\n{_DEPENDENCIES}"
        # behind what to call first: a model of Codex that writes scripts gets the first line alone
        first, line_end, rest = text.partition("\n")
        about = _about_roots(self._roots.options) if self.has_repository else ""
        return f"{first} {about}{line_end}{rest}" if about else text

    def tools(self) -> Sequence[Fields]:
        """Declarations of the served tools; answers that are text alone have no schema.

        The first one says how several roots are named: some clients show no instructions.
        """
        hidden = {"outputSchema"} if self._roots.options.content == "text" else set()
        listed = [
            {name: value for name, value in declared.items() if name not in hidden}
            for declared in self._catalog.declarations()
        ]
        about = _about_roots(self._roots.options) if self.has_repository else ""
        if listed and about:
            listed[0] |= {"description": f"{listed[0]['description']} {about}"}
        return listed

    def begin(self) -> None:
        """Have the index brought up to date before the first call, in a repository's folder."""
        options = self._roots.options
        alone = bool(options.address) or is_repository(options.repo_root)
        here = _has_few_roots(options) if options.mounts else alone
        if self.has_repository and not self._begun and here:
            self._begun = True
            share_arena()  # before the first thread
            ahead = threading.Timer(_AHEAD_SECONDS, self._prepare)
            ahead.daemon = True
            ahead.start()

    def _prepare(self) -> None:
        with suppress(Problem):  # the first call meets it again, and says so
            self._import_answering()
            self.services.repository().freshen()
            later = threading.Timer(_HOOKS_SECONDS, self._answer_hooks)
            later.daemon = True
            later.start()

    def _answer_hooks(self) -> None:
        """Answer hooks of clients from what is open, where one user has this server."""
        options = self._roots.options
        if options.client_roots or options.http or options.address or os.name == "nt":
            return
        from repo_mcp.hook.listener import HookAnswers, listen  # noqa: PLC0415 not before the first call

        listen(HookAnswers(options, self.services, self.clock))

    def has_tool(self, name: str) -> bool:
        """True if a tool of this name is served."""
        return self._catalog.find(name) is not None

    def run_tool(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Fields:
        """Run a tool for a client, which gets the form of answers that was chosen."""
        if self.has_repository:
            self._roots.follow(caller)
        form = self._roots.options.content
        if form != kit.BOTH and not caller.reads_structured:
            form = kit.TEXT
        return kit.narrow(self.call(name, arguments, caller.is_cancelled, caller), form)

    def roots_changed(self) -> None:
        """The client has other folders open from now on: the next call asks for them."""
        self._roots.forget()

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        cancelled: Callable[[], bool],
        caller: Caller | None = None,
        inner: Mapping[str, Any] = MappingProxyType({}),
    ) -> Fields:
        """Run a tool; any failure becomes an answer.

        `inner` are arguments of the pages, which clients have no names for.
        """
        done = self._run(name, arguments, cancelled, caller, inner)
        return kit.CANCELLED if done is None else done[0].rendered(done[1])

    def ask(
        self,
        name: str,
        arguments: Mapping[str, Any],
        cancelled: Callable[[], bool],
        caller: Caller,
        inner: Mapping[str, Any],
    ) -> ToolReply | None:
        """Run a tool, as `call` does, for a face that reads the record; None if it is given up."""
        done = self._run(name, arguments, cancelled, caller, inner)
        return None if done is None else done[0].reply(done[1])

    def _run(
        self,
        name: str,
        arguments: Mapping[str, Any],
        cancelled: Callable[[], bool],
        caller: Caller | None,
        inner: Mapping[str, Any],
    ) -> tuple[FinishedCall, Shape] | None:
        tool = self._catalog.find(name)
        if tool is None:
            raise ValueError(name)
        client = "" if caller is None else caller.client
        context = _context(cancelled, caller, self.clock)
        if not self._has_imports:
            try:
                kit.load_in_thread(self._import_answering, context.budget)
            except Problem:
                return None
        toolset = toolset_of(tool)
        shape = import_object(toolset.shape)
        done = kit.run_call(
            tool,
            arguments,
            lambda place: (
                self._start_retrieval()
                if toolset.name == RETRIEVAL
                else self.services.handlers(toolset, context.budget, place)
            ),
            context,
            client,
            shape,
            inner,
            partial(_read_place, tool, self._roots.options),
        )
        return done, shape

    def _import_answering(self) -> None:
        """Import what every call needs."""
        if self.has_repository:
            _ = self.services
        from repo_mcp.toolsets.kit import answering  # noqa: F401, PLC0415 not before a call

        self._has_imports = True

    def _start_retrieval(self) -> ToolHandlers:
        """The handlers of the toolset `retrieval`; made on the first call."""
        from repo_mcp.root_settings import user_settings  # noqa: PLC0415 not before a call
        from repo_mcp.toolsets.retrieval.declarations import HANDLERS  # noqa: PLC0415 as above
        from repo_mcp.toolsets.retrieval.root import RetrievalServices  # noqa: PLC0415 as above

        with self._start_lock:
            if self._retrieval_handlers is None:
                # these folders have no settings file of their own
                options = self._roots.options._replace(embeddings=False)
                settings = user_settings(options)
                self._retrieval = RetrievalServices(self._folders, settings, self.clock)
                self._retrieval_handlers = kit.ToolHandlers(
                    HANDLERS, self._retrieval, self._retrieval.audit
                )
            collect_garbage()
            return self._retrieval_handlers

    def resources(self) -> Sequence[Fields]:
        """The last bundle, files in the repository's root folder, and the skill."""
        skills = [self._skill.resource] if self._skill else []
        if not self.has_repository or self._roots.options.root_refusal:
            return skills
        return [*self._services_for_reading().resources.list_resources(), *skills]

    def skills(self) -> Sequence[Fields]:
        """The entry of the skill, if all tools are served that it names."""
        return [self._skill.entry] if self._skill else []

    @cached_property
    def _skill(self) -> ServedSkill | None:
        return toolsets.served_skill(self.has_tool)

    def templates(self) -> Sequence[Fields]:
        """URI templates of resources."""
        if not self.has_repository:
            return ()
        if not self.has_tool(OVERVIEW_TOOL):
            return toolsets.TEMPLATES
        return (*toolsets.TEMPLATES, toolsets.SYMBOL_TEMPLATE)

    def read(self, uri: str) -> Sequence[Fields]:
        """Content of a resource."""
        if self._skill and uri == self._skill.uri:
            return [self._skill.contents]
        if not self.has_repository:
            raise NoResourceError(uri)
        if uri.startswith(toolsets.SYMBOLS) and self.has_tool(OVERVIEW_TOOL):
            return self._read_symbol(uri.removeprefix(toolsets.SYMBOLS), uri)
        services = self._services_for_reading()
        try:
            return services.resources.read(uri)
        except Problem as problem:  # hide which one: it would reveal whether the file exists
            raise NoResourceError(uri) from problem

    def _read_symbol(self, quoted: str, uri: str) -> Sequence[Fields]:
        """The text of the tool that shows one symbol."""
        from urllib.parse import unquote  # noqa: PLC0415 rarely read

        name = unquote(quoted, errors="replace")
        answer = self.call(OVERVIEW_TOOL, {"name": name}, lambda: False)
        if answer["isError"]:
            raise NoResourceError(uri)
        return [{"uri": uri, "mimeType": "text/plain", "text": answer["content"][0]["text"]}]

    @cached_property
    def _prompts(self) -> Prompts:
        return toolsets.Prompts(self._catalog)

    def prompts(self) -> Sequence[Fields]:
        """Declarations of prompts."""
        return self._prompts.declarations() if self.has_repository else ()

    def prompt(self, name: str, arguments: Mapping[str, Any]) -> Fields:
        """A prompt's messages."""
        if not self.has_repository:
            raise NotOfferedError("unknown prompt")
        try:
            return self._prompts.messages(name, arguments)
        except Problem as problem:
            raise NotOfferedError(problem.reason) from None

    def complete(self, reference: Mapping[str, Any], argument: str, begun: str) -> Values:
        """Completions of a path or symbol."""
        kind = self._kind_of(reference, argument)
        if not kind:
            return Values()
        found = self._services_for_reading().completion.complete(kind, begun)
        return Values(found.values, found.total, found.more)

    def _kind_of(self, reference: Mapping[str, Any], argument: str) -> str:
        """The kind of an argument's values: "path", "symbol", or empty if it has no completions."""
        if not self.has_repository:
            raise NotOfferedError("there is nothing to complete")
        if reference["type"] == "ref/prompt":
            try:
                return self._prompts.kind_of(reference["name"], argument)
            except Problem as problem:
                raise NotOfferedError(problem.reason) from None
        if reference["uri"] in toolsets.COMPLETED:
            kind = "symbol" if argument == "name" else argument
            return kind if argument == toolsets.COMPLETED[reference["uri"]] else ""
        raise NotOfferedError("unknown resource template")

    def _services_for_reading(self) -> RunningServices:
        """The running services, for what is no tool call and has no errors of its own."""
        try:
            if self._roots.options.branches is not None:
                from repo_mcp.grants.narrowing import check_present  # noqa: PLC0415 few have grants

                check_present(self._roots.options)
            return self.services.running()
        except Problem as problem:
            raise UnavailableError(f"{problem.reason}. {problem.hint}") from None


def _has_few_roots(options: Options) -> bool:
    """True if all roots are opened ahead, each with a process that watches it.

    More are opened when they are asked, and walks find what has changed in them.
    """
    return len(options.mounts) <= _MOST_WATCHED


def _about_roots(options: Options) -> str:
    """The way in which several roots are named; empty if there is one."""
    names = [mount.name for mount in options.mounts]
    if not names:
        return _ROOTS_OF_CLIENT if options.client_roots else ""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return (
        f"{len(names)} repositories are served together:"
        f" {', '.join(names[:_MOST_NAMED])}{more}. {_NAMES_OF_ROOTS}"
    )


def _read_place(tool: Tool, options: Options, arguments: Arguments) -> PlacedQuestion:
    """Where a call is answered, and its arguments without that."""
    from repo_mcp.place.place import Place, PlacedQuestion  # noqa: PLC0415 loaded by the answer
    from repo_mcp.place.reading import read_place  # noqa: PLC0415 as above

    if tool.reads == FOLDERS:
        return PlacedQuestion(Place(), arguments)
    names = [mount.name for mount in options.mounts]
    question = read_place(
        arguments, names, is_of_past=tool.reads == COMMITS, has_texts=tool.reads == TEXTS
    )
    if options.branches is not None and not question.place.revision:
        from repo_mcp.grants.narrowing import check_present  # noqa: PLC0415 few have grants

        check_present(options)
    # a name that is no root's may be that of a package
    return question._replace(warnings=()) if options.dependencies else question


def _context(cancelled: Callable[[], bool], caller: Caller | None, clock: Clock) -> Context:
    context = kit.context_of(cancelled, clock)
    if caller is None:
        return context
    return context._replace(
        progress=caller.progress,
        sample=caller.sample,
        is_task=caller.is_task,
        token=caller.token,
    )
