"""Tasks in both eras: creation, results, cancellation, expiry."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import pytest

from repo_mcp.protocol import deprecated, task
from repo_mcp.protocol.call import ThreadJob
from repo_mcp.protocol.offer import Caller
from repo_mcp.protocol.tool_calls import PROMOTED_AFTER
from tests.repo_mcp.protocol.protocol_talk import (
    KEY,
    META,
    MODERN,
    NEWEST,
    RESULT,
    TASKS,
    Talk,
    line,
)
from tests.waiting import HANG

RELATED = KEY + "related-task"
BOTH = {
    **TASKS,
    KEY + "clientCapabilities": {"extensions": {KEY + "tasks": {}}, "sampling": {}},
}


def begun(talk: Talk, **task: object) -> tuple[str, ThreadJob]:
    """A call as a task, answered and not yet run."""
    job = talk.begin("tools/call", name="do.it", task=task)
    assert job is not None
    assert job.kind == "task"
    created = talk.answer_to(talk.sent[-1]["id"])["result"]["task"]
    assert created["status"] == "working"
    return created["taskId"], job


@pytest.mark.requirement("SWI-tasks")
def test_a_call_with_a_task_is_answered_before_it_runs() -> None:
    talk = Talk()
    id_, job = begun(talk, ttl=5000)
    found = talk.result("tasks/get", taskId=id_)
    assert (found["taskId"], found["status"], found["ttl"]) == (id_, "working", 5000)
    talk.session.perform(job)
    assert talk.result("tasks/get", taskId=id_)["status"] == "completed"
    found = talk.result("tasks/result", taskId=id_)
    assert found["structuredContent"] == RESULT["structuredContent"]
    assert found["_meta"] == {RELATED: {"taskId": id_}}


@pytest.mark.requirement("SWI-tasks")
def test_a_result_is_waited_for() -> None:
    talk = Talk()
    id_, job = begun(talk)
    waiting = talk.begin("tasks/result", taskId=id_)
    assert waiting is not None
    assert waiting.kind == "wait"
    thread = threading.Thread(target=talk.session.perform, args=[waiting])
    thread.start()
    talk.session.perform(job)
    thread.join(HANG)
    assert [m["result"]["isError"] for m in talk.sent if "result" in m] == [False]


def test_who_waits_for_a_result_can_be_cancelled() -> None:
    talk = Talk()
    id_, _ = begun(talk)
    waiting = talk.begin("tasks/result", taskId=id_)
    assert waiting is not None
    thread = threading.Thread(target=talk.session.perform, args=[waiting])
    thread.start()
    talk.tell("notifications/cancelled", requestId=3)
    thread.join(HANG)
    assert talk.sent == []
    assert talk.result("tasks/get", taskId=id_)["status"] == "working"


def test_the_end_of_a_task_is_told() -> None:
    talk = Talk()
    id_, job = begun(talk)
    talk.session.perform(job)
    (told,) = talk.notes("notifications/tasks/status")
    assert (told["taskId"], told["status"]) == (id_, "completed")


def test_a_tool_that_fails_makes_a_failed_task_with_a_result() -> None:
    talk = Talk()
    talk.offer.does = lambda _, __: {**RESULT, "isError": True}
    id_, job = begun(talk)
    talk.session.perform(job)
    assert talk.result("tasks/get", taskId=id_)["status"] == "failed"
    assert talk.result("tasks/result", taskId=id_)["isError"] is True


def test_a_defect_makes_a_failed_task() -> None:
    talk = Talk()

    def fail(*_: object) -> dict[str, Any]:
        raise RuntimeError

    talk.offer.does = fail
    id_, job = begun(talk)
    talk.session.perform(job)
    assert talk.result("tasks/get", taskId=id_)["status"] == "failed"
    assert talk.error("tasks/result", taskId=id_)[0] == -32603


@pytest.mark.requirement("SWI-tasks")
def test_a_cancelled_task_stops_and_stays_cancelled() -> None:
    talk = Talk()
    id_, job = begun(talk)
    assert talk.result("tasks/cancel", taskId=id_)["status"] == "cancelled"
    assert job.call.is_cancelled()
    talk.session.perform(job)
    assert talk.result("tasks/get", taskId=id_)["status"] == "cancelled"
    assert talk.error("tasks/cancel", taskId=id_)[0] == -32602
    assert talk.error("tasks/result", taskId=id_)[0] == -32603


def test_a_task_that_is_cancelled_while_it_runs_has_no_other_end() -> None:
    talk = Talk()
    ids: list[str] = []

    def does(_: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        talk.result("tasks/cancel", taskId=ids[0])
        assert caller.is_cancelled()
        return RESULT

    talk.offer.does = does
    id_, job = begun(talk)
    ids.append(id_)
    talk.session.perform(job)
    assert talk.result("tasks/get", taskId=id_)["status"] == "cancelled"
    assert talk.notes("notifications/tasks/status") == []


@pytest.mark.requirement("SWI-tasks")
def test_tasks_are_listed_oldest_first() -> None:
    talk = Talk()
    ids = [begun(talk)[0] for _ in range(3)]
    assert [task["taskId"] for task in talk.result("tasks/list")["tasks"]] == ids


@pytest.mark.parametrize(("ttl", "kept"), [(b"-1e400", 1), (b"1e400", 86_400_000), (b"1.5", 1)])
def test_a_time_that_is_no_whole_number_is_rounded(ttl: bytes, kept: int) -> None:
    talk = Talk()
    request = line("tools/call", {"name": "do.it", "task": {"ttl": 7}}, id=9)
    talk.session.receive(request.replace(b"7", ttl))
    assert talk.answer_to(9)["result"]["task"]["ttl"] == kept


@pytest.mark.parametrize("method", ["tasks/get", "tasks/result", "tasks/cancel"])
def test_unknown_and_forgotten_tasks_are_refused(method: str) -> None:
    talk = Talk()
    id_, job = begun(talk, ttl=1000)
    talk.now += 2
    assert talk.error(method, taskId=id_)[0] == -32602
    assert talk.error(method, taskId=7)[0] == -32602
    assert talk.error(method)[0] == -32602
    assert job.call.is_cancelled()


def test_only_so_many_tasks_are_under_way_and_old_ones_make_room() -> None:
    talk = Talk()
    jobs = [begun(talk)[1] for _ in range(64)]
    assert talk.error("tools/call", name="do.it", task={})[0] == -32603
    talk.session.perform(jobs[5])
    talk.sent.clear()
    begun(talk)
    assert len(talk.result("tasks/list")["tasks"]) == 64


def test_progress_of_a_task_goes_on_after_its_first_answer() -> None:
    talk = Talk()
    talk.offer.does = lambda _, caller: (caller.progress(1, 2, "x"), RESULT)[1]  # type: ignore[func-returns-value]
    job = talk.begin("tools/call", name="do.it", task={}, _meta={"progressToken": 5})
    assert job is not None
    id_ = talk.sent[-1]["result"]["task"]["taskId"]
    talk.now += 10
    talk.session.tick()
    talk.now += 10
    talk.session.perform(job)
    notes = talk.notes("notifications/progress")
    assert [note["progressToken"] for note in notes] == [5, 5]
    assert notes[1]["_meta"] == {RELATED: {"taskId": id_}}


@pytest.mark.parametrize("version", [NEWEST, MODERN])
def test_who_asks_about_a_task_learns_how_far_it_has_come(version: str) -> None:
    talk = Talk(version)
    told: list[str | None] = []

    def does(_: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        for done, total in ((1, 2), (2, 2), (3, 0)):
            talk.now += 1
            caller.progress(done, total, "reads files")
            shown = talk.core.tasks.owned_by()[0].state_fields()
            told.append(shown.get("statusMessage"))
            assert shown["lastUpdatedAt"] > shown["createdAt"]
        return RESULT

    talk.offer.does = does
    job = long_call(talk) if version == MODERN else begun(talk)[1]
    talk.session.perform(job)
    assert told == ["reads files: 1 of 2", "reads files: 2 of 2", "reads files"]
    (task,) = talk.core.tasks.owned_by()
    assert "statusMessage" not in task.state_fields()


def test_what_a_task_is_doing_is_told_no_more_after_its_end() -> None:
    talk = Talk()
    id_, job = begun(talk)
    assert talk.result("tasks/cancel", taskId=id_)["statusMessage"] == "cancelled by the client"
    job.call.progress(1, 2, "reads files")
    talk.core.tasks.get(id_).set_message("reads files")
    assert talk.result("tasks/get", taskId=id_)["statusMessage"] == "cancelled by the client"


def test_before_there_were_tasks_the_wish_is_passed_over() -> None:
    talk = Talk("2025-06-18")
    job = talk.begin("tools/call", name="do.it", task={"ttl": 1})
    assert job is not None
    talk.session.perform(job)
    assert "content" in talk.sent[-1]["result"]
    assert talk.error("tasks/list")[0] == -32601


def test_another_connection_learns_nothing_of_a_task() -> None:
    talk = Talk()
    id_, job = begun(talk)
    task = talk.core.tasks.get(id_)
    other = talk.core.tasks.create(job.call, "other")
    assert talk.core.tasks.owned_by() == [task]
    assert talk.error("tasks/get", taskId=other.id)[0] == -32602


def long_call(talk: Talk, meta: Mapping[str, Any] = TASKS) -> ThreadJob:
    """A call that has taken so long that it becomes a task, if it can."""
    job = talk.begin("tools/call", name="do.it", _meta=meta)
    assert job is not None
    talk.session.tick()
    assert talk.sent == []
    talk.now += PROMOTED_AFTER
    talk.session.tick()
    return job


@pytest.mark.requirement("SWI-tasks")
def test_in_the_new_era_a_long_call_becomes_a_task() -> None:
    talk = Talk(MODERN)
    job = long_call(talk)
    (created,) = [message["result"] for message in talk.sent]
    talk.sent.clear()
    assert (created["resultType"], created["status"]) == ("task", "working")
    assert {"ttlMs", "pollIntervalMs", "createdAt", "lastUpdatedAt"} <= set(created)
    talk.session.perform(job)
    assert talk.sent == []
    found = talk.result("tasks/get", taskId=created["taskId"], _meta=TASKS)
    assert (found["resultType"], found["status"]) == ("complete", "completed")
    assert found["result"]["structuredContent"] == RESULT["structuredContent"]


def test_a_long_call_of_a_client_without_tasks_stays_a_call() -> None:
    talk = Talk(MODERN)
    job = long_call(talk, META)
    assert talk.sent == []
    talk.session.perform(job)
    assert talk.sent[-1]["result"]["resultType"] == "complete"


def test_a_call_that_is_answered_does_not_become_a_task() -> None:
    talk = Talk(MODERN)
    job = talk.begin("tools/call", name="do.it", _meta=TASKS)
    assert job is not None
    assert job.call.settle()
    talk.now += PROMOTED_AFTER
    talk.session.tick()
    assert talk.sent == []


def test_a_defect_in_a_task_of_the_new_era_is_an_error_in_it() -> None:
    talk = Talk(MODERN)

    def fail(*_: object) -> dict[str, Any]:
        raise RuntimeError

    talk.offer.does = fail
    job = long_call(talk)
    id_ = talk.sent.pop()["result"]["taskId"]
    talk.session.perform(job)
    found = talk.result("tasks/get", taskId=id_, _meta=TASKS)
    assert (found["status"], found["error"]["code"]) == ("failed", -32603)
    assert "result" not in found


def test_a_task_of_the_new_era_is_cancelled_without_an_error_for_trying_twice() -> None:
    talk = Talk(MODERN)
    job = long_call(talk)
    id_ = talk.sent.pop()["result"]["taskId"]
    assert talk.result("tasks/cancel", taskId=id_, _meta=TASKS)["resultType"] == "complete"
    assert job.call.is_cancelled()
    talk.result("tasks/cancel", taskId=id_, _meta=TASKS)
    talk.session.perform(job)
    assert talk.result("tasks/get", taskId=id_, _meta=TASKS)["status"] == "cancelled"


def test_who_does_not_declare_tasks_is_told_to() -> None:
    talk = Talk(MODERN)
    found = talk.answer("tasks/get", taskId="x", _meta=META)["error"]
    assert found["code"] == -32021
    assert found["data"] == {"requiredCapabilities": {"extensions": {KEY + "tasks": {}}}}


@pytest.mark.parametrize("method", ["tasks/list", "tasks/result"])
def test_methods_of_the_older_form_are_unknown_in_the_new_era(method: str) -> None:
    assert Talk(MODERN).error(method, taskId="x", _meta=TASKS)[0] == -32601


def test_a_task_of_the_new_era_is_given_answers() -> None:
    talk = Talk(MODERN)
    told: list[str | None] = []
    waits = threading.Event()

    def does(_: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        waits.wait(HANG)
        told.append(caller.sample("why?", 5))
        return RESULT

    talk.offer.does = does
    job = long_call(talk, BOTH)
    id_ = talk.sent.pop()["result"]["taskId"]
    thread = threading.Thread(target=talk.session.perform, args=[job])
    thread.start()
    task = talk.core.tasks.get(id_)
    with task._changed:
        waits.set()
        assert task._changed.wait_for(lambda: bool(task.inputs), HANG)
    found = talk.result("tasks/get", taskId=id_, _meta=TASKS)
    assert found["status"] == "input_required"
    ((key, asked),) = found["inputRequests"].items()
    assert asked["method"] == deprecated.CREATE_MESSAGE
    answer = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "so"}}
    talk.error("tasks/update", taskId=id_, _meta=TASKS)
    responses = {key: answer, "other": answer}
    talk.result("tasks/update", taskId=id_, inputResponses=responses, _meta=TASKS)
    thread.join(HANG)
    assert told == ["so"]
    assert talk.result("tasks/get", taskId=id_, _meta=TASKS)["status"] == "completed"


def test_a_question_that_meets_its_call_becoming_a_task_is_asked_by_the_task(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(task, "SAMPLING_SECONDS", 0.0)
    talk = Talk(MODERN)
    told: list[str | None] = []

    def does(_: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        try:
            told.append(caller.sample("why?", 5))
        finally:
            talk.now += PROMOTED_AFTER
            talk.session.tick()
        return RESULT

    talk.offer.does = does
    job = talk.begin("tools/call", name="do.it", _meta=BOTH)
    assert job is not None
    talk.session.perform(job)
    assert [message["result"]["resultType"] for message in talk.sent] == ["task"]
    assert told == [None]
    id_ = talk.sent[0]["result"]["taskId"]
    assert talk.result("tasks/get", taskId=id_, _meta=TASKS)["status"] == "completed"
