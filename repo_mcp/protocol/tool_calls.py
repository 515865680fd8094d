"""Plans tool calls: run to the answer, turned into tasks, or asking the client for input."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from index_format.annotations import Any, Final
from repo_mcp.console import log_place
from repo_mcp.protocol import rounds
from repo_mcp.protocol.call import Call, Channel, Plan, Request, ThreadJob
from repo_mcp.protocol.eras import Peer, tool_result
from repo_mcp.protocol.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, WireError, dumps
from repo_mcp.protocol.offer import Offer
from repo_mcp.protocol.seal import Seal
from repo_mcp.protocol.task import COMPLETED, FAILED, Task
from repo_mcp.protocol.tasks import TaskMethods

Fields = dict[str, Any]
# seconds after which a call becomes a task, if its client supports that
PROMOTED_AFTER: Final = 1.0
_LONGEST_NAME: Final = 100
_MOST_NEAR: Final = 3
_LEAST_LIKENESS: Final = 0.6


class ToolCalls:
    """Plans tool calls; the caller runs the planned jobs."""

    def __init__(
        self,
        offer: Offer,
        tasks: TaskMethods,
        seal: Seal,
        clock: Callable[[], float],
        complete: Callable[[Peer, Fields], Fields],
    ) -> None:
        self._offer = offer
        self._tasks = tasks
        self._seal = seal
        self._clock = clock
        self._complete = complete

    def plan(self, request: Request, channel: Channel) -> Plan:
        """Plan how to serve a call."""
        name, arguments = request.params.get("name"), request.params.get("arguments")
        if not isinstance(name, str) or not self._offer.has_tool(name):
            raise WireError(INVALID_PARAMS, self._unknown(str(name)[:_LONGEST_NAME]))
        if arguments is not None and not isinstance(arguments, dict):
            raise WireError(INVALID_PARAMS, "arguments is not an object")
        call = self.new_call(request, channel)
        if request.peer.version == "2025-11-25" and request.params.get("task") is not None:
            task = self._tasks.begin(call, request.params["task"], request.owner)
            run = self._task_run(task, call, name, arguments or {})
            return Plan(dumps({"task": task.state_fields()}), ThreadJob(call, run, "task"))
        call.promotable = request.peer.knows_tasks
        return Plan(job=ThreadJob(call, self._call_run(call, name, arguments or {})))

    def _unknown(self, name: str) -> str:
        """That there is no such tool, and which there are with similar names, or at all."""
        known = [str(tool["name"]) for tool in self._offer.tools()]
        near = nearest_names(name, known)
        told = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(known)}"
        return f"unknown tool {name!r}; {told}"

    def promote(self, call: Call) -> Fields | None:
        """Turn a long call into a task; None unless its client supports that."""
        if not call.promotable or self._clock() - call.began < PROMOTED_AFTER:
            return None
        task = call.promote(self._tasks.create)
        return (
            None if task is None else self._complete(call.peer, self._tasks.creation_result(task))
        )

    def new_call(self, request: Request, channel: Channel) -> Call:
        """The call object of a request of any method."""
        meta = request.params.get("_meta")
        answers = rounds.Answers()
        if request.peer.modern and request.method == "tools/call":
            answers = rounds.answers_of(request.params, self._seal)
        known = meta if isinstance(meta, dict) else {}
        return Call(request.peer, channel, known, answers, self._clock)

    def _call_run(
        self, call: Call, name: str, arguments: Mapping[str, Any]
    ) -> Callable[[], Fields | None]:
        def run() -> Fields | None:
            try:
                found = self._run_tool(name, arguments, call)
            except rounds.InputNeeded as needed:
                if not call.settle():  # it is a task by now, which can wait for the answer
                    return run()
                result = rounds.input_required(needed, call.answers, self._seal)
                return self._complete(call.peer, result)
            except WireError as problem:
                if call.settle() or call.task is None:
                    raise
                call.task.fail(problem)
                return None
            result = self._complete(call.peer, tool_result(call.peer.version, found))
            if call.settle() or call.task is None:
                return result
            call.task.end(COMPLETED, result=result)
            return None

        return run

    def _task_run(
        self, task: Task, call: Call, name: str, arguments: Mapping[str, Any]
    ) -> Callable[[], None]:
        def run() -> None:
            if task.is_over:
                return
            try:
                found = self._run_tool(name, arguments, call)
            except WireError as problem:
                ended = task.fail(problem)
            else:
                result = tool_result(call.peer.version, found)
                status = FAILED if found.get("isError") else COMPLETED
                ended = task.end(status, "the tool failed" if status is FAILED else "", result)
            if ended:
                call.channel.notify("notifications/tasks/status", task.state_fields())

        return run

    def _run_tool(self, name: str, arguments: Mapping[str, Any], call: Call) -> Fields:
        """The tool's result; an unexpected exception becomes an error without details."""
        try:
            return self._offer.run_tool(name, arguments, call)
        except Exception as error:  # noqa: BLE001 it is logged, and the client gets an answer
            log_place(error)
            raise WireError(INTERNAL_ERROR, "internal error") from None


def nearest_names(name: str, known: Sequence[str]) -> list[str]:
    """The names most like this one: with all of its words, or spelt similarly."""
    from difflib import get_close_matches  # noqa: PLC0415 rarely needed

    by_name = {item: _words(item) for item in known}
    common = set.intersection(*map(set, by_name.values())) if by_name else set()
    asked = set(_words(name)) - common
    same = [item for item, words in by_name.items() if asked & set(words)]
    spelt = {"_".join(words): item for item, words in by_name.items()}
    near = get_close_matches("_".join(_words(name)), list(spelt), _MOST_NEAR, _LEAST_LIKENESS)
    return list(dict.fromkeys([*(spelt[item] for item in near), *same]))[:_MOST_NEAR]


def _words(name: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", name.lower())
