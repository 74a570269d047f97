"""What the recorded promises cannot express: threads and tasks, time, and what an httpx client would add by itself."""

from __future__ import annotations

import inspect
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable

import anyio
import httpx
import pytest
from promises import BASE_URL

import svc_client as svc

KEY = svc.AgentKey(bytes(range(32)))
CREDENTIAL = svc.AgentCredential("key-1", "agt_1", KEY)
AT_ONCE = 20


class Counting:
    """Issues agent tokens svc_at_1, svc_at_2 … and refuses those in ``bad``."""

    def __init__(self, bad: tuple[str, ...] = ()) -> None:
        self.bad = bad
        self.bought = 0
        self.claims = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/token"):
            self.bought += 1
            return httpx.Response(200, json={"agent_token": f"svc_at_{self.bought}", "expires_in": 600})
        self.claims += 1
        if request.headers["authorization"].removeprefix("Bearer ") in self.bad:
            return httpx.Response(401, json={"error": {"code": "token_expired"}})
        return httpx.Response(201, json={"claim_token": "svc_cl_1"})

    async def slowly(self, request: httpx.Request) -> httpx.Response:
        await anyio.sleep(0.01)
        return self(request)


@pytest.mark.parametrize(("bad", "bought"), [((), 1), (("svc_at_1",), 2)])
def test_threads_share_one_token(bad: tuple[str, ...], bought: int) -> None:
    counting = Counting(bad)
    with httpx.Client(transport=httpx.MockTransport(counting)) as http, ThreadPoolExecutor(AT_ONCE) as threads:
        agent = svc.AgentClient(BASE_URL, credential=CREDENTIAL, http=http)
        list(threads.map(lambda _: agent.claim_connect_key("svc_ck_1", []), range(AT_ONCE)))
    assert counting.bought == bought


@pytest.mark.parametrize(("bad", "bought"), [((), 1), (("svc_at_1",), 2)])
def test_tasks_share_one_token_and_one_that_is_cancelled_holds_nobody_up(bad: tuple[str, ...], bought: int) -> None:
    async def run() -> None:
        counting = Counting(bad)
        async with httpx.AsyncClient(transport=httpx.MockTransport(counting.slowly)) as http:
            agent = svc.AsyncAgentClient(BASE_URL, credential=CREDENTIAL, http=http)
            with anyio.move_on_after(0.001):
                await agent.claim_connect_key("svc_ck_1", [])
            assert counting.claims == 0
            async with anyio.create_task_group() as tasks:
                for _ in range(AT_ONCE):
                    tasks.start_soon(agent.claim_connect_key, "svc_ck_1", [])
        assert counting.bought == bought

    anyio.run(run)


def test_a_vault_signs_blocking_and_awaited() -> None:
    sent: list[bytes] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request.content)
        return httpx.Response(200, json={"agent_token": "svc_at_1", "expires_in": 600})

    async def sign(content: bytes) -> bytes:
        return KEY.sign(content)

    async def awaited() -> None:
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
            credential = svc.AgentCredential("key-1", "agt_1", sign)
            await svc.AsyncAgentClient(BASE_URL, credential=credential, http=http).claim_connect_key("k", [])

    anyio.run(awaited)
    with httpx.Client(transport=httpx.MockTransport(answer)) as http:
        credential = svc.AgentCredential("key-1", "agt_1", KEY.sign)
        svc.AgentClient(BASE_URL, credential=credential, http=http).claim_connect_key("k", [])
    assert [b"assertion" in one for one in sent] == [True, False, True, False]


def test_what_an_httpx_client_adds_by_itself_stays_out() -> None:
    sent: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        if len(sent) == 1:
            body = {"payment_request": {"request_id": "pr_1"}}
            return httpx.Response(200, json=body, headers={"set-cookie": "kept=1"})
        return httpx.Response(307, headers={"location": "https://elsewhere.example/"})

    with httpx.Client(
        transport=httpx.MockTransport(answer),
        auth=("user", "password"),
        headers={"authorization": "stolen", "x-svc-api-key": "stolen"},
        cookies={"svc_session": "stolen"},
        params={"code": "stolen"},
        follow_redirects=True,
    ) as http:
        agent = svc.AgentClient(BASE_URL, connection_token="svc_ct_1", http=http)
        agent.read_payment_request("pr_1")
        with pytest.raises(svc.SvcConnectionError, match="redirect"):
            agent.read_payment_request("pr_1")
    assert len(sent) == 2
    for request in sent:
        assert "stolen" not in str(request.headers.raw) + str(request.url)
        assert "cookie" not in request.headers
        assert request.headers["authorization"] == "Bearer svc_ct_1"


@pytest.mark.parametrize("url", ["ftp://svc.example", "svc.example", "https://u:p@svc.example", "https://a.example/?b", ""])
def test_addresses_that_are_not_taken(url: str) -> None:
    with pytest.raises(ValueError, match="base_url"):
        svc.AgentClient(url)


def test_a_service_that_trickles_does_not_hold_a_caller_for_ever() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor() as threads:
        ended = threading.Event()

        def trickle() -> None:
            for _ in range(2):
                connection, _ = server.accept()
                with connection:
                    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n")
                    try:
                        while not ended.wait(0.05):
                            connection.sendall(b" ")
                    except OSError:
                        pass

        threads.submit(trickle)
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        input: Any = {"payment": {"amount": "1"}}

        async def awaited() -> None:
            async with svc.AsyncAgentClient(url, connection_token="svc_ct_1", timeout=0.3) as agent:
                await agent.create_payment_request(input, idempotency_key="order-1")

        def blocking() -> None:
            with svc.AgentClient(url, connection_token="svc_ct_1", timeout=0.3) as agent:
                agent.create_payment_request(input, idempotency_key="order-1")

        try:
            for call in (blocking, lambda: anyio.run(awaited)):
                with pytest.raises(svc.SvcConnectionError) as lost:
                    call()
                assert str(lost.value) == (
                    "POST /v1/payment-requests: no answer within 0.3 s; whether it had an effect is unknown "
                    "until it is repeated with the same idempotency key (order-1)"
                )
        finally:
            ended.set()


