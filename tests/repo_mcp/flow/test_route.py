"""Ways between two functions: over calls, else over queues, registrations and names."""

from __future__ import annotations

from collections.abc import Mapping

from code_graph.model import EdgeType
from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.flow import FlowStep
from repo_mcp.flow.route import find_route, outer_parts
from tests.code_graph.linked_files import FileDraft, graph_of, id_of

USES = EdgeType.REFERENCES


def routes(
    graph: GraphSnapshot,
    start: str,
    ends: Mapping[str, float],
    lines: Mapping[tuple[str, int], str] | None = None,
    *,
    goes_back: bool = False,
) -> list[list[FlowStep]]:
    text = lines or {}
    return find_route(
        graph,
        {id_of(start): 1.0},
        {id_of(end): worth for end, worth in ends.items()},
        lambda _: 0.0,
        lambda path, line: text.get((path, line), ""),
        goes_back=goes_back,
    )


def names(steps: list[FlowStep]) -> list[str]:
    return [step.symbol.name for step in steps]


def pool(language: str = "python", dot: str = ".") -> FileDraft:
    """A pool with a queue: `put` and `work` use it, and nothing calls `work`."""
    whole = f"pool{dot}Pool"
    return (
        FileDraft("pool.py", language=language)
        .declare(whole, "class")
        .declare(f"{whole}{dot}queue", "property")
        .declare(f"{whole}{dot}put", "method")
        .edge(f"{whole}{dot}queue", USES)
        .declare(f"{whole}{dot}work", "method")
        .edge(f"{whole}{dot}queue", USES)
        .declare(f"{whole}{dot}size", "method")
        .edge(f"{whole}{dot}queue", USES)
    )


def test_the_fewest_calls_are_the_way() -> None:
    draft = FileDraft("it.py").declare("it.a").edge("it.b").edge("it.c")
    draft.declare("it.b").edge("it.c").declare("it.c").edge("it.d").declare("it.d")
    (way,) = routes(graph_of([draft]), "it.a", {"it.d": 1.0})
    assert names(way) == ["a", "c", "d"]
    assert [step.edge.line for step in way if step.edge] == [2, 22]


def test_a_likelier_end_is_worth_more_steps() -> None:
    draft = FileDraft("it.py").declare("it.a").edge("it.near").edge("it.b").declare("it.near")
    draft.declare("it.b").edge("it.far").declare("it.far")
    ends = {"it.near": 0.3, "it.far": 0.9}
    assert names(routes(graph_of([draft]), "it.a", ends)[0]) == ["a", "b", "far"]


def test_what_is_put_into_a_queue_goes_to_its_readers() -> None:
    lines = {
        ("pool.py", 22): "self.queue.append(task)",
        ("pool.py", 32): "task = self.queue.popleft()",
        ("pool.py", 42): "self.queue = []",
    }
    (way,) = routes(graph_of([pool()]), "pool.Pool.put", {"pool.Pool.work": 1.0}, lines)
    assert names(way) == ["put", "work"]
    step = way[-1]
    assert step.edge is not None
    assert (step.through, step.edge.path, step.edge.line) == ("queue", "pool.py", 22)
    # `size` empties it, and `work` puts nothing into it
    assert not routes(graph_of([pool()]), "pool.Pool.put", {"pool.Pool.size": 1.0}, lines)
    assert not routes(graph_of([pool()]), "pool.Pool.work", {"pool.Pool.put": 1.0}, lines)


def test_a_queue_is_one_in_languages_with_other_separators() -> None:
    lines = {("pool.py", 22): "self.queue.push(task);", ("pool.py", 32): "self.queue.pop();"}
    graph = graph_of([pool("rust", "::")])
    (way,) = routes(graph, "pool::Pool::put", {"pool::Pool::work": 1.0}, lines)
    assert names(way) == ["put", "work"]


def test_a_channel_is_a_queue_and_a_flag_is_none() -> None:
    sent = {("pool.py", 22): "p.queue <- task", ("pool.py", 32): "task := <-p.queue"}
    assert routes(graph_of([pool()]), "pool.Pool.put", {"pool.Pool.work": 1.0}, sent)
    flag = {("pool.py", 22): "self.queue = False", ("pool.py", 32): "if self.queue:"}
    assert not routes(graph_of([pool()]), "pool.Pool.put", {"pool.Pool.work": 1.0}, flag)


