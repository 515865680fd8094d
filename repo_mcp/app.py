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
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary, ref

from index_format.late_import import collect_garbage, import_object
from index_format.tuples import NamedTuple
from repo_mcp import __version__, dependencies, revisions, toolsets, workspace
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
from repo_mcp.settings import Options, fix_paths, root_options, workspace_options
from repo_mcp.settings.project_root import is_repository
from repo_mcp.settings.retrieval_roots import resolve_roots
from repo_mcp.toolsets import kit
from repo_mcp.toolsets.catalog import (
    OVERVIEW_TOOL,
    RETRIEVAL,
    TOOLSETS,
    Toolset,
    select,
    toolset_of,
    with_folders,
)
from repo_mcp.toolsets.kit.spec import COMMITS, FOLDERS, ICONS, TEXTS

if TYPE_CHECKING:
    from repo_mcp.answers.records import ToolReply
    from repo_mcp.audit.log import AuditLog
    from repo_mcp.budget import Budget, Clock
    from repo_mcp.dependencies import Dependencies
    from repo_mcp.dependencies.calls import PackageCalls
    from repo_mcp.indexing.keep.background import BackgroundRefresh
    from repo_mcp.model import AnswerWarning
    from repo_mcp.place.place import Place, PlacedQuestion
    from repo_mcp.processes.pool import ProcessStock
    from repo_mcp.remote.cluster import DistributedSearch
    from repo_mcp.repository import OpenedRoot, Repository, RootKeeper
    from repo_mcp.repository.outside import FindOutside
    from repo_mcp.revisions.calls import RevisionCalls
    from repo_mcp.revisions.opening import OpenRevisions
    from repo_mcp.revisions.revision import Revision
    from repo_mcp.safety.sandbox import Door, Sandbox
    from repo_mcp.settings import RulingFiles
    from repo_mcp.settings.workspace_roots import WorkspaceRoot
    from repo_mcp.toolsets.completion import Completion
    from repo_mcp.toolsets.kit.answering import FinishedCall, ToolHandlers
    from repo_mcp.toolsets.kit.answers import Shape
    from repo_mcp.toolsets.kit.services import Arguments, Context, ToolServices
    from repo_mcp.toolsets.kit.spec import Tool
    from repo_mcp.toolsets.prompts import Prompts
    from repo_mcp.toolsets.resources import Resources
    from repo_mcp.toolsets.retrieval.root import RetrievalServices
    from repo_mcp.toolsets.skill import ServedSkill
    from repo_mcp.workspace import Workspace, WorkspaceView

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
# trees of more files are linked from the first question about a symbol on
_MOST_LINKED_AHEAD: Final = 20_000
# more roots than this are opened when they are asked, and walks find what has changed in them;
# fewer are opened ahead, each with a process that watches it
_MOST_WATCHED: Final = 8
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
# a client that does not say that its folders have changed is asked for them again after this time
_ROOTS_SECONDS: Final = 60.0
# names of roots in the instructions
_MOST_NAMED: Final = 20


