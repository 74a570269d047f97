"""A wait ends when it was told to, whatever the service does meanwhile."""

from __future__ import annotations

import time
from typing import Any, Callable

import httpx
import pytest

import svc_client as svc

PENDING = {"payment_request": {"request_id": "pr_1", "status": "pending", "is_final": False}}
NOTHING = {"events": [], "next_cursor": 0, "newest_cursor": 0, "has_more": False}


class Clock:
    """Stands still but for what sleeps and calls take."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        monkeypatch.setattr(time, "sleep", self.spend)

    def spend(self, seconds: float) -> None:
        self.now += seconds

    def never_answers(self, request: httpx.Request) -> httpx.Response:
        self.spend(request.extensions["timeout"]["read"])
        raise httpx.ReadTimeout("")


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def agent(answer: Callable[[httpx.Request], httpx.Response], **options: Any) -> svc.AgentClient:
    http = httpx.Client(transport=httpx.MockTransport(answer))
    return svc.AgentClient("http://x", connection_token="svc_ct_x", http=http, **options)


def is_poll(request: httpx.Request) -> bool:
    return request.url.path.endswith("/events")


def test_a_service_that_never_answers_is_not_waited_for_longer_than_was_said(clock: Clock) -> None:
    with pytest.raises(svc.StillWaiting):
        agent(clock.never_answers).wait_for_payment_request("pr_1", timeout=5)
    assert clock.now <= 1007


def test_a_read_that_never_answers_does_not_outlast_the_wait(clock: Clock) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, json=NOTHING) if is_poll(request) else clock.never_answers(request)

    with pytest.raises(svc.StillWaiting):
        agent(answer).wait_for_payment_request("pr_1", timeout=5)
    assert clock.now <= 1007


def test_a_service_that_goes_away_leaves_the_wait_with_what_was_last_read(clock: Clock) -> None:
    answers = iter([NOTHING, PENDING])

    def answer(request: httpx.Request) -> httpx.Response:
        body = next(answers, None)
        return httpx.Response(503, json={}) if body is None else httpx.Response(200, json=body)

    with pytest.raises(svc.StillWaiting) as caught:
        agent(answer).wait_for_payment_request("pr_1", timeout=40)
    assert caught.value.last == PENDING["payment_request"]
    assert clock.now <= 1042


def test_a_service_that_is_away_at_the_start_is_told_at_once(clock: Clock) -> None:
    with pytest.raises(svc.SvcError):
        agent(lambda request: httpx.Response(503, json={})).wait_for_payment_request("pr_1", timeout=40)
    assert clock.now == 1000


def test_a_wait_does_not_lengthen_the_time_a_call_may_take(clock: Clock) -> None:
    given: list[float] = []

    def answer(request: httpx.Request) -> httpx.Response:
        if is_poll(request):
            return httpx.Response(200, json=NOTHING)
        given.append(request.extensions["timeout"]["read"])
        return httpx.Response(200, json={"payment_request": {"is_final": True}})

    agent(answer, timeout=3).wait_for_payment_request("pr_1", timeout=600)
    assert given == [3]


def test_a_log_that_was_restored_does_not_end_a_wait_that_was_given_no_cursor(clock: Clock) -> None:
    newest = 50

    def answer(request: httpx.Request) -> httpx.Response:
        since = int(request.url.params.get("since", "0"))
        if not is_poll(request):
            body: Any = {"payment_request": {"is_final": newest != 10, "status": "confirmed"}}
        elif since == 10:
            confirm()
            body = {**NOTHING, "events": [{"cursor": 11, "request_id": "pr_1"}], "next_cursor": 11, "newest_cursor": 11}
        else:
            body = {**NOTHING, "next_cursor": max(since, newest), "newest_cursor": newest}
        return httpx.Response(200, json=body)

    def confirm() -> None:
        nonlocal newest
        newest = 11

    client = agent(answer)
    client.wait_for_payment_request("pr_1")
    # Restored from an older backup.
    newest = 10
    assert client.wait_for_payment_request("pr_1", timeout=60)["status"] == "confirmed"


def test_following_that_lets_the_service_answer_at_once_pauses_in_between(clock: Clock) -> None:
    page = {**NOTHING, "events": [{"cursor": 1, "request_id": "pr_1"}], "next_cursor": 1, "newest_cursor": 1}
    answers = iter([NOTHING, NOTHING, page])
    events = agent(lambda request: httpx.Response(200, json=next(answers))).events(wait=0)
    assert next(events)["cursor"] == 1
    assert clock.now == 1001
