"""Puts the parts together: what is cheap at once, what is heavy with the first call."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from repo_mcp import __version__
from repo_mcp.errors import Problem
from repo_mcp.protocol.offer import Caller, Fields, NoResourceError, NotOfferedError, Values
from repo_mcp.settings import Options, merge_settings
from repo_mcp.settings.retrieval_roots import RootsError, roots
from repo_mcp.toolsets.catalog import TOOLSETS, Toolset, select, toolset_of, with_folders
from repo_mcp.toolsets.kit.spec import ICONS
from repo_mcp.toolsets.prompts import Prompts
from repo_mcp.toolsets.resources import TEMPLATES, Resources
from repo_mcp.toolsets.retrieval import declarations as retrieval

if TYPE_CHECKING:
    from repo_mcp.budget import Budget, Clock
    from repo_mcp.indexing.fresh.background import BackgroundRefresh
    from repo_mcp.indexing.fresh.manager import IndexManager
    from repo_mcp.languages import Languages
    from repo_mcp.model import Settings
    from repo_mcp.safety.sandbox import Sandbox
    from repo_mcp.toolsets.completion import Completion
    from repo_mcp.toolsets.kit.answering import ToolHandlers
    from repo_mcp.toolsets.kit.services import Context, ToolServices
    from repo_mcp.toolsets.retrieval.root import RetrievalServices

_INFO: Final[Mapping[str, Any]] = {
    "name": "repo-mcp",
    "title": "Repository",
    "version": __version__,
    "icons": list(ICONS),
}


class App:
    """The server of one repository, as the protocol's `Offer`."""

    def __init__(self, options: Options, clock: Clock = time.monotonic) -> None:
        """Remember the options, and what is chosen to be served; no file is read yet."""
        self._options = options
        self._clock = clock
        self._roots = roots(options.docs_root, options.code_root, options.data_dir)
        self._catalog = select(
            options.toolsets,
            options.tools,
            options.exclude_tools,
            options.tool_names,
            with_folders(usable=not self._roots.faults, named=self._roots.said),
        )
        served = self._catalog.toolsets
        if retrieval.NAME in served and self._roots.faults:
            raise RootsError(self._roots.refusal)
        # whether anything of the repository itself is shown
        self._of_repository = served != {retrieval.NAME}
        self._retrieval: RetrievalServices | None = None
        self._of_folders: ToolHandlers | None = None
        self._prompts = Prompts(self._catalog)
        self._serving: _RunningServices | None = None
        self._starting = threading.Lock()
        self._answering = False

    @property
    def note(self) -> str:
        """What to say of folders that were named and are not served; empty when there are none."""
        left_out = self._roots.said and self._roots.faults
        texts = (fault.text for fault in self._roots.faults)
        return f"the toolset retrieval is left out: {'; '.join(texts)}" if left_out else ""

    @property
    def info(self) -> Mapping[str, Any]:
        """Name, title and version."""
        return _INFO

    @property
    def instructions(self) -> str:
        """How a model uses the tools that are served."""
        return self._catalog.instructions

    def tools(self) -> Sequence[Fields]:
        """Declarations of the tools that are served."""
        return self._catalog.declarations()

    def has_tool(self, name: str) -> bool:
        """Whether a tool of this name is served."""
        return self._catalog.find(name) is not None

    def run_tool(self, name: str, arguments: Mapping[str, Any], caller: Caller) -> Fields:
        """Run a tool for a client."""
        return self.call(name, arguments, caller.is_cancelled, caller)

    def call(
        self,
        name: str,
        arguments: Mapping[str, Any],
        cancelled: Callable[[], bool],
        caller: Caller | None = None,
    ) -> Fields:
        """Run a tool; whatever happens, there is an answer."""
        from repo_mcp.toolsets.kit.loading import CANCELLED, beside  # noqa: PLC0415 not before a call

        tool = self._catalog.find(name)
        if tool is None:
            raise ValueError(name)
        client = "" if caller is None else caller.client
        context = _context(cancelled, caller, self._clock)
        if not self._answering:
            try:
                beside(self._load, context.budget)
            except Problem:
                return CANCELLED
        from repo_mcp.toolsets.kit.answering import answer, loaded  # noqa: PLC0415 loaded above

        toolset = toolset_of(tool)
        shape = loaded(toolset.shape)
        return answer(
            tool,
            arguments,
            lambda: self._handlers(toolset, context.budget),
            context,
            client,
            shape,
        )

    def _load(self) -> None:
        """Import what any call needs."""
        from repo_mcp.toolsets.kit import answering  # noqa: F401, PLC0415 not before a call

        self._answering = True

    def _handlers(self, toolset: Toolset, budget: Budget) -> ToolHandlers:
        """What runs the tools of a toolset."""
        if toolset.name == retrieval.NAME:
            return self._of_roots()
        return self._loaded(budget).handlers[toolset.name]

    def resources(self) -> Sequence[Fields]:
        """Files at the top of the repository, and the last bundle."""
        if not self._of_repository:
            return ()
        return self._parts().resources.listed()

    def templates(self) -> Sequence[Fields]:
        """Patterns of resources' addresses."""
        return TEMPLATES if self._of_repository else ()

    def read(self, uri: str) -> Sequence[Fields]:
        """Content of a resource."""
        if not self._of_repository:
            raise NoResourceError(uri)
        try:
            return self._parts().resources.read(uri)
        except Problem as problem:  # which one tells whether there is something: nobody learns it
            raise NoResourceError(uri) from problem

    def prompts(self) -> Sequence[Fields]:
        """Declarations of prompts."""
        return self._prompts.declarations() if self._of_repository else ()

    def prompt(self, name: str, arguments: Mapping[str, Any]) -> Fields:
        """A prompt's messages."""
        if not self._of_repository:
            raise NotOfferedError("unknown prompt")
        try:
            return self._prompts.messages(name, arguments)
        except Problem as problem:
            raise NotOfferedError(problem.reason) from None

    def complete(self, reference: Mapping[str, Any], argument: str, begun: str) -> Values:
        """Proposals for paths and symbols."""
        kind = self._kind_of(reference, argument)
        if not kind:
            return Values()
        found = self._parts().completion.proposed(kind, begun)
        return Values(found.values, found.total, found.more)

    def _kind_of(self, reference: Mapping[str, Any], argument: str) -> str:
        """What an argument holds: "path", "symbol", or nothing that could be proposed."""
        if not self._of_repository:
            raise NotOfferedError("there is nothing to complete")
        if reference["type"] == "ref/prompt":
            try:
                return self._prompts.kind_of(reference["name"], argument)
            except Problem as problem:
                raise NotOfferedError(problem.reason) from None
        if any(reference["uri"] == template["uriTemplate"] for template in TEMPLATES):
            return "path" if argument == "path" else ""
        raise NotOfferedError("unknown resource template")

    def _of_roots(self) -> ToolHandlers:
        """What runs the tools of the toolset of two folders."""
        from repo_mcp.languages import known_names  # noqa: PLC0415 not before a call
        from repo_mcp.settings import RepoConfig  # noqa: PLC0415 as above
        from repo_mcp.toolsets.kit.answering import ToolHandlers  # noqa: PLC0415 as above
        from repo_mcp.toolsets.retrieval.root import RetrievalServices  # noqa: PLC0415 as above

        with self._starting:
            if self._of_folders is None:
                # no file of a repository says how these are served
                settings = merge_settings(self._options, RepoConfig(b"", known_names))
                self._retrieval = RetrievalServices(self._roots, settings, self._clock)
                self._of_folders = ToolHandlers(
                    retrieval.HANDLERS, self._retrieval, self._retrieval.audit
                )
            return self._of_folders

    def _loaded(self, budget: Budget) -> _RunningServices:
        """What answers calls; who is cancelled does not wait for it to be loaded."""
        if self._serving is None:
            from repo_mcp.toolsets.kit.loading import beside  # noqa: PLC0415 not before a call

            beside(self._parts, budget)
        return self._parts()

    def _parts(self) -> _RunningServices:
        """What answers calls; begun anew when the repository's configuration has changed."""
        from repo_mcp.settings import FILE_NAME  # noqa: PLC0415 not before the first call

        with self._starting:
            serving = self._serving
            if serving is not None and serving.sandbox.rules(FILE_NAME) != serving.config:
                serving.background.close()
                serving = None
            if serving is None:
                serving = self._serving = self._started()
            return serving

    def _started(self) -> _RunningServices:
        from repo_mcp.indexing.fresh.background import BackgroundRefresh  # noqa: PLC0415 not before a call
        from repo_mcp.indexing.watch.watcher import Watcher  # noqa: PLC0415 as above
        from repo_mcp.repository import Repository  # noqa: PLC0415 as above
        from repo_mcp.toolsets.completion import Completion  # noqa: PLC0415 as above
        from repo_mcp.toolsets.kit.answering import ToolHandlers  # noqa: PLC0415 as above
        from repo_mcp.toolsets.kit.services import ToolServices  # noqa: PLC0415 as above

        settings, sandbox, manager, config, _ = services(self._options, self._clock)
        watcher = Watcher(settings) if settings.watch else None
        background = BackgroundRefresh(manager, watcher, self._clock)
        repository = Repository(settings, sandbox, manager, background)
        tool_services = ToolServices.of(repository, background)
        handlers = {
            toolset.name: ToolHandlers(
                toolset.handlers, tool_services, tool_services.audit, tool_services.notes
            )
            for toolset in TOOLSETS
            if toolset.name != retrieval.NAME
        }
        return _RunningServices(
            handlers,
            tool_services,
            Resources(sandbox, settings.data_dir),
            Completion(sandbox, manager.snapshot),
            sandbox,
            background,
            config,
        )


