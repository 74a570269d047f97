"""What a person's wallet does: decide who may ask, review requests, and report their outcome. It signs elsewhere."""

from __future__ import annotations

from typing import Callable, Literal, Sequence, cast

from typing_extensions import Unpack

from . import types as t
from ._call import DEFAULT_TIMEOUT, CallOptions, Target, call_of, key_for, path
from ._events import Feed
from ._operation import Operation
from ._tokens import send
from ._wallet_policies import PolicyLogic, given


class WalletLogic(PolicyLogic):
    def read_device(self, **options: Unpack[CallOptions]) -> Operation[t.WalletDevice]:
        answer = yield from self._send("GET", path("/v1/wallet-devices/{}", self.device_id), options)
        return cast(t.WalletDevice, answer["device"])

    def rotate_device_token(
        self, *, rotation_id: str | None = None, **options: Unpack[CallOptions]
    ) -> Operation[str]:
        """Returns the new token, which this client uses from then on; the old one stops working at once.

        With a random `rotation_id`, such as a UUID, that was stored before, a lost response costs nothing: the same
        call returns the new token again for ten minutes. Without one, a lost response loses the device.
        """
        place = path("/v1/wallet-devices/{}/rotate-token", self.device_id)
        body = given(rotation_id=rotation_id)
        self._device_token = str((yield from self._send("POST", place, options, body=body))["device_token"])
        return self._device_token

    def remove_device(self, **options: Unpack[CallOptions]) -> Operation[t.WalletDevice]:
        """Removes the device and revokes its connections."""
        answer = yield from self._send("DELETE", path("/v1/wallet-devices/{}", self.device_id), options)
        return cast(t.WalletDevice, answer["device"])

    def create_connect_key(
        self, *, label: str | None = None, idempotency_key: str | None = None, **options: Unpack[CallOptions]
    ) -> Operation[t.ConnectKey]:
        """A key for one agent, which the person must hand over within ten minutes."""
        key = key_for(idempotency_key, None)
        body = given(label=label)
        answer = yield from self._send("POST", "/v1/connect-keys", options, body=body, idempotency_key=key)
        return cast(t.ConnectKey, answer)

    def list_invitations(
        self, *, limit: int | None = None, cursor: str | None = None, **options: Unpack[CallOptions]
    ) -> Operation[t.ConnectInvitations]:
        query = {"limit": limit, "cursor": cursor}
        answer = yield from self._send("GET", "/v1/connect-invitations", options, query=query)
        return cast(t.ConnectInvitations, answer)

    def read_invitation(self, id: str, **options: Unpack[CallOptions]) -> Operation[t.ConnectInvitation]:
        answer = yield from self._send("GET", path("/v1/connect-invitations/{}", id), options)
        return cast(t.ConnectInvitation, answer["connect_invitation"])

    def approve_invitation(
        self, id: str, *, scopes: Sequence[str] | None = None, **options: Unpack[CallOptions]
    ) -> Operation[t.ApprovedInvitation]:
        """``scopes`` may be fewer than requested, never more."""
        place = path("/v1/connect-invitations/{}/approve", id)
        return cast(t.ApprovedInvitation, (yield from self._send("POST", place, options, body=given(scopes=scopes))))

    def reject_invitation(self, id: str, **options: Unpack[CallOptions]) -> Operation[t.ConnectInvitation]:
        answer = yield from self._send("POST", path("/v1/connect-invitations/{}/reject", id), options, body={})
        return cast(t.ConnectInvitation, answer["connect_invitation"])

    def find_pairing(self, code: str, **options: Unpack[CallOptions]) -> Operation[t.PairingSession]:
        """The session waiting under the code a person typed."""
        answer = yield from self._send("GET", "/v1/pairing/sessions", options, query={"code": code})
        return cast(t.PairingSession, answer["pairing_session"])

    def read_pairing(self, id: str, code: str, **options: Unpack[CallOptions]) -> Operation[t.PairingSession]:
        answer = yield from self._send("GET", path("/v1/pairing/sessions/{}", id), options, query={"code": code})
        return cast(t.PairingSession, answer["pairing_session"])

    def approve_pairing(
        self, id: str, *, code: str, scopes: Sequence[str] | None = None, **options: Unpack[CallOptions]
    ) -> Operation[t.OpenedConnection]:
        place, body = path("/v1/pairing/sessions/{}/approve", id), given(code=code, scopes=scopes)
        return cast(t.OpenedConnection, (yield from self._send("POST", place, options, body=body)))

    def reject_pairing(self, id: str, code: str, **options: Unpack[CallOptions]) -> Operation[t.PairingSession]:
        place = path("/v1/pairing/sessions/{}/reject", id)
        answer = yield from self._send("POST", place, options, body={"code": code})
        return cast(t.PairingSession, answer["pairing_session"])

    def list_connections(
        self, *, limit: int | None = None, cursor: str | None = None, **options: Unpack[CallOptions]
    ) -> Operation[t.Connections]:
        query = {"limit": limit, "cursor": cursor}
        return cast(t.Connections, (yield from self._send("GET", "/v1/connections", options, query=query)))

    def read_connection(self, id: str, **options: Unpack[CallOptions]) -> Operation[t.Connection]:
        answer = yield from self._send("GET", path("/v1/connections/{}", id), options)
        return cast(t.Connection, answer["connection"])

    def change_connection(
        self, id: str, status: Literal["active", "paused"], **options: Unpack[CallOptions]
    ) -> Operation[t.Connection]:
        """``paused`` stops the agent until it is ``active`` again."""
        answer = yield from self._send("PATCH", path("/v1/connections/{}", id), options, body={"status": status})
        return cast(t.Connection, answer["connection"])

    def revoke_connection(self, id: str, **options: Unpack[CallOptions]) -> Operation[t.Connection]:
        """Final."""
        answer = yield from self._send("DELETE", path("/v1/connections/{}", id), options)
        return cast(t.Connection, answer["connection"])

    def rotate_connection_token(self, id: str, **options: Unpack[CallOptions]) -> Operation[t.OpenedConnection]:
        place = path("/v1/connections/{}/rotate-token", id)
        return cast(t.OpenedConnection, (yield from self._send("POST", place, options, body={})))

    def list_payment_requests(
        self,
        *,
        status: t.PaymentStatus | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Operation[t.PaymentRequests]:
        query = {"status": status, "limit": limit, "cursor": cursor}
        return cast(t.PaymentRequests, (yield from self._send("GET", "/v1/payment-requests", options, query=query)))

    def read_payment_request(
        self, id: str, *, connection_id: str | None = None, **options: Unpack[CallOptions]
    ) -> Operation[t.ShownPaymentRequest]:
        """Includes the review, and the context that the agent wrote for the person who decides."""
        place, query = path("/v1/payment-requests/{}", id), {"connection_id": connection_id}
        return cast(t.ShownPaymentRequest, (yield from self._send("GET", place, options, query=query)))

    def report_payment_request(
        self, id: str, report: t.StatusReport, **options: Unpack[CallOptions]
    ) -> Operation[t.PaymentRequest]:
        """Repeating the same report changes nothing, so it is safe to retry."""
        answer = yield from self._send("POST", path("/v1/payment-requests/{}/status", id), options, body=report)
        return cast(t.PaymentRequest, answer["payment_request"])

    def poll_events(
        self,
        *,
        since: int | None = None,
        limit: int | None = None,
        wait: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Operation[t.DeviceEventPage]:
        """One page of this device's events; ``wait`` holds back an empty response for that many seconds."""
        options.setdefault("timeout", DEFAULT_TIMEOUT + (wait or 0))
        place, query = path("/v1/wallet-devices/{}/events", self.device_id), {"since": since, "limit": limit, "wait": wait}
        return cast(t.DeviceEventPage, (yield from self._send("GET", place, options, query=query)))

    def list_agent_payments(
        self,
        *,
        status: t.AgentPaymentStatus | None = None,
        connection_id: str | None = None,
        transaction_hash: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Operation[t.AgentPayments]:
        which = {"status": status, "connection_id": connection_id, "transaction_hash": transaction_hash}
        query = {**which, "limit": limit, "cursor": cursor}
        return cast(t.AgentPayments, (yield from self._send("GET", "/v1/agent-payments", options, query=query))["data"])

    def read_agent_payment(self, id: str, **options: Unpack[CallOptions]) -> Operation[t.AgentPayment]:
        answer = yield from self._send("GET", path("/v1/agent-payments/{}", id), options)
        return cast(t.AgentPayment, answer["data"])

    def report_agent_payment(
        self, id: str, report: t.StatusReport, **options: Unpack[CallOptions]
    ) -> Operation[t.AgentPayment]:
        answer = yield from self._send("POST", path("/v1/agent-payments/{}/status", id), options, body=report)
        return cast(t.AgentPayment, answer["data"])

    def feed(self, since: int, wait: int, on_interruption: Callable[[Exception], object] | None) -> Feed:
        return Feed(self._poll, since, wait, on_interruption)

    def _poll(self, since: int, limit: int, wait: int | None, timeout: float | None) -> Operation[t.DeviceEventPage]:
        return self.poll_events(since=since, limit=limit, wait=wait)


def register(
    target: Target, name: str, platform: str | None, options: CallOptions
) -> Operation[tuple[t.WalletDevice, str]]:
    call = call_of("POST", "/v1/wallet-devices", body=given(name=name, platform=platform), options=options)
    body = (yield from send(target, call, {})).body
    return cast(t.WalletDevice, body["device"]), str(body["device_token"])
