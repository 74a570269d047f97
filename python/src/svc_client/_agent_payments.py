"""The agent-payment API with a project API key. Responses are unwrapped: you get what is in ``data``."""

from __future__ import annotations

from typing import Any, cast

from typing_extensions import Unpack

from . import types as t
from ._call import Call, CallOptions, Target, call_of, key_for, path, unreadable
from ._operation import Operation
from ._tokens import send
from .errors import SvcError


class AgentPaymentsLogic:
    def __init__(self, target: Target, api_key: str) -> None:
        self._target = target
        self._api_key = api_key

    def create(
        self, input: t.NewAgentPayment, *, idempotency_key: str | None = None, **options: Unpack[CallOptions]
    ) -> Operation[t.AgentPayment]:
        """
        Creates an intent, always with a key. With ``initiator: agent`` it must stay within a policy its user opted in
        to, or it is refused with ``HC_NC_5_HITL_REQUIRED`` and may be sent again, with the same key, as ``human``.
        """
        key = key_for(idempotency_key, input.get("idempotency_key"))
        call = call_of("POST", "/v1/agent-payments", body=input, idempotency_key=key, options=options)
        return cast(t.AgentPayment, (yield from self._send(call)))

    def evaluate(self, input: t.NewIntent, **options: Unpack[CallOptions]) -> Operation[t.PolicyEvaluation]:
        """Whether an agent may make this payment alone right now. Nothing is made or reserved."""
        call = call_of("POST", "/v1/automation-policies/evaluate", body=input, options=options)
        return cast(t.PolicyEvaluation, (yield from self._send(call)))

    def read(self, id: str, **options: Unpack[CallOptions]) -> Operation[t.AgentPayment]:
        """Includes its authoritative status."""
        call = call_of("GET", path("/v1/agent-payments/{}", id), options=options)
        return cast(t.AgentPayment, (yield from self._send(call)))

    def withdraw(
        self, id: str, *, reason: str | None = None, **options: Unpack[CallOptions]
    ) -> Operation[t.AgentPayment]:
        """Takes back what the wallet has not signed yet; its amount goes back to its policy."""
        body = {} if reason is None else {"reason": reason}
        call = call_of("POST", path("/v1/agent-payments/{}/withdraw", id), body=body, options=options)
        return cast(t.AgentPayment, (yield from self._send(call)))

    def read_timeline(self, id: str, **options: Unpack[CallOptions]) -> Operation[list[t.TimelineEntry]]:
        """All its events, in order."""
        call = call_of("GET", path("/v1/agent-payments/{}/timeline", id), options=options)
        return cast("dict[str, list[t.TimelineEntry]]", (yield from self._send(call)))["timeline"]

    def proof(self, id: str, **options: Unpack[CallOptions]) -> Operation[dict[str, Any]]:
        """What the log says about it, verifiable without the service."""
        call = call_of("GET", path("/v1/agent-payments/{}/proof", id), options=options)
        return cast("dict[str, dict[str, Any]]", (yield from self._send(call)))["proof"]

    def check_settlement(self, id: str, **options: Unpack[CallOptions]) -> Operation[t.Settlement | None]:
        """Has the reported transaction looked up on its network again; returns what was known before."""
        call = call_of("POST", path("/v1/agent-payments/{}/settlement-checks", id), body={}, options=options)
        return cast("dict[str, t.Settlement | None]", (yield from self._send(call)))["settlement"]

    def find(
        self, idempotency_key: str, *, connection_id: str | None = None, **options: Unpack[CallOptions]
    ) -> Operation[t.AgentPayment | None]:
        """
        What a key has made; None if nothing. For use after a response was lost. With ``connection_id`` the key may be
        the connection's (``idempotency_scope: connection``) or the merchant's; without, it is the merchant's.
        """
        place = path("/v1/agent-payments/by-key/{}", idempotency_key)
        call = call_of("GET", place, query={"connection_id": connection_id}, options=options)
        try:
            return cast(t.AgentPayment, (yield from self._send(call)))
        except SvcError as error:
            if error.code == "resource_not_found":
                return None
            raise

    def list(
        self,
        *,
        status: t.AgentPaymentStatus | None = None,
        connection_id: str | None = None,
        transaction_hash: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Operation[t.AgentPayments]:
        """With ``transaction_hash``: those for which a wallet reported exactly this transaction."""
        which = {"status": status, "connection_id": connection_id, "transaction_hash": transaction_hash}
        query = {**which, "limit": limit, "cursor": cursor}
        call = call_of("GET", "/v1/agent-payments", query=query, options=options)
        return cast(t.AgentPayments, (yield from self._send(call)))

    def read_policy(self, id: str, **options: Unpack[CallOptions]) -> Operation[t.AutomationPolicy]:
        call = call_of("GET", path("/v1/automation-policies/{}", id), options=options)
        return cast(t.AutomationPolicy, (yield from self._send(call)))

    def list_policies(
        self,
        *,
        connection_id: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Operation[t.AutomationPolicies]:
        query = {"connection_id": connection_id, "limit": limit, "cursor": cursor}
        call = call_of("GET", "/v1/automation-policies", query=query, options=options)
        return cast(t.AutomationPolicies, (yield from self._send(call)))

    def _send(self, call: Call) -> Operation[Any]:
        answer = yield from send(self._target, call, {"x-svc-api-key": self._api_key})
        if "data" not in answer.body:
            raise unreadable(call.idempotency_key, answer.status)
        return answer.body["data"]
