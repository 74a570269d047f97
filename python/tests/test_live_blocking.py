"""The blocking clients against a running service."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from live import Merchant, Service, order

import svc_client as svc

HASH = "cd" * 32


def test_who_the_agent_speaks_for(agent: svc.AgentClient, merchant: Merchant) -> None:
    current = agent.current_connection()
    assert current["agent"]["agent_id"] == merchant.agent_id
    assert set(current["scopes"]) == set(svc.SCOPES)
    (payee,) = agent.list_payees()["payees"]
    assert (payee["recipient_id"], payee["domain"]) == (merchant.recipient["recipient_id"], "shop.example")


def test_a_payment_from_the_request_to_its_confirmation(
    agent: svc.AgentClient, wallet: svc.WalletClient, merchant: Merchant
) -> None:
    context = agent.describe_transaction({"title": "Two coffees", "items": [{"label": "Espresso", "value": "2"}]})
    assert agent.read_transaction(context["transaction_id"])["revision"] == context["revision"]
    input = order(merchant, "12.50", transaction_id=context["transaction_id"])
    first = agent.create_payment_request(input, idempotency_key="order-1")
    again = agent.create_payment_request(input, idempotency_key="order-1")
    id = first["payment_request"]["request_id"]
    assert (first["replayed"], again["replayed"], again["payment_request"]["request_id"]) == (False, True, id)

    shown = wallet.read_payment_request(id)
    assert shown["transaction_context"]["title"] == "Two coffees"
    assert "first_payment_to_recipient" in {one["code"] for one in shown["payment_request"]["review"]["notices"]}
    with pytest.raises(svc.StillWaiting) as waited:
        agent.wait_for_payment_request(id, timeout=0.2)
    assert waited.value.last["status"] == "pending"

    with ThreadPoolExecutor() as threads:
        final = threads.submit(agent.wait_for_payment_request, id, timeout=60)
        wallet.report_payment_request(id, {"status": "signed"})
        wallet.report_payment_request(id, {"status": "broadcasted", "transaction_hash": HASH})
        wallet.report_payment_request(id, {"status": "confirmed", "transaction_hash": HASH})
        assert final.result()["status"] == "confirmed"
    follow = agent.events(since=0, wait=1)
    seen = [next(follow) for _ in range(4)]
    assert [one["status"] for one in seen] == ["pending", "signed", "broadcasted", "confirmed"]
    assert agent.poll_events(since=1, limit=1)["events"] == [seen[1]]
    assert agent.read_payment_request(id)["is_final"]
    assert agent.read_timeline(id)[0]["type"]
    confirmed = agent.list_payment_requests(status="confirmed")["payment_requests"]
    assert [one["request_id"] for one in confirmed] == [id]


@pytest.mark.parametrize("key", ["bestellung-äöü", "注文 / 1017", "Ã©", "é"])
def test_a_key_of_any_letters_names_one_request(agent: svc.AgentClient, merchant: Merchant, key: str) -> None:
    assert agent.find_payment_request(key) is None
    made = agent.create_payment_request(order(merchant, "1"), idempotency_key=key)["payment_request"]
    found = agent.find_payment_request(key)
    assert found is not None
    assert (found["request_id"], found.get("idempotency_key")) == (made["request_id"], key)


def test_duplicates_are_told_and_refused(agent: svc.AgentClient, merchant: Merchant) -> None:
    one = agent.create_payment_request(order(merchant, "7.77"))
    other = agent.create_payment_request(order(merchant, "7.77"))
    assert one["duplicates"] == []
    assert [one["request_id"] for one in other["duplicates"]] == [one["payment_request"]["request_id"]]
    with pytest.raises(svc.SvcError) as refused:
        agent.create_payment_request(order(merchant, "7.77", if_duplicate="refuse"), idempotency_key="third")
    assert (refused.value.code, refused.value.idempotency_key) == ("possible_duplicate", "third")
    assert agent.find_payment_request("third") is None


def test_a_refusal_lists_every_problem(agent: svc.AgentClient) -> None:
    with pytest.raises(svc.SvcError) as refused:
        agent.create_payment_request({"payment": {"amount": "-1"}})  # type: ignore[typeddict-item]
    assert refused.value.status == 400
    assert {"recipient_id", "payment.amount"} <= {one["field"] for one in refused.value.issues}
    assert refused.value.request_id


def test_pairing_and_what_a_wallet_does_to_a_connection(
    service: Service, merchant: Merchant, wallet: svc.WalletClient
) -> None:
    agent = svc.AgentClient(service.url, http=service.http, credential=merchant.credential)
    rejected = agent.start_pairing(["payment.requests.read"])
    wallet.reject_pairing(rejected["pairing_session_id"], rejected["code"])
    assert agent.wait_for_pairing(rejected)["pairing_session"]["status"] == "rejected"
    started = agent.start_pairing(svc.SCOPES)
    found = wallet.find_pairing(started["code"])
    assert found["pairing_session_id"] == started["pairing_session_id"]
    wallet.approve_pairing(found["pairing_session_id"], code=started["code"], scopes=["payment.requests.read"])
    paired = agent.wait_for_pairing(started, interval=0.05)
    id = paired["connection"]["connection_id"]
    assert agent.current_connection()["scopes"] == ["payment.requests.read"]

    assert wallet.change_connection(id, "paused")["status"] == "paused"
    assert refusal(agent.list_payment_requests) == (403, "connection_paused")
    assert wallet.change_connection(id, "active")["status"] == "active"
    token = wallet.rotate_connection_token(id)["connection_token"]
    assert refusal(agent.list_payment_requests) == (401, "invalid_token")
    agent.use_connection(lambda: token)
    assert agent.list_payment_requests()["payment_requests"] == []
    assert wallet.revoke_connection(id)["status"] == "revoked"
    assert wallet.read_connection(id)["revoked_reason"] == "wallet"
    assert refusal(agent.list_payment_requests) == (403, "connection_revoked")
    types = [next(events)["type"] for events in [wallet.events(wait=1)] for _ in range(3)]
    assert len(types) == 3 and wallet.poll_events()["newest_cursor"] >= 3


def refusal(call: Any) -> tuple[int, str]:
    with pytest.raises(svc.SvcError) as refused:
        call()
    return refused.value.status, refused.value.code


def test_agent_payments_within_a_policy_the_user_agreed_to(
    service: Service, merchant: Merchant, agent: svc.AgentClient, wallet: svc.WalletClient
) -> None:
    connection_id = agent.current_connection()["connection"]["connection_id"]
    now = datetime.now(timezone.utc)
    window = [(now + timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ") for hours in (-1, 1)]
    policy_id = merchant.post(
        "automation-policies",
        connection_id=connection_id,
        network="stellar_testnet",
        asset="XLM",
        single_tx_limit="5",
        cumulative_limit="8",
        valid_from=window[0],
        valid_until=window[1],
        allowlist=[merchant.recipient["recipient_id"]],
    )["data"]["id"]
    payments = svc.AgentPaymentsClient(service.url, http=service.http, api_key=merchant.api_key)
    facts = {"network": "stellar_testnet", "recipient_id": merchant.recipient["recipient_id"]}
    intent: Any = {**facts, "amount": "5", "initiator": "agent", "connection_id": connection_id}

    assert refusal(lambda: payments.create(intent, idempotency_key="pay-1")) == (403, "HC_NC_5_HITL_REQUIRED")
    (proposed,) = wallet.list_policies()["automation_policies"]
    assert wallet.opt_in(policy_id, version=proposed["version"])["status"] == "active"
    made = payments.create(intent, idempotency_key="pay-1")
    assert payments.create(intent, idempotency_key="pay-1")["id"] == made["id"]
    with pytest.raises(svc.SvcError) as refused:
        payments.create(intent)
    assert refused.value.details["triggered_thresholds"] == ["cumulative_limit"]

    assert wallet.read_agent_payment(made["id"])["review"]
    assert wallet.report_agent_payment(made["id"], {"status": "signed"})["status"] == "signed"
    assert payments.read(made["id"])["status"] == "signed"
    assert [one["id"] for one in payments.list(status="signed")["agent_payments"]] == [made["id"]]
    found = {status: wallet.list_agent_payments(status=status)["agent_payments"] for status in ("signed", "failed")}
    assert {status: [one["id"] for one in ones] for status, ones in found.items()} == {"signed": [made["id"]], "failed": []}
    wallet.report_agent_payment(made["id"], {"status": "broadcasted", "transaction_hash": "feed"})
    for listed in (payments.list, wallet.list_agent_payments):
        assert [one["id"] for one in listed(transaction_hash="feed")["agent_payments"]] == [made["id"]]
        assert listed(transaction_hash="fee", connection_id=connection_id)["agent_payments"] == []
    assert payments.read_policy(policy_id)["spent"] == "5"
    simulated = wallet.simulate_policy(policy_id, {"single_tx_limit": "1"})
    assert (simulated["permitted"], simulated["differences"][0]["was_permitted"]) == (0, True)
    assert wallet.opt_out(policy_id)["status"] == "opted_out"
    assert payments.list_policies(connection_id=connection_id)["automation_policies"][0]["status"] == "opted_out"


def test_a_key_of_both_surfaces_makes_one_payment(
    service: Service, merchant: Merchant, agent: svc.AgentClient
) -> None:
    connection_id = agent.current_connection()["connection"]["connection_id"]
    payments = svc.AgentPaymentsClient(service.url, http=service.http, api_key=merchant.api_key)
    intent: Any = {
        "network": "stellar_testnet",
        "recipient_id": merchant.recipient["recipient_id"],
        "amount": "3.21",
        "initiator": "human",
        "connection_id": connection_id,
        "idempotency_scope": "connection",
        "if_duplicate": "refuse",
    }
    made = payments.create(intent, idempotency_key="both-1")
    found = payments.find("both-1", connection_id=connection_id)
    assert found is not None and found["id"] == made["id"]
    assert payments.find("both-1") is None
    assert payments.list(connection_id=connection_id, limit=1)["agent_payments"][0]["id"] == made["id"]
    with pytest.raises(svc.SvcError) as refused:
        agent.create_payment_request(order(merchant, "3.21"), idempotency_key="both-1")
    assert (refused.value.code, refused.value.details) == ("IDEMPOTENCY_KEY_REUSED", {"payment_id": made["id"]})
    assert refusal(lambda: payments.create(intent, idempotency_key="both-2")) == (409, "possible_duplicate")


def test_a_webhook_as_the_service_sends_it(merchant: Merchant, agent: svc.AgentClient) -> None:
    received: list[tuple[bytes, dict[str, str]]] = []
    arrived = threading.Semaphore(0)

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            received.append((body, dict(self.headers.items())))
            verified = svc.verify_webhook(body, dict(self.headers.items()), secrets)
            answer = b'{"challenge": "%s"}' % str(verified.message["data"].get("challenge", "")).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)
            arrived.release()

        def log_message(self, *_: object) -> None:
            pass

    secrets: list[str] = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            url = f"http://127.0.0.1:{server.server_port}/"
            made = merchant.post("webhook-endpoints", url=url, events=["payment_request.created"])
            secrets.append(made["secret"])
            merchant.post(f"webhook-endpoints/{made['webhook_endpoint']['webhook_endpoint_id']}/verify")
            request = agent.create_payment_request(order(merchant, "3.21"))["payment_request"]
            assert arrived.acquire(timeout=60) and arrived.acquire(timeout=60)
        finally:
            server.shutdown()
    body, headers = received[-1]
    message = svc.verify_webhook(body, headers, secrets).message
    assert (message["type"], message["data"]["request_id"]) == ("payment_request.created", request["request_id"])
    with pytest.raises(svc.WebhookVerificationError):
        svc.verify_webhook(body.replace(b"3.21", b"9.99"), headers, secrets)


def test_a_device_that_rotates_and_ends(service: Service) -> None:
    wallet, _, old = svc.WalletClient.register(service.url, http=service.http, name="Old phone")
    stale_token = wallet.rotate_device_token()
    assert stale_token != old
    assert wallet.read_device()["name"] == "Old phone"
    stale = svc.WalletClient(service.url, http=service.http, device_id=wallet.device_id, device_token=old)
    assert refusal(stale.read_device)[0] == 401
    renewing = wallet.rotate_device_token(rotation_id="a-rotation-with-an-id-of-its-own")
    assert refusal(lambda: stale.rotate_device_token(rotation_id="a-rotation-with-an-id-of-its-own"))[0] == 401
    again = svc.WalletClient(service.url, http=service.http, device_id=wallet.device_id, device_token=stale_token)
    assert again.rotate_device_token(rotation_id="a-rotation-with-an-id-of-its-own") == renewing
    assert wallet.remove_device()["status"] == "removed"