class App:
    """The server of one repository, as the protocol's `Offer`."""

    def __init__(
        self, options: Options, clock: Clock = time.monotonic, *, links_ahead: bool = True
    ) -> None:
        """Select the tools to serve; reads no file yet.

        With `links_ahead`, tools for symbols have the graph linked before anyone asks them.
        """
        self._links_ahead = links_ahead
        self._options = fix_paths(options)
        self._clock = clock
        self._roots = resolve_roots(options.docs_root, options.code_root, options.data_dir)
        self._catalog = select(
            options.toolsets,
            options.tools,
            options.exclude_tools,
            options.tool_names,
            with_folders(usable=not self._roots.faults, named=self._roots.any_set),
        )
        self._served = served = self._catalog.toolsets
        if RETRIEVAL in served and self._roots.faults:
            raise self._roots.refusal
        # true if the repository itself is served, not only the two folders of `retrieval`
        self.has_repository = served != {RETRIEVAL}
        self._retrieval: RetrievalServices | None = None
        self._retrieval_handlers: ToolHandlers | None = None
        self._keeper: RootKeeper[_RunningServices] | None = None
        self._workspace: Workspace | None = None
        self._running_views: WeakKeyDictionary[Repository, _RunningServices] = WeakKeyDictionary()
        # the packages of the repository that is open
        self._dependencies: tuple[ref[Repository], Dependencies] | None = None
        self._start_lock = threading.Lock()
        self._has_imports = self._begun = False
        # what was given at the start, and until when the folders that the client told are known
        self._given = self._options
        self._roots_known_until = self._unasked_until
        self._roots_lock = threading.Lock()

    @property
    def _unasked_until(self) -> float:
        """The time from which the client is asked for its folders: none, or the first call."""
        asks = self._given.client_roots and not self._given.http
        return -math.inf if asks else math.inf

    @property
    def note(self) -> str:
        """A note on what is set but can't be served, or empty."""
        if self._options.client_roots and self._options.http:
            return "--client-roots is for one client on standard input: over HTTP it is left out"
        left_out = self._roots.any_set and self._roots.faults
        texts = (fault.text for fault in self._roots.faults)
        return f"the toolset retrieval is left out: {'; '.join(texts)}" if left_out else ""

    @property
    def info(self) -> Mapping[str, Any]:
        """Name, title and version."""
        return _INFO

    @property
    def instructions(self) -> str:
        """Instructions for models on using the served tools, with the names of several roots."""
        text = self._catalog.instructions
        if self._options.dependencies and self.has_repository:
            text = f"{text}\n{_DEPENDENCIES}"
        # behind what to call first: a model of Codex that writes scripts gets the first line alone
        first, line_end, rest = text.partition("\n")
        return f"{first} {self._about_roots}{line_end}{rest}" if self._about_roots else text

    @property
    def _about_roots(self) -> str:
        """The way in which several roots are named; empty if there is one."""
        names = [mount.name for mount in self._options.mounts]
        if not self.has_repository or not (names or self._options.client_roots):
            return ""
        if not names:
            return _ROOTS_OF_CLIENT
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        return (
            f"{len(names)} repositories are served together:"
            f" {', '.join(names[:_MOST_NAMED])}{more}. {_NAMES_OF_ROOTS}"
        )

    def tools(self) -> Sequence[Fields]:
        """Declarations of the served tools; answers that are text alone have no schema.

        The first one says how several roots are named: some clients show no instructions.
        """
        hidden = {"outputSchema"} if self._options.content == "text" else set()
        listed = [
            {name: value for name, value in declared.items() if name not in hidden}
            for declared in self._catalog.declarations()
        ]
        if listed and self._about_roots:
            listed[0] |= {"description": f"{listed[0]['description']} {self._about_roots}"}
        return listed

    def begin(self) -> None:
        """Have the index brought up to date before the first call, in a repository's folder."""
        mounts = len(self._options.mounts)
        here = mounts <= _MOST_WATCHED if mounts else is_repository(self._options.repo_root)
        if self.has_repository and not self._begun and here:
            self._begun = True
            share_arena()  # before the first thread
            ahead = threading.Timer(_AHEAD_SECONDS, self._prepare)
            ahead.daemon = True
            ahead.start()

    def _prepare(self) -> None:
        with suppress(Problem):  # the first call meets it again, and says so
            self._import_answering()
            self.repository().freshen()
            later = threading.Timer(_HOOKS_SECONDS, self._answer_hooks)
            later.daemon = True
            later.start()

    def _answer_hooks(self) -> None:
        """Answer hooks of clients from what is open, where one user has this server."""
        if self._given.client_roots or self._given.http or os.name == "nt":
            return
        from repo_mcp.hook.listener import HookAnswers, listen  # noqa: PLC0415 not before the first call

        listen(HookAnswers(self._options, self, self._clock))

    def has_tool(self, name: str) -> bool:
        """True if a tool of this name is served."""
        return self._catalog.find(name) is not None

    def run_tool(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Fields:
        """Run a tool for a client, which gets the form of answers that was chosen."""
        if self._clock() >= self._roots_known_until:
            self._follow_client(caller)
        form = self._options.content
        if form != kit.BOTH and not caller.reads_structured:
            form = kit.TEXT
        return kit.narrow(self.call(name, arguments, caller.is_cancelled, caller), form)

    def roots_changed(self) -> None:
        """The client has other folders open from now on: the next call asks for them."""
        self._roots_known_until = self._unasked_until

    def _follow_client(self, caller: Caller) -> None:
        """Serve the folders that the client has open, if it tells any that can be served."""
        from repo_mcp.settings.workspace_roots import roots_of_client  # noqa: PLC0415 few clients are asked

        with self._roots_lock:
            if self._clock() < self._roots_known_until:
                return
            mounts = roots_of_client(caller.list_roots())
            asks_again = caller.has_silent_roots
            self._roots_known_until = self._clock() + _ROOTS_SECONDS if asks_again else math.inf
            if not mounts or not self.has_repository:
                return
            given = self._given._replace(
                mounts=mounts, repo_root=mounts[0].path, real_root="", root_refusal=""
            )
            if len(mounts) == 1:
                given = root_options(given, mounts[0])
            # of several roots the first one alone does not say what is served
            served = self._options.mounts, self._options.real_root
            if (given.mounts, given.real_root) == served:
                return
            with self._start_lock:
                before = self._workspace, self._keeper
                self._options = given
                self._workspace = self._keeper = None
                self._running_views.clear()
        for opened in before:
            if opened is not None:
                opened.close()

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
        context = _context(cancelled, caller, self._clock)
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
            lambda place: self._handlers(toolset, context.budget, place),
            context,
            client,
            shape,
            inner,
            partial(self._read_place, tool),
        )
        return done, shape

    def _read_place(self, tool: Tool, arguments: Arguments) -> PlacedQuestion:
        """Where a call is answered, and its arguments without that."""
        from repo_mcp.place.place import Place, PlacedQuestion  # noqa: PLC0415 loaded by the answer
        from repo_mcp.place.reading import read_place  # noqa: PLC0415 as above

        if tool.reads == FOLDERS:
            return PlacedQuestion(Place(), arguments)
        names = [mount.name for mount in self._options.mounts]
        question = read_place(
            arguments, names, is_of_past=tool.reads == COMMITS, has_texts=tool.reads == TEXTS
        )
        # a name that is no root's may be that of a package
        return question._replace(warnings=()) if self._options.dependencies else question

    def _import_answering(self) -> None:
        """Import what every call needs."""
        from repo_mcp.toolsets.kit import answering  # noqa: F401, PLC0415 not before a call

        self._has_imports = True

    def _handlers(
        self, toolset: Toolset, budget: Budget, place: Place
    ) -> ToolHandlers | PackageCalls | RevisionCalls:
        """The handlers of a toolset's tools at a place."""
        if toolset.name == RETRIEVAL:
            return self._start_retrieval()
        running = self._load_services(budget, place.roots)
        present = running.handlers[toolset.name]
        if place.revision:

            def open_revision() -> tuple[ToolHandlers, AnswerWarning]:
                at_revision, note = self._at_revision(place.roots, running, place.revision)
                return at_revision.handlers[toolset.name], note

            return revisions.RevisionCalls(present, open_revision)
        if self._options.dependencies:
            return self._package_calls(toolset, running, present)
        return present

    def _at_revision(
        self, names: Sequence[str], running: _RunningServices, name: str
    ) -> tuple[_RunningServices, AnswerWarning]:
        """The running services of a revision of one root, and what is said about it."""
        mounts = {mount.name: mount for mount in self._options.mounts}
        if not mounts:
            opened = self._revisions_of(running, None)
            revision = opened.find(name)
            return opened.open(revision), revision.note
        having: dict[str, tuple[OpenRevisions[_RunningServices], Revision]] = {}
        unknown = Problem("argument_invalid", f"no root has a revision {name!r}")
        for root in names or mounts:
            if root in running.opened:
                opened = self._revisions_of(running, mounts[root])
                try:
                    having[root] = opened, opened.find(name)
                except Problem as problem:
                    unknown = problem
        if len(having) > 1:
            some = " and ".join([*having][:_MOST_NAMED])
            text = "a revision is of one root: name it as repo:NAME, or begin the path with it"
            raise Problem("argument_invalid", f"{text}; {some} have {name!r}")
        if not having:
            raise unknown
        ((opened, revision),) = having.values()
        return opened.open(revision), revision.note

    def _revisions_of(
        self, running: _RunningServices, mount: WorkspaceRoot | None
    ) -> OpenRevisions[_RunningServices]:
        root = "" if mount is None else mount.name
        with self._start_lock:
            found = running.revisions.get(root)
            if found is None:
                found = running.revisions[root] = self._open_revisions(running, mount)
            return found

    def _open_revisions(
        self, running: _RunningServices, mount: WorkspaceRoot | None
    ) -> OpenRevisions[_RunningServices]:
        of = running.tools.repository if mount is None else running.opened[mount.name]
        links = self._files_linked_ahead()

        def start(root: OpenedRoot) -> _RunningServices:
            return self._start_revision(root, running, mount)

        return revisions.OpenRevisions(of.settings, of.manager, start, self._clock, links=links)

    def _start_revision(
        self, found: OpenedRoot, running: _RunningServices, mount: WorkspaceRoot | None
    ) -> _RunningServices:
        repository, background = found.repository, found.background
        if mount is not None:
            settings = running.tools.repository.settings
            given = mount, found, settings, running.tools.audit, self._clock
            view = revisions.RevisionWorkspace(*given).view([mount.name])
            repository, background = view.repository, view.background
        tools = kit.ToolServices.of(
            repository, background, self._options.content, audit=running.tools.audit
        )
        return self._running(tools, tuple, {})

    def _package_calls(
        self, toolset: Toolset, running: _RunningServices, handlers: ToolHandlers
    ) -> PackageCalls:
        """The handlers of a toolset, which answer from installed packages where they are asked."""

        def of_view(view: WorkspaceView) -> ToolHandlers:
            return self._services_of_view(view, tuple).handlers[toolset.name]

        every = running
        if self._options.mounts:
            every = self._workspace_services(())
        return dependencies.PackageCalls(handlers, self._open_dependencies(every), of_view)

    def _places_outside(self) -> FindOutside | None:
        """Finds declarations in installed packages; None where none are asked."""
        if not self._options.dependencies:
            return None
        return dependencies.PackagePlaces(lambda: self._open_dependencies(self._services()))

    def _open_dependencies(self, running: _RunningServices) -> Dependencies:
        """The packages of the roots that are open; they are closed with these."""
        from repo_mcp.root_settings import user_settings  # noqa: PLC0415 few look into packages

        repository = running.tools.repository
        with self._start_lock:
            if self._dependencies is not None:
                before, found = self._dependencies
                if before() is repository:
                    return found
                found.close()
            options = self._options
            user = user_settings(workspace_options(options) if options.mounts else options)
            roots, audit = running.opened, running.tools.audit
            found = dependencies.Dependencies(
                repository.settings, user, lambda: roots, audit, self._clock
            )
            self._dependencies = ref(repository), found
            return found

    @property
    def clock(self) -> Clock:
        """The clock that durations are measured with."""
        return self._clock

    def repository(self, revision: str = "") -> Repository:
        """The repository that the tools answer from, or a revision, for what no tool tells."""
        running = self._services()
        if revision:
            running, _ = self._at_revision((), running, revision)
        return running.tools.repository

    def audit(self) -> AuditLog:
        """The log of all calls, those of other processes among them."""
        return self._services().tools.audit

    def resources(self) -> Sequence[Fields]:
        """The last bundle, files in the repository's root folder, and the skill."""
        skills = [self._skill.resource] if self._skill else []
        if not self.has_repository or self._options.root_refusal:
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

    def _start_retrieval(self) -> ToolHandlers:
        """The handlers of the toolset `retrieval`; made on the first call."""
        from repo_mcp.root_settings import user_settings  # noqa: PLC0415 not before a call
        from repo_mcp.toolsets.retrieval.declarations import HANDLERS  # noqa: PLC0415 as above
        from repo_mcp.toolsets.retrieval.root import RetrievalServices  # noqa: PLC0415 as above

        with self._start_lock:
            if self._retrieval_handlers is None:
                # these folders have no settings file of their own
                options = self._options._replace(embeddings=False)
                settings = user_settings(options)
                self._retrieval = RetrievalServices(self._roots, settings, self._clock)
                self._retrieval_handlers = kit.ToolHandlers(
                    HANDLERS, self._retrieval, self._retrieval.audit
                )
            collect_garbage()
            return self._retrieval_handlers

    def _load_services(self, budget: Budget, names: Sequence[str] = ()) -> _RunningServices:
        """The running services; a cancelled call does not wait until they are loaded."""
        if self._workspace is None and (self._keeper is None or not self._keeper.is_open):
            kit.load_in_thread(lambda: self._services(names), budget)
        return self._services(names)

    def _services_for_reading(self) -> _RunningServices:
        """The running services, for what is no tool call and has no errors of its own."""
        try:
            return self._services()
        except Problem as problem:
            raise UnavailableError(f"{problem.reason}. {problem.hint}") from None

    def _services(self, names: Sequence[str] = ()) -> _RunningServices:
        """The running services, of the folder and configuration that are there now.

        Of several roots those of the roots with these names, of all by default.
        """
        if self._options.mounts:
            return self._workspace_services(names)
        if self._options.root_refusal:
            raise Problem(
                "root_missing", f"the client tells none, and {self._options.root_refusal}"
            )
        from repo_mcp.repository import RootKeeper  # noqa: PLC0415 not before the first call

        with self._start_lock:
            if self._keeper is None:
                root, real = self._options.repo_root, self._options.real_root
                self._keeper = RootKeeper(root, real, self._start)
        current = self._keeper.current()
        collect_garbage()
        return current

    def _workspace_services(self, names: Sequence[str]) -> _RunningServices:
        """The running services of several roots."""
        with self._start_lock:
            if self._workspace is None:
                self._workspace = self._open_workspace()
            opened = self._workspace
        view = opened.view(names or opened.keeper.names)
        running = self._services_of_view(view, lambda: self._workspace_warnings(view))
        collect_garbage()
        return running

    def _services_of_view(
        self, view: WorkspaceView, root_warnings: Callable[[], Sequence[AnswerWarning]]
    ) -> _RunningServices:
        """The running services of several roots, or of packages."""
        with self._start_lock:
            running = self._running_views.get(view.repository)
            if running is None:
                content = self._options.content
                tools = kit.ToolServices.of(
                    view.repository,
                    view.background,
                    content,
                    audit=view.audit,
                    outside=self._places_outside(),
                )
                running = self._running(tools, root_warnings, view.roots.opened)
                self._running_views[view.repository] = running
            return running

    def _workspace_warnings(self, view: WorkspaceView) -> Sequence[AnswerWarning]:
        return () if self._workspace is None else self._workspace.warnings(view)

    def _open_workspace(self) -> Workspace:
        from repo_mcp.processes.pool import ProcessStock, usual_workers  # noqa: PLC0415 not before a call
        from repo_mcp.root_settings import user_settings  # noqa: PLC0415 as above

        share_arena()  # more roots than are opened ahead have more threads, too
        stock = ProcessStock(self._options.workers or usual_workers())
        keeper = workspace.WorkspaceKeeper(self._options.mounts, partial(self._open_mount, stock))
        settings = user_settings(workspace_options(self._options))
        links = self._files_linked_ahead()
        return workspace.Workspace(keeper, settings, self._clock, links=links, stock=stock)

    def _open_mount(self, stock: ProcessStock, mount: WorkspaceRoot, door: Door) -> OpenedRoot:
        from repo_mcp.services import services  # noqa: PLC0415 not before a call

        parts = services(root_options(self._options, mount), self._clock, door, stock)
        return parts.opened(watches=len(self._options.mounts) <= _MOST_WATCHED)

    def _start(self, door: Door) -> _RunningServices:
        from repo_mcp.services import services  # noqa: PLC0415 not before a call

        parts = services(self._options, self._clock, door)
        root = parts.opened(links=self._files_linked_ahead())
        repository = root.repository
        distributed = self._open_distributed(repository)
        tools = kit.ToolServices.of(
            repository,
            root.background,
            self._options.content,
            distributed,
            outside=self._places_outside(),
        )
        roots = {"": root} if self._options.dependencies else {}
        return self._running(tools, self._take_root_warnings, roots, root.files, distributed)

    def _running(
        self,
        tools: ToolServices,
        root_warnings: Callable[[], Sequence[AnswerWarning]],
        opened: Mapping[str, OpenedRoot],
        files: RulingFiles | None = None,
        distributed: DistributedSearch | None = None,
    ) -> _RunningServices:
        """The services of one repository, or of several roots as one."""
        handlers = {
            toolset.name: kit.ToolHandlers(
                toolset.handlers, tools, tools.audit, tools.notes, root_warnings
            )
            for toolset in TOOLSETS
            if toolset.name in self._served - {RETRIEVAL}
        }
        repository = tools.repository
        return _RunningServices(
            handlers,
            tools,
            toolsets.Resources(repository.sandbox, repository.data_dir),
            toolsets.Completion(repository.sandbox, repository.manager.snapshot),
            repository.sandbox,
            tools.background,
            opened,
            files,
            distributed,
            {},
        )

    def _files_linked_ahead(self) -> float:
        """Up to how many files of a tree are linked before anyone asks the graph."""
        if not self._links_ahead:
            return 0
        served = (toolset for toolset in TOOLSETS if toolset.name in self._served)
        if any(self.has_tool(tool) for toolset in served for tool in toolset.graph_tools):
            return math.inf
        return _MOST_LINKED_AHEAD if self.has_tool(OVERVIEW_TOOL) else 0

    def _open_distributed(self, repository: Repository) -> DistributedSearch | None:
        if not self._options.engine:
            return None
        from repo_mcp.remote.cluster import DistributedSearch  # noqa: PLC0415 few servers have a cluster

        options = self._options
        return DistributedSearch.of(options.engine, repository.settings.data_dir, options.segments)

    def _take_root_warnings(self) -> Sequence[AnswerWarning]:
        return () if self._keeper is None else self._keeper.take_warnings()


def _context(cancelled: Callable[[], bool], caller: Caller | None, clock: Clock) -> Context:
    context = kit.context_of(cancelled, clock)
    if caller is None:
        return context
    return context._replace(progress=caller.progress, sample=caller.sample, is_task=caller.is_task)


class _RunningServices(NamedTuple):
    """The services started for one folder at the root, and one state of its configuration."""

    handlers: Mapping[str, ToolHandlers]
    tools: ToolServices
    resources: Resources
    completion: Completion
    sandbox: Sandbox
    background: BackgroundRefresh
    # the roots that answers are from, by what paths begin with
    opened: Mapping[str, OpenedRoot]
    # what rules the root; None for several
    files: RulingFiles | None
    # the searches of a cluster
    distributed: DistributedSearch | None
    # revisions of each root by its name
    revisions: dict[str, OpenRevisions[_RunningServices]]

    @property
    def is_outdated(self) -> bool:
        """True if the configuration has changed."""
        return self.files is not None and self.files.is_outdated

    def close(self) -> None:
        """Stop background work."""
        self.background.close()
        if self.tools.past is not None:
            self.tools.past.close()
        if self.distributed is not None:
            self.distributed.close()
        for opened in self.revisions.values():
            opened.close()
