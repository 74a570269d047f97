"""The blocking clients. The logic is in its own modules; these classes only run it."""

from __future__ import annotations

import time
from typing import Callable, Iterator, Mapping

import httpx
from typing_extensions import Self, Unpack

from . import types as t
from ._agent import AgentLogic
from ._agent_payments import AgentPaymentsLogic
from ._call import CallOptions, Target
from ._shell import BlockingShell, blocking
from ._tokens import GivenToken
from ._wallet import WalletLogic, register
from .agent_key import AgentCredential


class AgentClient(BlockingShell):
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
        http: httpx.Client | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        """``credential`` obtains agent tokens; ``audience`` is needed if the service's own URL is not ``base_url``."""
        target = Target(base_url, headers, timeout)
        self._logic = AgentLogic(target, credential, connection_token, audience, now)
        super().__init__(http)

    def use_connection(self, connection_token: GivenToken) -> None:
        self._logic.use_connection(connection_token)

    connect = blocking(AgentLogic.connect)
    claim_connect_key = blocking(AgentLogic.claim_connect_key)
    read_invitation = blocking(AgentLogic.read_invitation)
    exchange_invitation = blocking(AgentLogic.exchange_invitation)
    wait_for_approval = blocking(AgentLogic.wait_for_approval)
    start_pairing = blocking(AgentLogic.start_pairing)
    read_pairing = blocking(AgentLogic.read_pairing)
    wait_for_pairing = blocking(AgentLogic.wait_for_pairing)
    current_connection = blocking(AgentLogic.current_connection)
    list_payees = blocking(AgentLogic.list_payees)
    describe_transaction = blocking(AgentLogic.describe_transaction)
    read_transaction = blocking(AgentLogic.read_transaction)
    create_payment_request = blocking(AgentLogic.create_payment_request)
    find_payment_request = blocking(AgentLogic.find_payment_request)
    read_payment_request = blocking(AgentLogic.read_payment_request)
    withdraw_payment_request = blocking(AgentLogic.withdraw_payment_request)
    end_connection = blocking(AgentLogic.end_connection)
    read_timeline = blocking(AgentLogic.read_timeline)
    list_errors = blocking(AgentLogic.list_errors)
    list_payment_requests = blocking(AgentLogic.list_payment_requests)
    poll_events = blocking(AgentLogic.poll_events)
    wait_for_payment_request = blocking(AgentLogic.wait_for_payment_request)

    def events(
        self, *, since: int = 0, wait: int = 20, on_interruption: Callable[[Exception], object] | None = None
    ) -> Iterator[t.PaymentRequestEvent]:
        """Every event after ``since`` as it arrives. Keep the last cursor: then nothing is missed or seen twice."""
        feed = self._logic.feed(since, wait, on_interruption)
        while True:
            for event in self._run(feed.next_page()):
                yield event
                feed.since = event["cursor"]


class AgentPaymentsClient(BlockingShell):
    """The agent-payment API with a project API key. Responses are unwrapped: you get what is in ``data``."""

    _logic: AgentPaymentsLogic

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        self._logic = AgentPaymentsLogic(Target(base_url, headers, timeout), api_key)
        super().__init__(http)

    create = blocking(AgentPaymentsLogic.create)
    evaluate = blocking(AgentPaymentsLogic.evaluate)
    read = blocking(AgentPaymentsLogic.read)
    withdraw = blocking(AgentPaymentsLogic.withdraw)
    read_timeline = blocking(AgentPaymentsLogic.read_timeline)
    proof = blocking(AgentPaymentsLogic.proof)
    check_settlement = blocking(AgentPaymentsLogic.check_settlement)
    find = blocking(AgentPaymentsLogic.find)
    list = blocking(AgentPaymentsLogic.list)
    read_policy = blocking(AgentPaymentsLogic.read_policy)
    list_policies = blocking(AgentPaymentsLogic.list_policies)


class WalletClient(BlockingShell):
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
        http: httpx.Client | None = None,
    ) -> None:
        self._logic = WalletLogic(Target(base_url, headers, timeout), device_id, device_token)
        super().__init__(http)

    @classmethod
    def register(
        cls,
        base_url: str,
        *,
        name: str,
        platform: str | None = None,
        http: httpx.Client | None = None,
        **options: Unpack[CallOptions],
    ) -> tuple[Self, t.WalletDevice, str]:
        """Registers a device: returns its client, the device and its token. Keep both: the token is not shown again."""
        shell = BlockingShell(http)
        try:
            target = Target(base_url, None, None)
            device, token = shell._run(register(target, name, platform, options))
        finally:
            shell.close()
        return cls(base_url, device_id=device["device_id"], device_token=token, http=http, **options), device, token

    @property
    def device_id(self) -> str:
        return self._logic.device_id

    read_device = blocking(WalletLogic.read_device)
    rotate_device_token = blocking(WalletLogic.rotate_device_token)
    remove_device = blocking(WalletLogic.remove_device)
    create_connect_key = blocking(WalletLogic.create_connect_key)
    list_invitations = blocking(WalletLogic.list_invitations)
    read_invitation = blocking(WalletLogic.read_invitation)
    approve_invitation = blocking(WalletLogic.approve_invitation)
    reject_invitation = blocking(WalletLogic.reject_invitation)
    find_pairing = blocking(WalletLogic.find_pairing)
    read_pairing = blocking(WalletLogic.read_pairing)
    approve_pairing = blocking(WalletLogic.approve_pairing)
    reject_pairing = blocking(WalletLogic.reject_pairing)
    list_connections = blocking(WalletLogic.list_connections)
    read_connection = blocking(WalletLogic.read_connection)
    change_connection = blocking(WalletLogic.change_connection)
    revoke_connection = blocking(WalletLogic.revoke_connection)
    rotate_connection_token = blocking(WalletLogic.rotate_connection_token)
    list_payment_requests = blocking(WalletLogic.list_payment_requests)
    read_payment_request = blocking(WalletLogic.read_payment_request)
    report_payment_request = blocking(WalletLogic.report_payment_request)
    poll_events = blocking(WalletLogic.poll_events)
    list_policies = blocking(WalletLogic.list_policies)
    read_policy = blocking(WalletLogic.read_policy)
    create_policy = blocking(WalletLogic.create_policy)
    opt_in = blocking(WalletLogic.opt_in)
    opt_out = blocking(WalletLogic.opt_out)
    decline_policy = blocking(WalletLogic.decline_policy)
    simulate_policy = blocking(WalletLogic.simulate_policy)
    list_agent_payments = blocking(WalletLogic.list_agent_payments)
    read_agent_payment = blocking(WalletLogic.read_agent_payment)
    report_agent_payment = blocking(WalletLogic.report_agent_payment)

    def events(
        self, *, since: int = 0, wait: int = 20, on_interruption: Callable[[Exception], object] | None = None
    ) -> Iterator[t.DeviceEvent]:
        """Every event after ``since`` as it arrives. Keep the last cursor: then nothing is missed or seen twice."""
        feed = self._logic.feed(since, wait, on_interruption)
        while True:
            for event in self._run(feed.next_page()):
                yield event
                feed.since = event["cursor"]
