"""What makes something sends an idempotency key: the caller's, or a new one for each call."""

from __future__ import annotations

import json
from typing import Any, Callable

import httpx
import pytest

import svc_client as svc

BASE_URL = "https://svc.example"
POLICY: Any = {"connection_id": "c", "network": "stellar_testnet", "asset": "XLM", "replaces": "pol_0"}


class Seen:
    def __init__(self, refused: int = 0) -> None:
        self.requests: list[httpx.Request] = []
        self.refused = refused

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if len(self.requests) <= self.refused:
            return httpx.Response(401, json={"error": {"code": "invalid_token"}})
        return httpx.Response(201, json={"data": {}, "transaction_context": {}, "connect_key": "svc_ck_1"})

    @property
    def keys(self) -> list[str]:
        return [request.headers["x-idempotency-key"] for request in self.requests]


def wallet(http: httpx.Client) -> svc.WalletClient:
    return svc.WalletClient(BASE_URL, device_id="dev_1", device_token="svc_dt_1", http=http)


def agent(http: httpx.Client) -> svc.AgentClient:
    return svc.AgentClient(BASE_URL, connection_token="svc_ct_1", http=http)


@pytest.mark.parametrize("make", [
    lambda http, **key: wallet(http).create_policy(POLICY, **key),
    lambda http, **key: wallet(http).create_connect_key(**key),
    lambda http, **key: agent(http).describe_transaction({"title": "Two coffees"}, **key),
], ids=["policy", "Connect Key", "transaction context"])
def test_key_of_its_own_or_the_one_given(make: Callable[..., object]) -> None:
    seen = Seen()
    with httpx.Client(transport=httpx.MockTransport(seen)) as http:
        make(http)
        make(http)
        make(http, idempotency_key="mine")
    first, second, third = seen.keys
    assert len(first) == len(second) == 36 and first != second
    assert third == "mine"


def test_key_is_kept_when_the_client_repeats_the_call() -> None:
    seen, tokens = Seen(refused=1), iter(["svc_ct_1", "svc_ct_2", "svc_ct_2"])
    with httpx.Client(transport=httpx.MockTransport(seen)) as http:
        client = svc.AgentClient(BASE_URL, connection_token=lambda: next(tokens), http=http)
        client.describe_transaction({"title": "Two coffees"})
    assert len(seen.keys) == 2 and seen.keys[0] == seen.keys[1]


def test_proposal_is_declined_and_an_opt_in_names_what_it_replaces() -> None:
    seen = Seen()
    with httpx.Client(transport=httpx.MockTransport(seen)) as http:
        wallet(http).decline_policy("pol_1")
        wallet(http).opt_in("pol_2", version=1, replaces="pol_0")
    assert [(request.url.path, json.loads(request.content)) for request in seen.requests] == [
        ("/v1/automation-policies/pol_1/decline", {}),
        ("/v1/automation-policies/pol_2/opt-in", {"version": 1, "replaces": "pol_0"}),
    ]
