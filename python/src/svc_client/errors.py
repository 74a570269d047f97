"""The errors with which a call can end."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from typing_extensions import TypedDict


class Issue(TypedDict):
    """One problem with the input; ``field`` is the dotted path as sent."""

    code: str
    field: str
    message: str


class SvcError(Exception):
    """A refusal by the service. ``code`` is stable; GET /v1/errors says what each one means and what to do."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int,
        request_id: str | None = None,
        field: str | None = None,
        issues: Sequence[Issue] = (),
        details: Mapping[str, Any] | None = None,
        retry_after_seconds: float | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        #: Identifies the call in the service's log.
        self.request_id = request_id
        self.field = field
        #: Every problem with the input, not just the first.
        self.issues: tuple[Issue, ...] = tuple(issues)
        self.details: Mapping[str, Any] = details or {}
        self.retry_after_seconds = retry_after_seconds
        #: The key that was sent: repeating the call with it never pays twice.
        self.idempotency_key = idempotency_key

    def __str__(self) -> str:
        return f"{self.code} (HTTP {self.status}, request {self.request_id}): {self.message}"


class SvcConnectionError(Exception):
    """No response arrived: whether the call took effect is unknown until it is repeated with its idempotency key."""

    def __init__(self, method: str, path: str, why: str, idempotency_key: str | None = None) -> None:
        message = f"{method} {path}: {why}"
        if method != "GET":
            message += "; whether it had an effect is unknown"
        if idempotency_key is not None:
            message += f" until it is repeated with the same idempotency key ({idempotency_key})"
        super().__init__(message)
        self.method = method
        self.path = path
        self.idempotency_key = idempotency_key


class SvcCursorError(Exception):
    """The cursor to continue from is beyond the newest event: it is from another environment, or the service was
    restored from an older backup. Nothing would ever follow. Start again from a cursor of this service, or from 0."""

    def __init__(self, since: int, newest_cursor: int) -> None:
        super().__init__(f"the cursor {since} is beyond the newest event, which is {newest_cursor}: it is not of this feed")
        self.since = since
        self.newest_cursor = newest_cursor


class StillWaiting(TimeoutError):
    """The time is up and nothing has been decided. ``last`` is what was last read, if anything."""

    def __init__(self, message: str, last: Any = None) -> None:
        super().__init__(message)
        self.last = last


def is_passing(error: BaseException) -> bool:
    """Worth retrying unchanged after a while: there was no response, or the service is busy or unavailable."""
    if isinstance(error, SvcError):
        return error.status == 429 or error.status >= 500
    return isinstance(error, SvcConnectionError)
