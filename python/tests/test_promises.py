"""The promises that every client library keeps."""

from __future__ import annotations

from typing import Any

import pytest
from promises import play_awaiting, play_blocking, recorded

import svc_client as svc

PROMISES = [one for name in ("signing-in", "waiting", "payment-requests", "transport") for one in recorded(name)]
WEBHOOKS = recorded("webhooks")


@pytest.mark.parametrize("promise", PROMISES, ids=lambda one: one["name"])
@pytest.mark.parametrize("play", [play_blocking, play_awaiting])
def test_promise(promise: Any, play: Any) -> None:
    assert play(promise) == []


@pytest.mark.parametrize("case", WEBHOOKS, ids=lambda one: one["name"])
def test_webhook(case: Any) -> None:
    more = {name: case[name] for name in ("tolerance_seconds", "now") if name in case}
    given = (case["body"].encode(), case["headers"], case["secret"])
    if case["verified"]:
        verified = svc.verify_webhook(*given, **more)
        assert (verified.id, verified.message["type"]) == ("msg_1", "payment_request.confirmed")
    else:
        with pytest.raises(svc.WebhookVerificationError):
            svc.verify_webhook(*given, **more)


@pytest.mark.parametrize("more", [{"tolerance_seconds": float("nan")}, {"now": float("nan")}])
def test_webhook_whose_age_cannot_be_told(more: Any) -> None:
    case = next(one for one in WEBHOOKS if one["verified"])
    given = {name: case[name] for name in ("tolerance_seconds", "now") if name in case} | more
    with pytest.raises(svc.WebhookVerificationError):
        svc.verify_webhook(case["body"].encode(), case["headers"], case["secret"], **given)
