"""What a connected agent does: request payments, and follow their status."""

from __future__ import annotations

from typing import Any, Callable, cast

from typing_extensions import Unpack

from . import types as t
from ._call import DEFAULT_TIMEOUT, Answer, Call, CallOptions, call_of, key_for, path, unreadable
from ._connecting import Connecting
from ._events import Feed, RequestWaiter
from ._operation import Operation
from ._tokens import GivenToken, send, send_with_token
from .errors import SvcError


class AgentLogic(Connecting):
    _waiter: RequestWaiter | None = None

    def use_connection(self, connection_token: GivenToken) -> None:
        super().use_connection(connection_token)
        # Another connection numbers its events from the start.
        self._waiter = None

    def current_connection(
        self, **options: Unpack[CallOptions]
    ) -> Operation[t.CurrentConnection]:
        """Whom this client acts for, and what it may currently do."""
        answer = yield from self._connected(call_of("GET", "/v1/connections/current", options=options))
        return cast(t.CurrentConnection, answer.body)

    def list_payees(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Operation[t.Payees]:
        """The merchant's recipients that can currently be paid."""
        query = {"limit": limit, "cursor": cursor}
        answer = yield from self._connected(call_of("GET", "/v1/payees", query=query, options=options))
        return cast(t.Payees, answer.body)

    def describe_transaction(
        self,
        input: t.NewTransactionContext,
        *,
        idempotency_key: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Operation[t.TransactionContext]:
        """What the person reads next to the amount. Using the same ``transaction_id`` again adds a revision."""
        key = key_for(idempotency_key, None)
        call = call_of("POST", "/v1/transaction-contexts", body=input, idempotency_key=key, options=options)
        return cast(t.TransactionContext, (yield from self._connected(call)).body["transaction_context"])

    def read_transaction(
        self, transaction_id: str, **options: Unpack[CallOptions]
    ) -> Operation[t.TransactionContext]:
        call = call_of("GET", path("/v1/transaction-contexts/{}", transaction_id), options=options)
        return cast(t.TransactionContext, (yield from self._connected(call)).body["transaction_context"])

    def create_payment_request(
        self,
        input: t.NewPaymentRequest,
        *,
        idempotency_key: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Operation[t.CreatedPaymentRequest]:
        """
        Requests a payment: it then waits in the person's wallet and nothing is paid yet. An idempotency key is always
        sent; one of your own (such as an order number) makes the call safe to repeat from anywhere.
        """
        key = key_for(idempotency_key, input.get("idempotency_key"))
        call = call_of(
            "POST",
            "/v1/payment-requests",
            body={"policy": {"requires_user_approval": True}, **input},
            idempotency_key=key,
            options=options,
        )
        answer = yield from self._connected(call)
        if "payment_request" not in answer.body:
            raise unreadable(key, answer.status)
        return {
            "payment_request": answer.body["payment_request"],
            "replayed": answer.headers.get("idempotent-replayed") == "true",
            "idempotency_key": key,
            "duplicates": answer.body.get("duplicates", []),
        }

    def find_payment_request(
        self, idempotency_key: str, **options: Unpack[CallOptions]
    ) -> Operation[t.PaymentRequest | None]:
        """What a key has created on this connection; None if nothing. For use after a response was lost."""
        place = path("/v1/payment-requests/by-key/{}", idempotency_key)
        try:
            answer = yield from self._connected(call_of("GET", place, options=options))
        except SvcError as error:
            if error.code == "resource_not_found":
                return None
            raise
        return cast(t.PaymentRequest, answer.body["payment_request"])

    def read_payment_request(
        self, request_id: str, **options: Unpack[CallOptions]
    ) -> Operation[t.PaymentRequest]:
        call = call_of("GET", path("/v1/payment-requests/{}", request_id), options=options)
        return cast(t.PaymentRequest, (yield from self._connected(call)).body["payment_request"])

    def withdraw_payment_request(
        self, request_id: str, *, reason: str | None = None, **options: Unpack[CallOptions]
    ) -> Operation[t.PaymentRequest]:
        """Takes back what nobody has signed yet; what was withdrawn before stays as it is."""
        body = {} if reason is None else {"reason": reason}
        call = call_of("POST", path("/v1/payment-requests/{}/withdraw", request_id), body=body, options=options)
        return cast(t.PaymentRequest, (yield from self._connected(call)).body["payment_request"])

    def end_connection(self, connection_id: str, **options: Unpack[CallOptions]) -> Operation[dict[str, Any]]:
        """Ends the connection of this token for good; what it has asked for and nobody has signed is withdrawn."""
        call = call_of("DELETE", path("/v1/connections/{}", connection_id), options=options)
        return cast("dict[str, Any]", (yield from self._connected(call)).body["connection"])

    def read_timeline(
        self, request_id: str, **options: Unpack[CallOptions]
    ) -> Operation[list[t.TimelineEntry]]:
        """All its events, in order."""
        call = call_of("GET", path("/v1/payment-requests/{}/timeline", request_id), options=options)
        return cast("list[t.TimelineEntry]", (yield from self._connected(call)).body["timeline"])

    def list_errors(self, **options: Unpack[CallOptions]) -> Operation[list[t.CatalogueError]]:
        """Every error code, with what to do about it."""
        answer = yield from send(self._target, call_of("GET", "/v1/errors", options=options), {})
        return cast("list[t.CatalogueError]", answer.body["errors"])

    def list_payment_requests(
        self,
        *,
        status: t.PaymentStatus | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> Operation[t.PaymentRequests]:
        query = {"status": status, "limit": limit, "cursor": cursor}
        call = call_of("GET", "/v1/payment-requests", query=query, options=options)
        return cast(t.PaymentRequests, (yield from self._connected(call)).body)

    def poll_events(
        self,
        *,
        since: int | None = None,
        limit: int | None = None,
        wait: int | None = None,
        **options: Unpack[CallOptions],
    ) -> Operation[t.EventPage]:
        """One page of events after ``since``; ``wait`` holds back an empty response for that many seconds."""
        query = {"since": since, "limit": limit, "wait": wait}
        options.setdefault("timeout", DEFAULT_TIMEOUT + (wait or 0))
        call = call_of("GET", "/v1/payment-requests/events", query=query, options=options)
        return cast(t.EventPage, (yield from self._connected(call)).body)

    def wait_for_payment_request(
        self,
        request_id: str,
        *,
        timeout: float | None = None,
        until: Callable[[t.PaymentRequest], bool] | None = None,
        wait: int = 20,
    ) -> Operation[t.PaymentRequest]:
        """The request once it is final or ``until`` returns true. StillWaiting after ``timeout`` seconds, if given."""
        self._waiter = waiter = self._waiter or RequestWaiter(self._poll, self._read_within)
        return cast(t.PaymentRequest, (yield from waiter.wait_for(request_id, timeout, until, wait)))

    def feed(self, since: int, wait: int, on_interruption: Callable[[Exception], object] | None) -> Feed:
        return Feed(self._poll, since, wait, on_interruption)

    def _poll(self, since: int, limit: int, wait: int | None, timeout: float | None) -> Operation[t.EventPage]:
        options: CallOptions = {} if timeout is None else {"timeout": timeout}
        return self.poll_events(since=since, limit=limit, wait=wait, **options)

    def _read_within(self, request_id: str, timeout: float | None) -> Operation[t.PaymentRequest]:
        # Never longer than the client's own timeout.
        options: CallOptions = {} if timeout is None else {"timeout": min(timeout, self._target.timeout)}
        return self.read_payment_request(request_id, **options)

    def _connected(self, call: Call) -> Operation[Answer]:
        if self._connection_tokens is None:
            raise TypeError("not connected: claim a Connect Key, or pass a connection_token")
        return (yield from send_with_token(self._target, call, self._connection_tokens))
