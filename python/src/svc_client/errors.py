"""What a call can end with instead of an answer."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from typing_extensions import TypedDict


class Issue(TypedDict):
    """One problem of the input; ``field`` is the dotted path as it was sent."""

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
        #: Finds the call in the service's log.
        self.request_id = request_id
        self.field = field
        #: Every problem of the input, not just the first.
        self.issues: tuple[Issue, ...] = tuple(issues)
        self.details: Mapping[str, Any] = details or {}
        self.retry_after_seconds = retry_after_seconds
        #: The key that was sent: repeating the call with it never pays twice.
        self.idempotency_key = idempotency_key

    def __str__(self) -> str:
        return f"{self.code} (HTTP {self.status}, request {self.request_id}): {self.message}"


class SvcConnectionError(Exception):
    """No answer came: whether the call had an effect is unknown until it is repeated with the same idempotency key."""

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
    """The cursor to go on from is beyond all there is: it was kept from another environment, or the service was restored
    from an older copy. Nothing would ever come after it. Start again from a cursor of this service, or from 0."""

    def __init__(self, since: int, newest_cursor: int) -> None:
        super().__init__(f"the cursor {since} is beyond the newest event, which is {newest_cursor}: it is not of this feed")
        self.since = since
        self.newest_cursor = newest_cursor


class StillWaiting(TimeoutError):
    """The time for waiting is over and nothing has been decided. ``last`` is what was last read, if anything was."""

    def __init__(self, message: str, last: Any = None) -> None:
        super().__init__(message)
        self.last = last


def is_passing(error: BaseException) -> bool:
    """Worth repeating unchanged after a while: nobody answered, or the service is busy or away."""
    if isinstance(error, SvcError):
        return error.status == 429 or error.status >= 500
    return isinstance(error, SvcConnectionError)
