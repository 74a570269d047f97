"""The async clients against a running service: the logic is the same, so one story, with many calls at once."""

from __future__ import annotations

from contextlib import aclosing

import anyio
import pytest
from live import Merchant, Service

import svc_client as svc
from svc_client.types import NewPaymentRequest

AT_ONCE = 20


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_the_story_with_many_at_once(service: Service, merchant: Merchant, backend: str) -> None:
    anyio.run(story, service.url, merchant, backend=backend)


async def story(url: str, merchant: Merchant) -> None:
    wallet, _, _ = await svc.AsyncWalletClient.register(url, name="Phone")
    async with wallet, svc.AsyncAgentClient(url, credential=merchant.credential) as agent:
        claimed = await agent.claim_connect_key((await wallet.create_connect_key())["connect_key"], svc.SCOPES)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(approve, wallet)
            connection = (await agent.wait_for_approval(claimed, interval=0.05, timeout=60))["connection"]
        assert connection["status"] == "active"

        made: list[str] = []
        input: NewPaymentRequest = {
            "recipient_id": merchant.recipient["recipient_id"],
            "recipient_version_id": merchant.recipient["recipient_version_id"],
            "payment": {"amount": "2"},
        }

        async def ask() -> None:
            created = await agent.create_payment_request(input, idempotency_key="order-1")
            made.append(created["payment_request"]["request_id"])

        async with anyio.create_task_group() as tasks:
            for _ in range(AT_ONCE):
                tasks.start_soon(ask)
        assert len(made) == AT_ONCE and len(set(made)) == 1

        with pytest.raises(svc.StillWaiting):
            await agent.wait_for_payment_request(made[0], timeout=0.2)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(reject, wallet, made[0])
            assert (await agent.wait_for_payment_request(made[0], timeout=60))["status"] == "rejected"
        seen = []
        async with aclosing(agent.events(since=0, wait=1)) as events:
            async for event in events:
                seen.append(event["status"])
                if len(seen) == 2:
                    break
        assert seen == ["pending", "rejected"]
        async with svc.AsyncAgentPaymentsClient(url, api_key=merchant.api_key) as payments:
            assert (await payments.list(limit=1))["agent_payments"] is not None


async def approve(wallet: svc.AsyncWalletClient) -> None:
    (waiting,) = (await wallet.list_invitations())["connect_invitations"]
    await wallet.approve_invitation(waiting["connect_invitation_id"])


async def reject(wallet: svc.AsyncWalletClient, id: str) -> None:
    await anyio.sleep(0.3)
    await wallet.report_payment_request(id, {"status": "rejected", "reason": "not mine"})
