"""Whatever a service or a proxy answers, a caller gets this library's own errors, with the key."""

from __future__ import annotations

import time
from typing import Any, Callable

import httpx
import pytest

from svc_client import AgentClient, SvcError
from svc_client.webhooks import WebhookVerificationError, verify_webhook


def client(answer: Callable[[httpx.Request], httpx.Response]) -> AgentClient:
    http = httpx.Client(transport=httpx.MockTransport(answer))
    return AgentClient("http://x", connection_token="svc_ct_x", http=http)


@pytest.mark.parametrize("error", [
    {"code": "x", "details": "text"}, {"code": "x", "details": [1]}, {"code": "x", "details": 7},
])
def test_a_refusal_of_any_shape_is_an_svc_error_that_names_the_key(error: dict[str, Any]) -> None:
    agent = client(lambda request: httpx.Response(503, json={"error": error}))
    with pytest.raises(SvcError) as caught:
        agent.create_payment_request({"recipient_id": "r", "recipient_version_id": "v", "payment": {"amount": "1"}})
    assert caught.value.idempotency_key


def test_an_answer_without_the_request_names_the_key() -> None:
    sent: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request.headers["x-idempotency-key"])
        return httpx.Response(200, json={"status": "ok"})

    with pytest.raises(SvcError) as caught:
        client(answer).create_payment_request({"recipient_id": "r", "recipient_version_id": "v", "payment": {"amount": "1"}})
    assert caught.value.idempotency_key == sent[0]


def test_a_key_that_begins_with_a_quote_is_sent_in_quotes() -> None:
    sent: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request.headers["x-idempotency-key"])
        return httpx.Response(200, json={"status": "ok"})

    for key in ('"a\\b"', 'a"b'):
        with pytest.raises(SvcError):
            client(answer).create_payment_request(
                {"recipient_id": "r", "recipient_version_id": "v", "payment": {"amount": "1"}}, idempotency_key=key)
    # Otherwise the service would take the quotes for those of the header's own form.
    assert sent == [r'"\"a\\b\""', 'a"b']


def test_a_pause_no_clock_can_count_does_not_end_following(monkeypatch: pytest.MonkeyPatch) -> None:
    page = {"events": [{"cursor": 1, "request_id": "a"}], "next_cursor": 1, "newest_cursor": 1, "has_more": False}
    busy = httpx.Response(503, headers={"retry-after": "1e300"}, json={})
    answers = iter([busy, httpx.Response(200, json=page)])
    real = time.sleep
    monkeypatch.setattr("svc_client._shell.time.sleep", lambda s: real(0) if s < 1e9 else real(s))
    assert next(client(lambda request: next(answers)).events())["cursor"] == 1


@pytest.mark.parametrize("headers,body", [
    ({"webhook-id": "a\ud800", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA"}, b"{}"),
    ({"webhook-id": "a", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA"}, "\udcff"),
    ({"webhook-id": "a", "webhook-timestamp": "1", "webhook-signature": "v1,\u00e9"}, b"{}"),
])
def test_whatever_arrives_is_refused_as_forged(headers: dict[str, str], body: str | bytes) -> None:
    with pytest.raises(WebhookVerificationError):
        verify_webhook(body, headers, "whsec_AAAA", now=1)