def _context(cancelled: Callable[[], bool], caller: Caller | None, clock: Clock) -> Context:
    from repo_mcp.budget import Budget  # noqa: PLC0415 not before the first call
    from repo_mcp.toolsets.kit.services import Context  # noqa: PLC0415 as above

    context = Context(Budget(None, cancelled, clock))
    if caller is None:
        return context
    return context._replace(progress=caller.progress, log=caller.log, sample=caller.sample)


class _RunningServices(NamedTuple):
    """What serves one state of the configuration."""

    handlers: Mapping[str, ToolHandlers]
    tools: ToolServices
    resources: Resources
    completion: Completion
    sandbox: Sandbox
    background: BackgroundRefresh
    config: bytes


class Services(NamedTuple):
    """The parts that every command works with."""

    settings: Settings
    sandbox: Sandbox
    manager: IndexManager
    # what the repository's own configuration says, as it was read
    config: bytes
    # without a deadline, on the clock of all that is done
    budget: Budget

    @property
    def languages(self) -> Languages:
        """The languages of the repository, as it chooses them."""
        return self.manager.languages


def services(options: Options, clock: Clock = time.monotonic) -> Services:
    """Settings, sandbox and index of a repository."""
    from repo_mcp.budget import Budget  # noqa: PLC0415 as above
    from repo_mcp.indexing.build.recipe import Recipe  # noqa: PLC0415 as above
    from repo_mcp.indexing.fresh.manager import IndexManager  # noqa: PLC0415 as above
    from repo_mcp.languages import known_names  # noqa: PLC0415 as above
    from repo_mcp.settings import RepoConfig, read_repo_file  # noqa: PLC0415 as above

    config = read_repo_file(options.repo_root, options.deny_globs)
    settings = merge_settings(options, RepoConfig(config, known_names))
    sandbox = Recipe.of(settings).sandbox()
    manager = IndexManager(settings, sandbox, clock)
    return Services(settings, sandbox, manager, config, Budget(clock=clock))
