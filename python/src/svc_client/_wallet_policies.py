"""What a wallet does with the policies its person may agree to, and how it calls the service."""

from __future__ import annotations

from typing import Any, Mapping, Sequence, cast

from typing_extensions import Unpack

from . import types as t
from ._call import CallOptions, Target, call_of, key_for, path
from ._operation import Operation
from ._tokens import send


class PolicyLogic:
    def __init__(self, target: Target, device_id: str, device_token: str) -> None:
        self._target = target
        self.device_id = device_id
        self._device_token = device_token

    def list_policies(
        self, *, limit: int | None = None, cursor: str | None = None, **options: Unpack[CallOptions]
    ) -> Operation[t.AutomationPolicies]:
        query = {"limit": limit, "cursor": cursor}
        answer = yield from self._send("GET", "/v1/automation-policies", options, query=query)
        return cast(t.AutomationPolicies, answer["data"])

    def read_policy(self, id: str, **options: Unpack[CallOptions]) -> Operation[t.AutomationPolicy]:
        answer = yield from self._send("GET", path("/v1/automation-policies/{}", id), options)
        return cast(t.AutomationPolicy, answer["data"])

    def create_policy(
        self, input: t.NewAutomationPolicy, *, idempotency_key: str | None = None, **options: Unpack[CallOptions]
    ) -> Operation[t.AutomationPolicy]:
        """
        For one of the wallet's own connections, with thresholds the person chose: in force at once. One policy at a
        time is active for a connection, network and asset; ``replaces`` names the one that ends with it.
        """
        key = key_for(idempotency_key, None)
        answer = yield from self._send("POST", "/v1/automation-policies", options, body=input, idempotency_key=key)
        return cast(t.AutomationPolicy, answer["data"])

    def opt_in(
        self,
        id: str,
        *,
        version: int | None = None,
        recipient_version_ids: Sequence[str] | None = None,
        replaces: str | None = None,
        single_tx_limit: str | None = None,
        cumulative_limit: str | None = None,
        valid_from: str | None = None,
        valid_until: str | None = None,
        allowlist: Sequence[str] | None = None,
        **options: Unpack[CallOptions],
    ) -> Operation[t.AutomationPolicy]:
        """
        Agrees to the policy as read: send its ``version`` and the ``recipient_version_id`` of each payee that was
        shown, so that a later change is not agreed to by accident. Given thresholds replace the proposed ones, and may
        only be tighter. ``replaces`` names the active policy that ends with it.
        """
        place = path("/v1/automation-policies/{}/opt-in", id)
        body = given(
            version=version,
            recipient_version_ids=recipient_version_ids,
            replaces=replaces,
            single_tx_limit=single_tx_limit,
            cumulative_limit=cumulative_limit,
            valid_from=valid_from,
            valid_until=valid_until,
            allowlist=allowlist,
        )
        return cast(t.AutomationPolicy, (yield from self._send("POST", place, options, body=body))["data"])

    def opt_out(self, id: str, **options: Unpack[CallOptions]) -> Operation[t.AutomationPolicy]:
        answer = yield from self._send("POST", path("/v1/automation-policies/{}/opt-out", id), options, body={})
        return cast(t.AutomationPolicy, answer["data"])

    def decline_policy(self, id: str, **options: Unpack[CallOptions]) -> Operation[t.AutomationPolicy]:
        """Turns a proposal down for good; the merchant may propose another."""
        answer = yield from self._send("POST", path("/v1/automation-policies/{}/decline", id), options, body={})
        return cast(t.AutomationPolicy, answer["data"])

    def simulate_policy(
        self, id: str, input: t.SimulatedThresholds, **options: Unpack[CallOptions]
    ) -> Operation[t.PolicySimulation]:
        """What other thresholds would have done with every intent this policy decided, before agreeing to them."""
        answer = yield from self._send("POST", path("/v1/automation-policies/{}/simulate", id), options, body=input)
        return cast(t.PolicySimulation, answer["data"])

    def _send(
        self,
        method: str,
        place: str,
        options: CallOptions,
        *,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Operation[dict[str, Any]]:
        # Sent in a header, never in the query: URLs end up in logs.
        proof = {"authorization": f"Device {self.device_id}:{self._device_token}"}
        call = call_of(method, place, query=query, body=body, idempotency_key=idempotency_key, options=options)
        return (yield from send(self._target, call, proof)).body


def given(**fields: object) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
