"""Bundles for questions about a flow: the chain of calls first, then the bodies of its steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from code_graph.query.snapshot import GraphSnapshot
from repo_mcp.bundle import Bundle, record_of_bundle, render_page
from repo_mcp.bundle.reasons import NoticeCode
from repo_mcp.flow import FlowSources, find_question_flow
from repo_mcp.question.kinds import Intent, parse_question
from repo_mcp.question.ways import flow_ends
from tests.repo_mcp.bundle.bundling import Shop, made, request
from tests.repo_mcp.trees import FOREVER

TREE: dict[str, str | bytes] = {
    "crawler.py": (
        "from engine import open_spider\n\n\ndef crawl(spider):\n    return open_spider(spider)\n"
    ),
    "engine.py": (
        "from downloader import fetch\n\n\n"
        "def open_spider(spider):\n    for url in spider:\n        schedule(url)\n\n\n"
        "def schedule(url):\n    return fetch(url)\n"
    ),
    "downloader.py": (
        '"""Talks to sites."""\n\n\ndef fetch(url):\n    return download(url)\n\n\n'
        "def download(url):\n    return url\n"
    ),
    "notes.md": "# Requests\n\nHow a request gets from crawl to the download is said elsewhere.\n",
    "options.py": "DOWNLOAD_DELAY = 3\nREQUEST_LIMIT = 4\n",
}
QUESTION = "How does a request get from crawl() to the download?"
CHAIN = (
    "crawler.crawl → engine.open_spider (crawler.py:5) → engine.schedule (engine.py:6)"
    " → downloader.fetch (:10) → downloader.download (downloader.py:5)"
)


@pytest.mark.parametrize(
    "text",
    [
        QUESTION,
        "what happens on a file change?",
        "What happens when the arbiter gets SIGHUP?",
        "how is a message queued again after its timeout",
        "explain how the index is made",
        "the call path from main to exit",
        "walk me through the start",
        "What does the client do when the connection breaks?",
        "A job comes: chain of functions from Server.handle by its kind to Log.append of it",
        "I need the call stack from receive to store, with files and lines",
        "list the path of calls between receive and store",
    ],
)
def test_questions_about_a_flow_are_recognised(text: str) -> None:
    assert parse_question(text).asks_for(Intent.WAY)


@pytest.mark.parametrize(
    "text",
    [
        "add an option that limits the size of answers",
        "How to reproduce: call main() twice",
        "How do I add a language?",
        "move the functions from helpers to the package, with their tests",
        "Steps to reproduce: go from the first page to the last one, and back",
        "imports break: the path of a setting changed from one folder to another, as files moved",
        "ValueError: an order must have at least one line",
        "parse_header",
        "What happens when the list is empty? " + "The report has more than that. " * 20,
    ],
)
def test_tasks_and_reports_are_none(text: str) -> None:
    assert not parse_question(text).asks_for(Intent.WAY)


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        (QUESTION, ("crawl()", "the download")),
        (
            "A job comes to the front door. Chain of functions from there to the store",
            ("A job comes to the front door", "the store"),
        ),
        (
            "How does a request get from Client.fetch all the way to connect when none is idle?",
            ("Client.fetch", "connect"),
        ),
        ("the path between parse and emit", ("parse", "emit")),
        ("how is a message handed to its handler", ("a message", "handed to its handler")),
        (
            "What happens when a call fails, until the client has an answer?",
            ("a call fails", "the client has an answer"),
        ),
        ("what happens on a file change?", None),
        (
            (
                "A job comes from a client: chain of functions from Server.handle by its kind to"
                " Log.append of the batch. Name files and lines"
            ),
            ("Server.handle by its kind", "Log.append of the batch"),
        ),
    ],
)
def test_the_ends_of_a_question(text: str, ends: tuple[str, str] | None) -> None:
    assert flow_ends(text) == ends


WORKERS: dict[str, str | bytes] = {
    "channel.py": (
        "class Channel:\n"
        "    def received(self, data):\n        self.pool.submit_job(self)\n\n"
        "    def serve(self):\n        return Answer(self).execute()\n\n\n"
        "class Answer:\n    def execute(self):\n        return 1\n"
    ),
    "pool.py": (
        "from collections import deque\n\n\n"
        "class Pool:\n"
        "    def __init__(self):\n        self.jobs = deque()\n\n"
        "    def submit_job(self, job):\n        self.jobs.append(job)\n\n"
        "    def work(self):\n        while True:\n            job = self.jobs.popleft()\n"
        "            job.serve()\n"
    ),
}


def test_without_a_graph_a_question_with_two_ends_is_told_so(tmp_path: Path) -> None:
    shop = made(tmp_path, WORKERS)
    asked = request("How does a request get from received to Answer.execute?")
    told = [notice.code for notice in shop.bundler.build(shop.snapshot, asked, FOREVER).notices]
    assert told == [NoticeCode.NO_GRAPH]
    over_names = request("call chain: Channel.received, submit_job, Channel.serve")
    told = [item.code for item in shop.bundler.build(shop.snapshot, over_names, FOREVER).notices]
    assert told == [NoticeCode.NO_GRAPH]
    other = request("How is a job answered?")
    told = [item.code for item in shop.bundler.build(shop.snapshot, other, FOREVER).notices]
    assert told == [NoticeCode.UNLINKED]
    assert not shop.bundler.build(shop.snapshot, other, FOREVER, linked(shop)).notices


def linked(shop: Shop) -> GraphSnapshot:
    shop.manager.link(FOREVER)
    found = shop.manager.graph().snapshot
    assert found is not None
    return GraphSnapshot(found)


def ask(folder: Path, tree: dict[str, str | bytes], prompt: str) -> Bundle:
    """The bundle for a prompt about some files, with their graph."""
    shop = made(folder, tree)
    return shop.bundler.build(shop.snapshot, request(prompt), FOREVER, linked(shop))


def test_a_flow_goes_through_a_queue_and_a_method_of_an_unknown_value(tmp_path: Path) -> None:
    shop = made(tmp_path, WORKERS)
    asked = request("How does a request get from received to Answer.execute?")
    bundle = shop.bundler.build(shop.snapshot, asked, FOREVER, linked(shop))
    chain = (
        "Channel.received → Pool.submit_job (channel.py:3, by name)"
        " → Pool.work (pool.py:9, through jobs) → Channel.serve (:14, by name)"
        " → Answer.execute (channel.py:6)"
    )
    assert bundle.flow == (chain,)


def test_the_chain_comes_first_and_then_each_body(tmp_path: Path) -> None:
    shop = made(tmp_path, TREE)
    bundle = shop.bundler.build(shop.snapshot, request(QUESTION), FOREVER, linked(shop))
    assert bundle.flow == (CHAIN,)
    assert bundle.as_result()["flow"] == [CHAIN]
    order = [item.path for item in bundle.file_excerpts()]
    assert order[:3] == ["crawler.py", "engine.py", "downloader.py"]
    text = "\n".join(item.text for item in bundle.excerpts)
    for line in ("def crawl", "schedule(url)", "return fetch(url)", "def download", "return url"):
        assert line in text
    assert f"## Calls\n\n- `{CHAIN}`\n" in render_page(bundle, QUESTION)
    assert record_of_bundle(bundle)["flow"] == [CHAIN]
    plain = shop.bundler.build(shop.snapshot, request(QUESTION), FOREVER)
    assert (plain.flow, "flow" in plain.as_result()) == ((), False)


def test_without_a_way_both_ends_are_shown_as_they_are_named(tmp_path: Path) -> None:
    """The last part of a qualified name is not the name of all functions that are called so."""
    files: dict[str, str | bytes] = {
        "app.py": (
            "class App:\n    def __call__(self, scope):\n        return self.make(scope)\n\n"
            "    def make(self, scope):\n        return scope\n"
        ),
        "route.py": "class Route:\n    def endpoint(self):\n        return finish()\n\n\n"
        "def finish():\n    return 1\n",
        **{
            f"other_{n}.py": f"class Other{n}:\n    def __call__(self):\n        return {n}\n"
            for n in range(5)
        },
    }
    shop = made(tmp_path, files)
    graph = linked(shop)
    question = "How does a request get from App.__call__ to Route.endpoint?"
    sources = FlowSources(lambda _: (), lambda _, __: "", lambda: None)
    flow = find_question_flow(graph, question, (), sources)
    steps = [step.symbol.qualified_name for step in flow.steps]
    named = {step for step in steps if step.endswith(("__call__", "endpoint"))}
    assert named == {"app.App.__call__", "route.Route.endpoint"}


def test_a_flow_takes_no_step_to_another_caller_of_a_helper(tmp_path: Path) -> None:
    """The ends are shown, each with what it calls, and the answer says that no way is known."""
    files: dict[str, str | bytes] = {
        "view.py": (
            "from helper import note\n\n\ndef update_title(it):\n    check_title(it)\n"
            "    note(it)\n\n\ndef check_title(it):\n    return it\n"
        ),
        "helper.py": "def note(it):\n    return it\n",
        "bulk.py": (
            "from helper import note\n\n\ndef redo(items):\n    note(items)\n"
            "    move_file(items)\n\n\ndef move_file(items):\n    return items\n"
        ),
    }
    shop = made(tmp_path, files)
    asked = request("How does a change get from update_title to move_file?")
    bundle = shop.bundler.build(shop.snapshot, asked, FOREVER, linked(shop))
    assert bundle.flow == (
        "no way of calls is known from view.update_title (view.py:4) to bulk.move_file (bulk.py:9)",
        "from the first: view.update_title → view.check_title (view.py:5)",
        "to the second: bulk.redo → bulk.move_file (bulk.py:6)",
    )
    assert "no_way" in [notice.code.value for notice in bundle.notices]
    assert not any("caller" in chain for chain in bundle.flow)
    assert {"view.py", "bulk.py"} <= {item.path for item in bundle.file_excerpts()}
    straight = request("How does a change get from redo to move_file?")
    bundle = shop.bundler.build(shop.snapshot, straight, FOREVER, linked(shop))
    assert bundle.flow == ("bulk.redo → bulk.move_file (bulk.py:6)",)
    assert not [notice for notice in bundle.notices if notice.code.value == "no_way"]


def test_between_ends_without_a_way_stands_what_is_handed_on(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "watch.py": (
            "class Watcher:\n    def __init__(self):\n        self.all = {}\n\n"
            "    def start_all(self):\n        self.apply_all()\n\n"
            "    def apply_all(self):\n        for one in self.all.values():\n"
            "            one.refresh()\n"
        ),
        "route.py": (
            "def switch_all(conf):\n    return make_routes(conf)\n\n\n"
            "def make_routes(conf):\n    return conf\n"
        ),
        "main.py": (
            "from route import switch_all\n\n\ndef run_main(told):\n    told['all'] = switch_all\n"
        ),
        **{f"other_{n}.py": f"def start_other_{n}(all):\n    return {n}\n" for n in range(6)},
    }
    shop = made(tmp_path, files)
    asked = request("chain of calls from Watcher.start_all to make_routes")
    bundle = shop.bundler.build(shop.snapshot, asked, FOREVER, linked(shop))
    assert bundle.flow == (
        (
            "no way of calls is known from Watcher.start_all (watch.py:5) to route.make_routes"
            " (route.py:5)"
        ),
        "from the first: Watcher.start_all → Watcher.apply_all (watch.py:6)",
        "to the second: route.switch_all → route.make_routes (route.py:2)",
        "route.switch_all is handed on at main.py:5 in main.run_main",
        (
            "calls without a known target behind the first: values (watch.py:9),"
            " refresh (watch.py:10)"
        ),
    )
    assert {item.path for item in bundle.file_excerpts()} == {"watch.py", "route.py"}
    assert not bundle.places


def test_a_way_between_two_names_is_all_that_is_shown(tmp_path: Path) -> None:
    tree = {**TREE, "other.py": "def open_spider_twice(url):\n    return url\n"}
    shop = made(tmp_path, tree)
    asked = request("chain of calls from open_spider to downloader.download")
    bundle = shop.bundler.build(shop.snapshot, asked, FOREVER, linked(shop))
    assert bundle.flow[0].startswith("engine.open_spider → engine.schedule (engine.py:6)")
    assert {item.path for item in bundle.file_excerpts()} == {"engine.py", "downloader.py"}
    assert not bundle.places


def test_ends_that_were_guessed_and_have_no_way_are_told_first(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {
        "a.py": (
            "def receive_message(it):\n    return check_message(it)\n\n\n"
            "def check_message(it):\n    return it\n"
        ),
        "b.py": "def store_record(it):\n    return it\n\n\ndef run(it):\n    store_record(it)\n",
    }
    shop = made(tmp_path, tree)
    asked = request("How does it get from receiving a message to storing the record?")
    bundle = shop.bundler.build(shop.snapshot, asked, FOREVER, linked(shop))
    first, *others = bundle.flow
    assert first.startswith("no way of calls is known; the question names no function")
    assert "from a.receive_message (a.py:1)" in first
    assert " to b.store_record (b.py:1)" in first
    assert not any("guessed" in line for line in others)
    named = request("How does it get from receive_message to check_message?")
    bundle = shop.bundler.build(shop.snapshot, named, FOREVER, linked(shop))
    assert bundle.flow == ("a.receive_message → a.check_message (a.py:2)",)


def test_of_requests_that_are_dispatched_the_one_is_followed_that_is_named(tmp_path: Path) -> None:
    text = (
        "def dispatch_all(kind):\n    if kind == 1:\n        handle_mark(kind)\n"
        "    handle_produce(kind)\n\n\n"
        "def handle_mark(kind):\n    append_batch(kind)\n\n\n"
        "def handle_produce(kind):\n    verify(kind)\n\n\n"
        "def verify(kind):\n    append_batch(kind)\n\n\n"
        "def append_batch(kind):\n    return kind\n"
    )
    graph = linked(made(tmp_path, {"app.py": text}))
    sources = FlowSources(lambda _: (), lambda _, __: "", lambda: None)

    def way(question: str) -> list[str]:
        flow = find_question_flow(graph, question, (), sources)
        return [step.symbol.simple_name for step in flow.routes[0]]

    chain = "chain of calls from dispatch_all to append_batch"
    assert way(chain) == ["dispatch_all", "handle_mark", "append_batch"]
    produced = ["dispatch_all", "handle_produce", "verify", "append_batch"]
    assert way(f"A produce request arrives. Name the {chain}") == produced


STATIONS = (
    "def receive_all(kind):\n    if kind:\n        keep_short(kind)\n    parse_batch(kind)\n\n\n"
    "def keep_short(kind):\n    write_batch(kind)\n\n\n"
    "def parse_batch(kind):\n    check_batch(kind)\n\n\n"
    "def check_batch(kind):\n    hidden(kind)\n\n\n"
    "def hidden(kind):\n    write_batch(kind)\n\n\n"
    "def write_batch(kind):\n    return kind\n\n\n"
    "def stray_end(kind):\n    return kind\n"
)


@pytest.mark.parametrize(
    "question",
    [
        "chain of functions from receive_all by its kind, parse_batch, check_batch to write_batch",
        "How does a batch get from receive_all to write_batch through parse_batch?",
        "app.receive_all -> app.parse_batch -> app.check_batch -> app.write_batch",
        "receive_all() → parse_batch() → write_batch(): which lines?",
        "How does a batch reach write_batch from receive_all by way of parse_batch?",
    ],
)
def test_a_way_leads_over_all_functions_that_are_named(tmp_path: Path, question: str) -> None:
    assert parse_question(question).asks_for(Intent.WAY)
    bundle = ask(tmp_path, {"app.py": STATIONS}, question)
    assert bundle.flow == (
        (
            "app.receive_all → app.parse_batch (app.py:4) → app.check_batch (:12)"
            " → app.hidden (:16) → app.write_batch (:20)"
        ),
    )
    assert not bundle.places


def test_a_request_that_is_named_begins_where_it_is_handled(tmp_path: Path) -> None:
    """Of the functions of that name the one whose owner has the words of the beginning."""
    text = (
        "class FrontHandler:\n    def put_item(self, it):\n        return save_row(it)\n\n\n"
        "class BackHandler:\n    def put_item(self, it):\n        return it\n\n\n"
        "class FrontHandlerPool:\n    def stop(self):\n        return save_row(None)\n\n\n"
        "def save_row(it):\n    return it\n"
    )
    question = "How does a put_item request get from the front handler to saving the row?"
    flow = ask(tmp_path, {"app.py": text}, question).flow
    assert flow[0] == "FrontHandler.put_item → app.save_row (app.py:3)"


def test_a_hop_without_a_way_is_told_and_the_others_are_shown(tmp_path: Path) -> None:
    question = "chain of calls: receive_all, parse_batch, check_batch, stray_end"
    flow = ask(tmp_path, {"app.py": STATIONS}, question).flow
    assert flow == (
        "app.receive_all → app.parse_batch (app.py:4) → app.check_batch (:12)",
        "no way of calls is known from app.check_batch (app.py:15) to app.stray_end (app.py:27)",
    )


def test_names_that_calls_hardly_connect_are_no_chain(tmp_path: Path) -> None:
    """They are found as words of the question are."""
    graph = linked(made(tmp_path, {"app.py": STATIONS}))
    sources = FlowSources(lambda _: (), lambda _, __: "", lambda: None)
    question = "How do write_batch, check_batch, stray_end and receive_all differ?"
    flow = find_question_flow(graph, question, (), sources)
    assert not flow.routes
    assert not flow.gaps


def test_a_long_step_shows_the_call_that_leads_on_behind_a_long_head(tmp_path: Path) -> None:
    """Its other lines are less than whole."""
    parameters = "".join(f"    part_{n}: int = {n},\n" for n in range(12))
    work = "".join(f"    value_{n} = part_{n}\n" for n in range(12))
    text = (
        f"def begin_work(\n{parameters}) -> int:\n{work * 4}    return middle_work()\n\n\n"
        "def middle_work():\n    return end_work()\n\n\ndef end_work():\n    return 1\n"
    )
    question = "chain of calls from begin_work, middle_work to end_work"
    bundle = ask(tmp_path, {"app.py": text}, question)
    shown = [line.number for item in bundle.excerpts for line in item.lines]
    called = text.splitlines().index("    return middle_work()") + 1
    assert called in shown
    assert sum(line <= called for line in shown) <= 12


def test_functions_that_have_no_word_of_an_end_are_none(tmp_path: Path) -> None:
    """`routine` begins as `rout` does, and is another word."""
    text = "def routine():\n    return 1\n\n\ndef finish():\n    return 2\n"
    graph = linked(made(tmp_path, {"app.py": text}))
    sources = FlowSources(lambda _: (), lambda _, __: "", lambda: None)
    question = "How does it get from the route to the end?"
    assert not find_question_flow(graph, question, (), sources).steps


def test_a_task_has_no_chain(tmp_path: Path) -> None:
    shop = made(tmp_path, TREE)
    prompt = request("limit the size of each download")
    assert shop.bundler.build(shop.snapshot, prompt, FOREVER, linked(shop)).flow == ()
