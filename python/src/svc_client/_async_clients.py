"""The async clients. The logic is in its own modules; these classes only run it."""

from __future__ import annotations

import time
from typing import AsyncGenerator, Callable, Mapping

import httpx
from typing_extensions import Self, Unpack

from . import types as t
from ._agent import AgentLogic
from ._agent_payments import AgentPaymentsLogic
from ._call import CallOptions, Target
from ._shell import AwaitingShell, awaiting
from ._tokens import GivenToken
from ._wallet import WalletLogic, register
from .agent_key import AgentCredential


class AsyncAgentClient(AwaitingShell):
    """What an agent does: connect to a person's wallet, request payments, and learn what became of them."""

    _logic: AgentLogic

    def __init__(
        self,
        base_url: str,
        *,
        credential: AgentCredential | None = None,
        connection_token: GivenToken | None = None,
        audience: str | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        http: httpx.AsyncClient | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        """``credential`` obtains agent tokens; ``audience`` is needed if the service's own URL is not ``base_url``."""
        target = Target(base_url, headers, timeout)
        self._logic = AgentLogic(target, credential, connection_token, audience, now)
        super().__init__(http)

    def use_connection(self, connection_token: GivenToken) -> None:
        self._logic.use_connection(connection_token)

    connect = awaiting(AgentLogic.connect)
    claim_connect_key = awaiting(AgentLogic.claim_connect_key)
    read_invitation = awaiting(AgentLogic.read_invitation)
    exchange_invitation = awaiting(AgentLogic.exchange_invitation)
    wait_for_approval = awaiting(AgentLogic.wait_for_approval)
    start_pairing = awaiting(AgentLogic.start_pairing)
    read_pairing = awaiting(AgentLogic.read_pairing)
    wait_for_pairing = awaiting(AgentLogic.wait_for_pairing)
    current_connection = awaiting(AgentLogic.current_connection)
    list_payees = awaiting(AgentLogic.list_payees)
    describe_transaction = awaiting(AgentLogic.describe_transaction)
    read_transaction = awaiting(AgentLogic.read_transaction)
    create_payment_request = awaiting(AgentLogic.create_payment_request)
    find_payment_request = awaiting(AgentLogic.find_payment_request)
    read_payment_request = awaiting(AgentLogic.read_payment_request)
    withdraw_payment_request = awaiting(AgentLogic.withdraw_payment_request)
    end_connection = awaiting(AgentLogic.end_connection)
    read_timeline = awaiting(AgentLogic.read_timeline)
    list_errors = awaiting(AgentLogic.list_errors)
    list_payment_requests = awaiting(AgentLogic.list_payment_requests)
    poll_events = awaiting(AgentLogic.poll_events)
    wait_for_payment_request = awaiting(AgentLogic.wait_for_payment_request)

    async def events(
        self, *, since: int = 0, wait: int = 20, on_interruption: Callable[[Exception], object] | None = None
    ) -> AsyncGenerator[t.PaymentRequestEvent, None]:
        """Every event after ``since`` as it arrives. Keep the last cursor: then nothing is missed or seen twice."""
        feed = self._logic.feed(since, wait, on_interruption)
        while True:
            for event in await self._run(feed.next_page()):
                yield event
                feed.since = event["cursor"]


class AsyncAgentPaymentsClient(AwaitingShell):
    """The agent-payment API with a project API key. Responses are unwrapped: you get what is in ``data``."""

    _logic: AgentPaymentsLogic

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._logic = AgentPaymentsLogic(Target(base_url, headers, timeout), api_key)
        super().__init__(http)

    create = awaiting(AgentPaymentsLogic.create)
    evaluate = awaiting(AgentPaymentsLogic.evaluate)
    read = awaiting(AgentPaymentsLogic.read)
    withdraw = awaiting(AgentPaymentsLogic.withdraw)
    read_timeline = awaiting(AgentPaymentsLogic.read_timeline)
    proof = awaiting(AgentPaymentsLogic.proof)
    check_settlement = awaiting(AgentPaymentsLogic.check_settlement)
    find = awaiting(AgentPaymentsLogic.find)
    list = awaiting(AgentPaymentsLogic.list)
    read_policy = awaiting(AgentPaymentsLogic.read_policy)
    list_policies = awaiting(AgentPaymentsLogic.list_policies)


class AsyncWalletClient(AwaitingShell):
    """What a person's wallet does: decide who may ask, review requests, and report their outcome."""

    _logic: WalletLogic

    def __init__(
        self,
        base_url: str,
        *,
        device_id: str,
        device_token: str,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._logic = WalletLogic(Target(base_url, headers, timeout), device_id, device_token)
        super().__init__(http)

    @classmethod
    async def register(
        cls,
        base_url: str,
        *,
        name: str,
        platform: str | None = None,
        http: httpx.AsyncClient | None = None,
        **options: Unpack[CallOptions],
    ) -> tuple[Self, t.WalletDevice, str]:
        """Registers a device: returns its client, the device and its token. Keep both: the token is not shown again."""
        shell = AwaitingShell(http)
        try:
            target = Target(base_url, None, None)
            device, token = await shell._run(register(target, name, platform, options))
        finally:
            await shell.aclose()
        return cls(base_url, device_id=device["device_id"], device_token=token, http=http, **options), device, token

    @property
    def device_id(self) -> str:
        return self._logic.device_id

    read_device = awaiting(WalletLogic.read_device)
    rotate_device_token = awaiting(WalletLogic.rotate_device_token)
    remove_device = awaiting(WalletLogic.remove_device)
    create_connect_key = awaiting(WalletLogic.create_connect_key)
    list_invitations = awaiting(WalletLogic.list_invitations)
    read_invitation = awaiting(WalletLogic.read_invitation)
    approve_invitation = awaiting(WalletLogic.approve_invitation)
    reject_invitation = awaiting(WalletLogic.reject_invitation)
    find_pairing = awaiting(WalletLogic.find_pairing)
    read_pairing = awaiting(WalletLogic.read_pairing)
    approve_pairing = awaiting(WalletLogic.approve_pairing)
    reject_pairing = awaiting(WalletLogic.reject_pairing)
    list_connections = awaiting(WalletLogic.list_connections)
    read_connection = awaiting(WalletLogic.read_connection)
    change_connection = awaiting(WalletLogic.change_connection)
    revoke_connection = awaiting(WalletLogic.revoke_connection)
    rotate_connection_token = awaiting(WalletLogic.rotate_connection_token)
    list_payment_requests = awaiting(WalletLogic.list_payment_requests)
    read_payment_request = awaiting(WalletLogic.read_payment_request)
    report_payment_request = awaiting(WalletLogic.report_payment_request)
    poll_events = awaiting(WalletLogic.poll_events)
    list_policies = awaiting(WalletLogic.list_policies)
    read_policy = awaiting(WalletLogic.read_policy)
    create_policy = awaiting(WalletLogic.create_policy)
    opt_in = awaiting(WalletLogic.opt_in)
    opt_out = awaiting(WalletLogic.opt_out)
    decline_policy = awaiting(WalletLogic.decline_policy)
    simulate_policy = awaiting(WalletLogic.simulate_policy)
    list_agent_payments = awaiting(WalletLogic.list_agent_payments)
    read_agent_payment = awaiting(WalletLogic.read_agent_payment)
    report_agent_payment = awaiting(WalletLogic.report_agent_payment)

    async def events(
        self, *, since: int = 0, wait: int = 20, on_interruption: Callable[[Exception], object] | None = None
    ) -> AsyncGenerator[t.DeviceEvent, None]:
        """Every event after ``since`` as it arrives. Keep the last cursor: then nothing is missed or seen twice."""
        feed = self._logic.feed(since, wait, on_interruption)
        while True:
            for event in await self._run(feed.next_page()):
                yield event
                feed.since = event["cursor"]
