"""A call on an object of unknown type is told by its receiver, its arguments or its imports."""

from __future__ import annotations

import pytest

from code_graph.model import Confidence, EdgeType, Strategy
from code_graph.query.edges import EdgeFilter
from code_graph.query.neighbours import incoming_edges, outgoing_edges
from tests.code_graph.linked_files import graph_of_texts, symbol_named

_CALLS = EdgeFilter((EdgeType.CALLS,), (Confidence.PROBABLE,))

SERVICE = "class DeviceService:\n    def restart(self, device):\n        return device\n"
QUEUE = "class JobQueue:\n    def restart(self, device):\n        return 2\n"
BARE = "class Clock:\n    def restart(self):\n        return 3\n"


def likely(texts: dict[str, str], name: str = "restart") -> list[tuple[str, str]]:
    """The owners of the members that calls are said to mean, each with the reason."""
    graph = graph_of_texts(texts)
    told: list[tuple[str, str]] = []
    for path in texts:
        for symbol, _ in graph.outline(path):
            if symbol.simple_name == name:
                edges = [*incoming_edges(graph, symbol.id, _CALLS)]
                told += [
                    (symbol.owner.rpartition(".")[2], Strategy(edge.strategy).name.lower())
                    for edge in edges
                ]
                for edge in edges:
                    callees = outgoing_edges(graph, edge.source, _CALLS)
                    assert symbol.id in {callee.target for callee in callees}
    return told


@pytest.mark.parametrize(
    "receiver", ["service", "device_service", "self.service", "old_device_service", "services[0]"]
)
def test_a_receiver_is_named_as_its_type(receiver: str) -> None:
    text = (
        f"def run(self, services, service, device_service, old_device_service, x):\n    {receiver}"
    )
    call = {"run.py": f"{text}.restart(x)\n"}
    expected = [] if receiver == "services[0]" else [("DeviceService", "receiver_name")]
    assert likely({"a.py": SERVICE, "b.py": QUEUE, **call}) == expected


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("run.ts", "function run(queue: any) { queue.restart(1) }"),
        ("run.js", "function run(queue) { queue.restart(1) }"),
        ("run.js", "class Runner { run() { this.jobQueue.restart(1) } }"),
    ],
)
def test_receivers_of_scripts(path: str, text: str) -> None:
    end = path.rpartition(".")[2]
    one = "export class DeviceService { restart(device) { return device } }\n"
    other = "export class JobQueue { restart(device) { return 2 } }\n"
    texts = {f"a.{end}": one, f"b.{end}": other, path: text}
    assert likely(texts) == [("JobQueue", "receiver_name")]


def test_a_number_of_arguments_that_no_other_takes() -> None:
    call = {"run.py": "def run(thing):\n    thing.restart()\n"}
    assert likely({"a.py": SERVICE, "c.py": BARE, **call}) == [("Clock", "argument_count")]
    # which of two that take it is not told
    assert likely({"a.py": SERVICE, "b.py": QUEUE, "c.py": BARE, **call}) == [
        ("Clock", "argument_count")
    ]
    one = {"run.py": "def run(thing):\n    thing.restart(1)\n"}
    assert likely({"a.py": SERVICE, "b.py": QUEUE, "c.py": BARE, **one}) == []


@pytest.mark.parametrize("arguments", ["*every", "**named", "1, *every"])
def test_lists_of_any_length_tell_nothing(arguments: str) -> None:
    call = {"run.py": f"def run(thing, every, named):\n    thing.restart({arguments})\n"}
    assert likely({"a.py": SERVICE, "c.py": BARE, **call}) == []


def test_a_language_that_takes_any_number_of_arguments() -> None:
    texts = {
        "a.js": "export class DeviceService { restart(device) { return device } }\n",
        "b.js": "export class Clock { restart() { return 3 } }\n",
        "run.js": "function run(thing) { thing.restart() }\n",
    }
    assert likely(texts) == []


