"""A running call: progress, log messages and sampling."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from repo_mcp.protocol import deprecated
from repo_mcp.protocol.call import MAX_SILENCE, MIN_INTERVAL, Call
from repo_mcp.protocol.eras import Peer
from repo_mcp.protocol.offer import Caller
from repo_mcp.protocol.rounds import Answers
from repo_mcp.protocol.seal import LIFETIME
from tests.repo_mcp.protocol.protocol_talk import KEY, META, MODERN, RESULT, SAMPLING, Talk
from tests.waiting import HANG

PROGRESS = "notifications/progress"
MESSAGE = "notifications/message"
ANSWER = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "yes"}}


def telling(*steps: Callable[[Caller], None]) -> Callable[..., dict[str, Any]]:
    def does(_: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        for step in steps:
            step(caller)
        return RESULT

    return does


def token(value: object) -> dict[str, Any]:
    return {"_meta": {"progressToken": value}}


@pytest.mark.parametrize("value", ["t", 0, 7])
def test_progress_is_told_to_who_gave_a_token(value: object) -> None:
    talk = Talk()
    talk.offer.does = telling(lambda caller: caller.progress(3, 10, "files"))
    talk.result("tools/call", name="do.it", **token(value))
    expected = {"progressToken": value, "progress": 3, "total": 10, "message": "files"}
    assert talk.notes(PROGRESS) == [expected]


@pytest.mark.parametrize("params", [{}, *map(token, [None, True, [1]]), {"_meta": 3}])
def test_without_a_token_nothing_is_told(params: dict[str, Any]) -> None:
    talk = Talk()
    talk.offer.does = telling(lambda caller: caller.progress(1, 1, ""))
    talk.result("tools/call", name="do.it", **params)
    assert talk.notes(PROGRESS) == []


def test_the_oldest_version_has_no_text_of_progress() -> None:
    talk = Talk("2024-11-05")
    talk.offer.does = telling(lambda caller: caller.progress(1, 0, "files"))
    talk.result("tools/call", name="do.it", **token(1))
    assert talk.notes(PROGRESS) == [{"progressToken": 1, "progress": 1}]


def test_reports_are_some_time_apart_and_always_grow() -> None:
    talk = Talk()

    def does(_: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        for step in range(100):
            talk.now = step * MIN_INTERVAL / 4
            caller.progress(step % 10, 10, "")
        return RESULT

    talk.offer.does = does
    talk.result("tools/call", name="do.it", **token(1))
    values = [note["progress"] for note in talk.notes(PROGRESS)]
    assert 20 <= len(values) <= 26
    assert values == sorted(set(values))
    assert all(
        "total" not in note or note["total"] >= note["progress"] for note in talk.notes(PROGRESS)
    )


def test_stretches_of_work_that_are_counted_anew_add_up() -> None:
    talk = Talk()

    def does(_: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        for done, total in [(50, 100), (100, 100), (0, 40), (20, 40), (40, 40)]:
            talk.now += 2 * MIN_INTERVAL
            caller.progress(done, total, "")
        return RESULT

    talk.offer.does = does
    talk.result("tools/call", name="do.it", **token(1))
    notes = [(note["progress"], note["total"]) for note in talk.notes(PROGRESS)]
    assert notes == [(50, 100), (100, 100), (100.001, 140), (120, 140), (140, 140)]


def test_a_silent_call_is_told_about_until_its_answer() -> None:
    talk = Talk()
    job = talk.begin("tools/call", name="do.it", **token(1))
    assert job is not None
    for _ in range(10):
        talk.now += MAX_SILENCE / 2
        talk.session.tick()
    notes = talk.notes(PROGRESS)
    assert len(notes) == 5
    assert "still working, 3 s" in notes[0]["message"]
    talk.session.perform(job)
    talk.now += 2 * MAX_SILENCE
    talk.session.tick()
    assert len(talk.notes(PROGRESS)) == 5


def test_what_was_told_last_is_repeated_while_a_call_is_silent() -> None:
    talk = Talk()
    job = talk.begin("tools/call", name="do.it", **token(1))
    assert job is not None
    job.call.progress(4, 9, "reading")
    talk.now += MAX_SILENCE
    talk.session.tick()
    last = talk.notes(PROGRESS)[-1]
    assert (last["total"], last["message"][:8]) == (9, "reading ")
    assert 4 < last["progress"] < 5


def test_nothing_is_told_after_the_answer() -> None:
    talk = Talk()
    kept: list[Caller] = []
    talk.offer.does = telling(kept.append)
    talk.result("tools/call", name="do.it", **token(1))
    kept[0].progress(1, 1, "late")
    kept[0].log("error", "late")
    assert talk.sent == []


@pytest.mark.parametrize(
    ("least", "sent"),
    [("", ["warning", "error"]), ("debug", ["debug", "warning", "error"]), ("critical", [])],
)
def test_lines_of_log_are_those_that_were_asked_for(least: str, sent: list[str]) -> None:
    talk = Talk()
    if least:
        talk.result("logging/setLevel", level=least)
    levels = ("debug", "warning", "error")
    talk.offer.does = telling(*(lambda c, level=level: c.log(level, "x") for level in levels))
    talk.result("tools/call", name="do.it")
    assert [note["level"] for note in talk.notes(MESSAGE)] == sent


def test_a_later_handshake_keeps_the_level() -> None:
    talk = Talk()
    talk.result("logging/setLevel", level="debug")
    talk.result("initialize", protocolVersion="2025-06-18")
    talk.offer.does = telling(lambda caller: caller.log("debug", "x"))
    talk.result("tools/call", name="do.it")
    assert len(talk.notes(MESSAGE)) == 1


@pytest.mark.parametrize(("least", "sent"), [(None, 0), ("info", 1), ("error", 0), ("loud", 0)])
def test_in_the_new_era_each_request_asks_for_its_lines(least: str | None, sent: int) -> None:
    talk = Talk(MODERN)
    talk.offer.does = telling(lambda caller: caller.log("info", "x"))
    meta = META if least is None else {**META, KEY + "logLevel": least}
    if least == "loud":
        talk.answer("tools/call", name="do.it", _meta=meta)
    else:
        talk.result("tools/call", name="do.it", _meta=meta)
    assert len(talk.notes(MESSAGE)) == sent


def test_one_call_does_not_fill_the_log() -> None:
    talk = Talk()
    talk.offer.does = telling(*[lambda caller: caller.log("error", "x")] * 1000)
    talk.result("tools/call", name="do.it")
    assert len(talk.notes(MESSAGE)) == 200


def asking(*prompts: str) -> tuple[Callable[..., dict[str, Any]], list[str | None]]:
    """A tool that asks this, and what it was told."""
    told: list[str | None] = []

    def does(_: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        told.clear()
        told.extend(caller.sample(prompt, 50) for prompt in prompts)
        return RESULT

    return does, told


def question(talk: Talk) -> dict[str, Any]:
    """The next request of the server, once it has come."""
    return next(m for m in talk.sent if m.get("method") == deprecated.CREATE_MESSAGE)


def test_a_client_without_a_model_is_not_asked() -> None:
    talk = Talk()
    talk.offer.does, told = asking("why?")
    talk.result("tools/call", name="do.it")
    assert told == [None]


def test_a_client_that_never_answers_is_not_asked() -> None:
    meta = {**SAMPLING, KEY + "clientInfo": {"name": "copilot-cli", "version": "1.0.102"}}
    talk = Talk()
    talk.offer.does, told = asking("why?")
    assert talk.result("tools/call", name="do.it", _meta=meta)["resultType"] == "complete"
    assert told == [None]


class SamplingCall:
    """A call that runs on its own thread, and whose question has been sent."""

    def __init__(self, talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
        sent = threading.Event()
        take = talk.session._send

        def noticed(line: bytes) -> None:
            take(line)
            if deprecated.CREATE_MESSAGE.encode() in line:
                sent.set()

        monkeypatch.setattr(talk.session, "_send", noticed)
        job = talk.begin("tools/call", name="do.it")
        assert job is not None
        self.job = job
        self.thread = threading.Thread(target=talk.session.perform, args=[job])
        self.thread.start()
        assert sent.wait(HANG)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ({"result": ANSWER}, "yes"),
        ({"result": {**ANSWER, "content": [ANSWER["content"], ANSWER["content"]]}}, "yes\nyes"),
        ({"result": {**ANSWER, "content": {"type": "image"}}}, None),
        ({"result": 3}, None),
        ({"error": {"code": -1, "message": "no"}}, None),
    ],
)
def test_with_a_handshake_the_client_is_asked_while_the_call_waits(
    monkeypatch: pytest.MonkeyPatch, reply: dict[str, Any], expected: str | None
) -> None:
    talk = Talk(capabilities={"sampling": {}})
    talk.offer.does, told = asking("why?")
    asked = SamplingCall(talk, monkeypatch)
    found = question(talk)
    assert found["params"]["messages"][0]["content"]["text"] == "why?"
    talk.session.receive(jsonrpc_line({"id": found["id"], **reply}))
    asked.thread.join(HANG)
    assert told == [expected]
    assert talk.notes("notifications/cancelled") == []


def jsonrpc_line(message: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode()


def test_a_model_that_does_not_answer_is_waited_for_no_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(deprecated, "SAMPLING_SECONDS", 0.0)
    talk = Talk(capabilities={"sampling": {}})
    talk.offer.does, told = asking("why?", "really?")
    talk.result("tools/call", name="do.it")
    assert told == [None, None]
    assert talk.notes("notifications/cancelled")[0]["requestId"] == question(talk)["id"]
    assert len([m for m in talk.sent if m.get("method") == deprecated.CREATE_MESSAGE]) == 1


def test_a_cancelled_call_stops_waiting_for_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Talk(capabilities={"sampling": {}})
    talk.offer.does, told = asking("why?", "really?")
    asked = SamplingCall(talk, monkeypatch)
    talk.tell("notifications/cancelled", requestId=2)
    asked.thread.join(HANG)
    assert told == [None, None]
    assert len([m for m in talk.sent if m.get("method") == deprecated.CREATE_MESSAGE]) == 1


def rounds(talk: Talk, **answers: object) -> dict[str, Any]:
    """A call that is repeated with answers until nothing is asked any more."""
    params: dict[str, Any] = {"name": "do.it", "arguments": {"n": 1}, "_meta": SAMPLING}
    found = talk.result("tools/call", **params)
    while found["resultType"] == "input_required":
        asked = found["inputRequests"]
        texts = {key: asked[key]["params"]["messages"][0]["content"]["text"] for key in asked}
        given = {key: answers[text] for key, text in texts.items() if text in answers}
        found = talk.result(
            "tools/call", **params, requestState=found["requestState"], inputResponses=given
        )
    return found


def test_in_the_new_era_the_client_calls_again_with_the_answers() -> None:
    talk = Talk(MODERN)
    talk.offer.does, told = asking("a", "b", "a")
    other = {**ANSWER, "content": {"type": "text", "text": "no"}}
    assert rounds(talk, a=ANSWER, b=other)["isError"] is False
    assert told == ["yes", "no", "yes"]


def test_a_client_that_does_not_answer_is_not_asked_again() -> None:
    talk = Talk(MODERN)
    talk.offer.does, told = asking("a")
    rounds(talk)
    assert told == [None]


def test_rounds_have_an_end() -> None:
    talk = Talk(MODERN)
    prompts = [f"p{n}" for n in range(20)]
    talk.offer.does, told = asking(*prompts)
    rounds(talk, **dict.fromkeys(prompts, ANSWER))
    assert told == ["yes"] * 8 + [None] * 12


@pytest.mark.parametrize("spoiled", ["", "x", "=", "é", "AAAA", None])
def test_state_that_is_not_ours_is_refused(spoiled: str | None) -> None:
    talk = Talk(MODERN)
    talk.offer.does, _ = asking("a")
    asked = {"name": "do.it", "_meta": SAMPLING}
    state = talk.result("tools/call", **asked)["requestState"]
    changed = state[:-8] + "AAAAAAA=" if spoiled is None else spoiled
    assert talk.error("tools/call", **asked, requestState=changed)[0] == -32602
    assert talk.error("tools/call", **asked, requestState=7)[0] == -32602


def test_state_is_of_one_call_and_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    del monkeypatch
    talk = Talk(MODERN)
    talk.offer.does, _ = asking("a")
    asked = {"name": "do.it", "arguments": {"n": 1}, "_meta": SAMPLING}
    state = talk.result("tools/call", **asked)["requestState"]
    other = {**asked, "arguments": {"n": 2}}
    assert talk.error("tools/call", **other, requestState=state)[0] == -32602
    talk.now += LIFETIME
    assert talk.error("tools/call", **asked, requestState=state)[0] == -32602


def test_no_handler_can_swallow_a_question() -> None:
    talk = Talk(MODERN)

    def does(_: Mapping[str, Any], caller: Caller) -> dict[str, Any]:
        try:
            caller.sample("a", 1)
        except Exception:  # noqa: BLE001 what a careless tool does
            return RESULT
        raise AssertionError

    talk.offer.does = does
    asked = {"name": "do.it", "_meta": SAMPLING}
    assert talk.result("tools/call", **asked)["resultType"] == "input_required"


def test_who_waits_is_woken_even_when_cancelled_before() -> None:
    talk = Talk()
    call = Call(Peer(), talk.session, {}, Answers())
    call.cancel()
    woken: list[bool] = []
    call.when_cancelled(lambda: woken.append(True))
    assert woken == [True]
