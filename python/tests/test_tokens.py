"""Many callers, one token: what the ones that wait get, and what threads may see between two looks."""

from __future__ import annotations

from typing import Any

import anyio
import httpx
import pytest
from promises import BASE_URL

import svc_client as svc
from svc_client._call import Target
from svc_client._operation import Lock
from svc_client._tokens import AgentTokens

CREDENTIAL = svc.AgentCredential("key-1", "agt_1", svc.AgentKey(bytes(range(32))))
AT_ONCE = 20


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_who_waits_for_a_token_that_cannot_be_had_is_told_at_once(backend: str) -> None:
    """Each trying again in turn would keep the last one waiting for all the timeouts before its own."""

    async def run() -> None:
        asked, failed = 0, 0
        go = anyio.Event()

        async def answer(request: httpx.Request) -> httpx.Response:
            nonlocal asked
            asked += 1
            await go.wait()
            raise httpx.ReadTimeout("")

        async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
            agent = svc.AsyncAgentClient(BASE_URL, credential=CREDENTIAL, http=http)

            async def claim() -> None:
                nonlocal failed
                with pytest.raises(svc.SvcConnectionError):
                    await agent.claim_connect_key("svc_ck_1", [])
                failed += 1

            async with anyio.create_task_group() as tasks:
                for _ in range(AT_ONCE):
                    tasks.start_soon(claim)
                await anyio.wait_all_tasks_blocked()
                go.set()
            assert (asked, failed) == (1, AT_ONCE)
            await claim()
            assert asked == 2, "a later call asks for itself"

    anyio.run(run, backend=backend)


def test_a_token_that_another_thread_has_just_dropped_is_no_error() -> None:
    class Between(AgentTokens):
        """What one thread sees while another renews the same token."""

        seen: list[Any] = [("svc_at_1", 0.0), None]

        @property
        def _cached(self) -> Any:
            return self.seen.pop(0)

        @_cached.setter
        def _cached(self, value: Any) -> None: ...

    tokens = Between(Target(BASE_URL, None, None), CREDENTIAL, "x", lambda: 0.0)
    assert isinstance(next(tokens.renewed("svc_at_1")), Lock)