def test_the_only_one_that_the_file_imports() -> None:
    call = {"run.py": "from b import JobQueue\n\ndef run(thing):\n    thing.restart(1)\n"}
    assert likely({"a.py": SERVICE, "b.py": QUEUE, **call}) == [("JobQueue", "seen_in_file")]
    both = {"run.py": f"from a import DeviceService\n{call['run.py']}"}
    assert likely({"a.py": SERVICE, "b.py": QUEUE, **both}) == []


def test_a_graph_that_may_lack_imports_tells_nothing_by_them() -> None:
    call = {"run.py": "from b import JobQueue\n\ndef run(thing):\n    thing.restart(1)\n"}
    graph = graph_of_texts({"a.py": SERVICE, "b.py": QUEUE, **call})
    graph.progress = graph.progress._replace(complete=False)
    queue = symbol_named(graph, "b.JobQueue.restart")
    assert [*incoming_edges(graph, queue.id, _CALLS)] == []


def test_a_receiver_that_is_named_as_one_speaks_against_all_others() -> None:
    # named as a service, with the arguments of a clock
    call = {"run.py": "def run(service):\n    service.restart()\n"}
    assert likely({"a.py": SERVICE, "c.py": BARE, **call}) == []


def test_a_type_that_has_the_words_may_be_meant_too() -> None:
    other = "class DeviceServiceTwin:\n    def restart(self, device):\n        return 4\n"
    call = {"run.py": "def run(service):\n    service.restart(1)\n"}
    assert likely({"a.py": SERVICE, "d.py": other, **call}) == []


def test_a_name_that_is_used_of_objects_from_outside_is_told_by_a_whole_name() -> None:
    outside = {"out.py": "import far\n\ndef go():\n    far.machine().restart(1)\n"}
    short = {"run.py": "def run(service):\n    service.restart(1)\n"}
    whole = {"run.py": "def run(device_service):\n    device_service.restart(1)\n"}
    trees = {"a.py": SERVICE, "b.py": QUEUE, **outside}
    assert likely({**trees, **short}) == []
    assert likely({**trees, **whole}) == [("DeviceService", "receiver_name")]


def test_members_that_override_one_another_are_one() -> None:
    base = "class Service:\n    def restart(self, device):\n        raise NotImplementedError\n"
    own = (
        f"from base import Service\n\n{SERVICE.replace('DeviceService', 'DeviceService(Service)')}"
    )
    call = {"run.py": "def run(service):\n    service.restart(1)\n"}
    texts = {"base.py": base, "a.py": own, "b.py": QUEUE, **call}
    assert sorted(likely(texts)) == [
        ("DeviceService", "receiver_name"),
        ("Service", "receiver_name"),
    ]


def test_a_call_inside_of_the_likeliest_is_handed_on() -> None:
    service = "class DeviceService:\n    def restart(self, device):\n        device.restart(1)\n"
    assert likely({"a.py": service, "c.py": BARE}) == []


def test_a_member_of_tests_is_meant_by_tests_alone() -> None:
    stub = {"tests/test_stub.py": QUEUE.replace("JobQueue", "StubService")}
    call = "def run(service):\n    service.restart(1)\n"
    named = likely({"a.py": SERVICE, "b.py": QUEUE, **stub, "run.py": call})
    assert named == [("DeviceService", "receiver_name")]
    assert likely({"a.py": SERVICE, "b.py": QUEUE, **stub, "tests/test_run.py": call}) == []


def test_what_cannot_be_told_apart_stays_open() -> None:
    call = {"run.py": "def run(thing):\n    thing.restart(1)\n"}
    texts = {"a.py": SERVICE, "b.py": QUEUE, **call}
    assert likely(texts) == []
    graph = graph_of_texts(texts)
    symbol = symbol_named(graph, "b.JobQueue.restart")
    assert [*incoming_edges(graph, symbol.id, _CALLS)] == []