def test_a_method_of_the_repository_that_fills_is_followed_as_a_call() -> None:
    """`pool.queue.append_task(task)` calls a function that is known: it is no container."""
    draft = pool().edge("other.append_task", at=(22, 30), source=2)
    other = FileDraft("other.py").declare("other.append_task")
    lines = {("pool.py", 22): "self.queue.append_task(task)", ("pool.py", 32): "self.queue.pop()"}
    graph = graph_of([draft, other])
    assert not routes(graph, "pool.Pool.put", {"pool.Pool.work": 1.0}, lines)
    assert routes(graph, "pool.Pool.put", {"other.append_task": 1.0}, lines)


def test_a_function_that_is_registered_in_a_field_runs_where_the_field_is_used() -> None:
    draft = (
        FileDraft("it.py")
        .declare("it.on_done", "variable")
        .declare("it.setup")
        .edge("it.on_done", USES)
        .edge("it.report", USES)
        .declare("it.run")
        .edge("it.on_done", USES)
        .declare("it.report")
    )
    lines = {("it.py", 12): "on_done = report", ("it.py", 22): "on_done(result)"}
    (way,) = routes(graph_of([draft]), "it.run", {"it.report": 1.0}, lines)
    assert names(way) == ["run", "report"]
    assert way[-1].through == "on_done"


def test_a_name_alone_leads_on_and_is_said_to() -> None:
    draft = FileDraft("it.py").declare("it.run").unknown("service").declare("it.Task", "class")
    draft.declare("it.Task.service", "method")
    (way,) = routes(graph_of([draft]), "it.run", {"it.Task.service": 1.0})
    assert (names(way), way[-1].is_by_name) == (["run", "service"], True)


def test_a_method_of_what_an_outer_function_returned_leads_on_by_name() -> None:
    draft = FileDraft("it.py").declare("it.run").outside("collections.deque.popleft")
    draft.outside("collections.deque.popleft.service").declare("it.service")
    (way,) = routes(graph_of([draft]), "it.run", {"it.service": 1.0})
    assert (names(way), way[-1].is_by_name) == (["run", "service"], True)
    plain = FileDraft("it.py").declare("it.run").outside("os.service").declare("it.service")
    assert not routes(graph_of([plain]), "it.run", {"it.service": 1.0})


def test_a_caller_goes_on_with_what_was_returned() -> None:
    draft = FileDraft("it.py").declare("it.main").edge("it.read").edge("it.use", at=(3, 0))
    draft.declare("it.read").declare("it.use")
    (way,) = routes(graph_of([draft]), "it.read", {"it.use": 1.0}, goes_back=True)
    assert names(way) == ["read", "main", "use"]
    assert [step.is_back for step in way] == [False, True, False]
    assert [names(part) for part in outer_parts(way)] == [["main", "use"]]


def test_a_caller_of_a_helper_is_no_step() -> None:
    """A function that calls the same helper is not run by others that call it."""
    draft = FileDraft("it.py").declare("it.save").edge("it.log").declare("it.move").edge("it.log")
    draft.edge("it.rename", at=(13, 0)).declare("it.log").declare("it.rename")
    graph = graph_of([draft])
    assert not routes(graph, "it.save", {"it.rename": 1.0})
    (way,) = routes(graph, "it.save", {"it.rename": 1.0}, goes_back=True)
    assert names(way) == ["save", "log", "move", "rename"]
    assert [names(part) for part in outer_parts(way)] == [["save", "log"], ["move", "rename"]]


def test_beside_a_guess_there_is_the_way_of_what_runs() -> None:
    """The second way leads to the same end and takes no value that is only assigned."""
    draft = pool().edge("pool.Pool.queue", USES, source=2)
    draft.declare("pool.Pool.task", "property").declare("pool.Pool.step", "method")
    draft.unknown("work")
    draft.edge("pool.Pool.step", source=2, at=(24, 0))
    lines = {("pool.py", 22): "self.queue.append(task)", ("pool.py", 32): "self.queue.pop()"}
    first, second = routes(graph_of([draft]), "pool.Pool.put", {"pool.Pool.work": 1.0}, lines)
    assert names(first) == ["put", "work"]
    assert names(second) == ["put", "step", "work"]


def test_tests_are_no_steps_and_no_way_is_none() -> None:
    caller = FileDraft("tests/test_it.py").declare("tests.test_it.check").edge("it.b")
    draft = FileDraft("it.py").declare("it.a").edge("tests.test_it.check").declare("it.b")
    assert routes(graph_of([caller, draft]), "it.a", {"it.b": 1.0}) == []