def test_waiting_ends_in_time_though_the_service_is_away() -> None:
    pending = {"payment_request": {"request_id": "pr_1", "status": "pending", "is_final": False}}

    def answer(request: httpx.Request) -> httpx.Response:
        if not request.url.path.endswith("/events"):
            return httpx.Response(200, json=pending)
        if "wait" not in request.url.params:
            return httpx.Response(200, json={"events": [], "next_cursor": 0, "has_more": False})
        assert int(request.url.params["wait"]) <= 1
        return httpx.Response(503, json={"error": {"code": "store_unavailable"}}, headers={"retry-after": "60"})

    with httpx.Client(transport=httpx.MockTransport(answer)) as http:
        agent = svc.AgentClient(BASE_URL, connection_token="svc_ct_1", http=http)
        began = time.monotonic()
        with pytest.raises(svc.StillWaiting, match="still pending"):
            agent.wait_for_payment_request("pr_1", timeout=1.5)
        assert time.monotonic() - began >= 1.5


def test_waiting_survives_an_outage_in_the_middle_and_reports_one_at_the_start() -> None:
    reads = 0
    fails_at = 2

    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal reads
        if request.url.path.endswith("/events"):
            touched = [{"cursor": 1, "request_id": "pr_1"}] if "wait" in request.url.params else []
            return httpx.Response(200, json={"events": touched, "next_cursor": len(touched), "has_more": False})
        reads += 1
        if reads == fails_at:
            return httpx.Response(503, json={"error": {"code": "store_unavailable"}}, headers={"retry-after": "0"})
        found = {"request_id": "pr_1", "status": "confirmed", "is_final": reads == 3}
        return httpx.Response(200, json={"payment_request": found})

    with httpx.Client(transport=httpx.MockTransport(answer)) as http:
        agent = svc.AgentClient(BASE_URL, connection_token="svc_ct_1", http=http)
        assert agent.wait_for_payment_request("pr_1", timeout=60)["status"] == "confirmed"
        assert reads == 3
        reads, fails_at = 0, 1
        with pytest.raises(svc.SvcError, match="store_unavailable"):
            agent.wait_for_payment_request("pr_1", timeout=60)


@pytest.mark.parametrize("newest", [[3, 3], [3, 9]])
def test_a_cursor_from_elsewhere_ends_following(newest: list[int]) -> None:
    asked: list[tuple[int, int]] = []
    event = {"cursor": 10, "request_id": "pr_1"}

    def answer(request: httpx.Request) -> httpx.Response:
        since, wait = (int(request.url.params[name]) for name in ("since", "wait"))
        last = newest[len(asked)] if len(asked) < 2 else 10
        asked.append((since, wait))
        events = [event] if last == 10 else []
        return httpx.Response(200, json={"events": events, "next_cursor": 9, "newest_cursor": last, "has_more": False})

    with httpx.Client(transport=httpx.MockTransport(answer)) as http:
        events = svc.AgentClient(BASE_URL, connection_token="svc_ct_1", http=http).events(since=9)
        if newest[-1] == 9:
            assert (next(events), asked) == (event, [(9, 0), (9, 0), (9, 20)])
            return
        with pytest.raises(svc.SvcCursorError) as stray:
            next(events)
        assert (stray.value.since, stray.value.newest_cursor) == (9, 3)


def test_approval_that_never_comes() -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(409, json={"error": {"code": "approval_pending"}})

    claimed: Any = {"connect_invitation": {"connect_invitation_id": "inv_1"}, "claim_token": "svc_cl_1"}
    with httpx.Client(transport=httpx.MockTransport(answer)) as http:
        with pytest.raises(svc.StillWaiting):
            svc.AgentClient(BASE_URL, http=http).wait_for_approval(claimed, timeout=0.02, interval=0.01)


def test_secrets_stay_out_of_what_is_printed() -> None:
    clients: list[Any] = [
        svc.AgentClient(BASE_URL, connection_token="hidden", credential=CREDENTIAL),
        svc.AgentPaymentsClient(BASE_URL, api_key="hidden"),
        svc.WalletClient(BASE_URL, device_id="dev_1", device_token="hidden"),
    ]
    texts = [repr(one) + str(one) for one in [*clients, CREDENTIAL, KEY]]
    for text in texts:
        assert "hidden" not in text and str(KEY.seed) not in text and KEY.seed.hex() not in text
    with pytest.raises(ValueError) as refused:
        svc.AgentPaymentsClient(BASE_URL, api_key="hidden\n").read("ap_1")
    assert "hidden" not in str(refused.value)
    for client in clients:
        client.close()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (svc.AgentClient, svc.AsyncAgentClient),
        (svc.AgentPaymentsClient, svc.AsyncAgentPaymentsClient),
        (svc.WalletClient, svc.AsyncWalletClient),
    ],
)
def test_both_shapes_offer_the_same(one: type, other: type) -> None:
    def offered(client: type) -> set[str]:
        return {name for name in dir(client) if not name.startswith("_")} - {"close", "aclose"}

    assert offered(one) == offered(other)


def test_a_method_tells_its_parameters() -> None:
    with svc.AgentClient(BASE_URL) as agent:
        method: Callable[..., Any] = agent.create_payment_request
        assert "idempotency_key" in inspect.signature(method).parameters
        assert "nothing is paid yet" in (inspect.getdoc(method) or "")
