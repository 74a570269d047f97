"""Where bearer tokens come from, and the single retry after a 401."""

from __future__ import annotations

import time
from typing import Awaitable, Callable, Protocol, Union

from ._call import Answer, Call, Target
from ._operation import Ask, Lock, Operation
from .agent_key import AgentCredential, assertion
from .errors import SvcError

#: A token, or a function that looks it up; the function is called again after a 401.
GivenToken = Union[str, Callable[[], Union[str, Awaitable[str]]]]

# Allowance for a token that would expire in transit.
MARGIN_SECONDS = 30.0


class TokenSource(Protocol):
    def current(self) -> Operation[str]: ...

    def renewed(self, rejected: str) -> Operation[str | None]:
        """A token other than the rejected one; None if there is none."""


def send(target: Target, call: Call, proof: dict[str, str]) -> Operation[Answer]:
    answer: Answer = yield target.prepare(call, proof)
    return answer


def send_with_token(target: Target, call: Call, source: TokenSource) -> Operation[Answer]:
    """
    Sends with the current token and, after a 401, once more with a new one. Nothing else is retried: a 403 refuses
    the caller and not the token, and a failure to fetch a token would happen again.
    """
    token = yield from source.current()
    try:
        return (yield from send(target, call, {"authorization": f"Bearer {token}"}))
    except SvcError as error:
        if error.status != 401:
            raise
        renewed = yield from source.renewed(token)
        if renewed is None:
            raise
    return (yield from send(target, call, {"authorization": f"Bearer {renewed}"}))


class GivenTokens:
    """A token that only the application can replace."""

    def __init__(self, token: GivenToken) -> None:
        self._token = token

    def current(self) -> Operation[str]:
        if isinstance(self._token, str):
            return self._token
        token: str = yield Ask(self._token)
        return token

    def renewed(self, rejected: str) -> Operation[str | None]:
        again = yield from self.current()
        return None if again == rejected else again


class AgentTokens:
    """Agent tokens obtained with assertions: cached until they expire, and fetched once however many calls wait."""

    def __init__(self, target: Target, credential: AgentCredential, audience: str, now: Callable[[], float]) -> None:
        self._target = target
        self._credential = credential
        self._audience = audience
        self._now = now
        self._cached: tuple[str, float] | None = None
        self._failures = 0
        self._last_failure: Exception | None = None

    def current(self) -> Operation[str]:
        failures = self._failures
        release = yield Lock()
        try:
            cached = self._cached
            if cached is not None and time.monotonic() < cached[1]:
                return cached[0]
            if self._last_failure is not None and self._failures != failures:
                # Another caller failed while this one waited. Retrying one after another would add up all timeouts.
                raise self._last_failure
            try:
                return (yield from self._exchange())
            except Exception as error:
                self._failures, self._last_failure = self._failures + 1, error
                raise
        finally:
            release()

    def renewed(self, rejected: str) -> Operation[str | None]:
        # Read only once: another thread may be renewing it.
        cached = self._cached
        if cached is not None and cached[0] == rejected:
            self._cached = None
        return (yield from self.current())

    def _exchange(self) -> Operation[str]:
        signed = yield from assertion(self._credential, self._audience, self._now())
        call = Call("POST", "/v1/agent-auth/token", body={"assertion": signed})
        answer = yield from send(self._target, call, {})
        token = str(answer.body["agent_token"])
        # Measured from here, so that the lifetime does not depend on either side's clock.
        self._cached = (token, time.monotonic() + float(answer.body["expires_in"]) - MARGIN_SECONDS)
        return token
