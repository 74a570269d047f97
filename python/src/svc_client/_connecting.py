"""How an agent gets a connection: with a person's Connect Key, or by pairing."""

from __future__ import annotations

import time
from typing import Any, Callable, Mapping, Sequence, Tuple, cast

from typing_extensions import Unpack

from . import types as t
from ._call import Call, CallOptions, Target, call_of, path
from ._operation import Operation, Pause
from ._tokens import AgentTokens, GivenToken, GivenTokens, TokenSource, send_with_token
from .agent_key import AgentCredential
from .errors import StillWaiting, SvcError, is_passing


#: Whether the result is there, and what was read last.
Poll = Tuple[bool, Any]


class Connecting:
    def __init__(
        self,
        target: Target,
        credential: AgentCredential | None,
        connection_token: GivenToken | None,
        audience: str | None,
        now: Callable[[], float],
    ) -> None:
        self._target = target
        self._agent_tokens: TokenSource | None = None
        if credential is not None:
            audience = audience or f"{target.base_url}/v1/agent-auth/token"
            self._agent_tokens = AgentTokens(target, credential, audience, now)
        self._connection_tokens: TokenSource | None = None
        if connection_token is not None:
            self.use_connection(connection_token)

    def use_connection(self, connection_token: GivenToken) -> None:
        self._connection_tokens = GivenTokens(connection_token)

    def claim_connect_key(
        self, connect_key: str, scopes: Sequence[str], **options: Unpack[CallOptions]
    ) -> Operation[t.ClaimedInvitation]:
        """Uses up a person's Connect Key. Their wallet now shows who asks for what; see ``wait_for_approval``."""
        body = {"connect_key": connect_key, "requested_scopes": list(scopes)}
        call = call_of("POST", "/v1/connect-invitations/claim", body=body, options=options)
        return cast(t.ClaimedInvitation, (yield from self._as_agent(call)))

    def connect(
        self,
        connect_key: str,
        scopes: Sequence[str],
        *,
        timeout: float = 600.0,
        interval: float = 1.0,
        headers: Mapping[str, str] | None = None,
    ) -> Operation[t.OpenedConnection]:
        """
        From a person's Connect Key to a connection in one call: claims it, waits until they have decided in their
        wallet, and uses the token from then on. Keep the returned token: it is not shown again. When the time is up,
        ``last`` of the StillWaiting is the claimed invitation, for ``wait_for_approval``: the key is used up.
        """
        claimed = yield from self.claim_connect_key(connect_key, scopes, headers=headers or {})
        try:
            return (yield from self.wait_for_approval(claimed, timeout=timeout, interval=interval, headers=headers))
        except StillWaiting as error:
            raise StillWaiting(str(error), claimed) from error.__cause__

    def read_invitation(
        self, claimed: t.ClaimedInvitation, **options: Unpack[CallOptions]
    ) -> Operation[t.ConnectInvitation]:
        place = path("/v1/connect-invitations/{}", claimed["connect_invitation"]["connect_invitation_id"])
        answer = yield from self._with_claim(call_of("GET", place, options=options), claimed)
        return cast(t.ConnectInvitation, answer["connect_invitation"])

    def exchange_invitation(
        self, claimed: t.ClaimedInvitation, **options: Unpack[CallOptions]
    ) -> Operation[t.OpenedConnection]:
        """Fetches the connection token once the person has approved; this client uses it from then on."""
        place = path("/v1/connect-invitations/{}/exchange", claimed["connect_invitation"]["connect_invitation_id"])
        call = call_of("POST", place, body={}, options=options)
        opened = cast(t.OpenedConnection, (yield from self._with_claim(call, claimed)))
        self.use_connection(opened["connection_token"])
        return opened

    def wait_for_approval(
        self,
        claimed: t.ClaimedInvitation,
        *,
        timeout: float = 600.0,
        interval: float = 1.0,
        headers: Mapping[str, str] | None = None,
    ) -> Operation[t.OpenedConnection]:
        """Exchanges once the person decides. Raises on rejection or expiry; StillWaiting after ``timeout`` seconds."""

        def poll() -> Operation[Poll]:
            try:
                return True, (yield from self.exchange_invitation(claimed, headers=headers or {}))
            except SvcError as error:
                if error.code != "approval_pending":
                    raise
                return False, error

        return cast(t.OpenedConnection, (yield from _poll_until(poll, "not approved", timeout, interval)))

    def start_pairing(
        self, scopes: Sequence[str], **options: Unpack[CallOptions]
    ) -> Operation[t.StartedPairingSession]:
        """Returns a code and a link for the person's wallet."""
        body = {"requested_scopes": list(scopes)}
        call = call_of("POST", "/v1/pairing/sessions", body=body, options=options)
        return cast(t.StartedPairingSession, (yield from self._as_agent(call))["pairing_session"])

    def read_pairing(
        self, started: t.StartedPairingSession, **options: Unpack[CallOptions]
    ) -> Operation[t.PairingAnswer]:
        """After the approval, returns the connection and, once, its token, which this client then uses."""
        place = path("/v1/pairing/sessions/{}", started["pairing_session_id"])
        call = call_of("GET", place, query={"code": started["code"]}, options=options)
        found = cast(t.PairingAnswer, (yield from self._as_agent(call)))
        token = found.get("connection_token")
        if token is not None:
            self.use_connection(token)
        return found

    def wait_for_pairing(
        self,
        started: t.StartedPairingSession,
        *,
        timeout: float = 600.0,
        interval: float = 1.0,
        headers: Mapping[str, str] | None = None,
    ) -> Operation[t.PairingAnswer]:
        """The session once the person has decided, even if they rejected; StillWaiting after ``timeout`` seconds."""

        def poll() -> Operation[Poll]:
            found = yield from self.read_pairing(started, headers=headers or {})
            status = found["pairing_session"]["status"]
            # It was approved while being read: the token comes with the next response.
            is_early = status == "approved" and "connection" not in found and "connection_token" not in found
            return status != "pending" and not is_early, found

        return cast(t.PairingAnswer, (yield from _poll_until(poll, "not decided", timeout, interval)))

    def _as_agent(self, call: Call) -> Operation[dict[str, Any]]:
        if self._agent_tokens is None:
            raise TypeError("this call needs a credential: AgentClient(..., credential=...)")
        return (yield from send_with_token(self._target, call, self._agent_tokens)).body

    def _with_claim(self, call: Call, claimed: t.ClaimedInvitation) -> Operation[dict[str, Any]]:
        return (yield from send_with_token(self._target, call, GivenTokens(claimed["claim_token"]))).body


def _poll_until(
    poll: Callable[[], Operation[Poll]], waited_for: str, timeout: float, interval: float
) -> Operation[Any]:
    """Polls until there is a result. An unavailable service does not end the wait: the person can still decide."""
    deadline = time.monotonic() + timeout
    while True:
        try:
            is_found, seen = yield from poll()
        except Exception as error:
            if not is_passing(error):
                raise
            is_found, seen = False, error
        if is_found:
            return seen
        asked = seen.retry_after_seconds if isinstance(seen, SvcError) else None
        pause = max(interval, asked or 0.0)
        if time.monotonic() + pause > deadline:
            cause = seen if isinstance(seen, Exception) else None
            raise StillWaiting(f"{waited_for} within {timeout:g} s", seen) from cause
        yield Pause(pause)
