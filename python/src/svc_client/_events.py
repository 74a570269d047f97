"""Following a feed over long polls, and waiting for a single request in it."""

from __future__ import annotations

import time
from typing import Any, Callable, Mapping, Sequence

from ._call import DEFAULT_TIMEOUT
from ._operation import Operation, Pause
from .errors import StillWaiting, SvcConnectionError, SvcCursorError, SvcError, is_passing

PAGE_SIZE = 200
MIN_PAUSE = 0.5
MAX_PAUSE = 30.0

#: since, limit, wait, timeout of the call
Poll = Callable[[int, int, "int | None", "float | None"], Operation[Any]]


def pause_after(error: Exception, failures: int) -> float:
    if isinstance(error, SvcError) and error.retry_after_seconds is not None:
        return error.retry_after_seconds
    return float(min(MAX_PAUSE, MIN_PAUSE * 2 ** min(failures, 10)))


class Feed:
    """Every event after ``since``, page by page. After an outage of the service it continues at the same place.

    A ``since`` beyond the newest event ends it with ``SvcCursorError``, once the service has said so twice: while
    rebuilding its views it may briefly know less.
    """

    def __init__(
        self,
        poll: Poll,
        since: int,
        wait: int,
        on_interruption: Callable[[Exception], object] | None = None,
        *,
        since_is_fresh: bool = False,
    ) -> None:
        self._poll = poll
        self._wait = wait
        self._on_interruption = on_interruption
        self._failures = 0
        #: The first poll with a stored cursor does not wait, so that a cursor from elsewhere is noticed at once.
        self._is_first = since > 0 and not since_is_fresh
        self._is_beyond = False
        #: The last cursor processed.
        self.since = since

    def beginning_at(self, since: int) -> Feed:
        """The same feed from a cursor that was just read from it."""
        return Feed(self._poll, since, self._wait, self._on_interruption, since_is_fresh=True)

    def next_page(self, deadline: float | None = None) -> Operation[Sequence[Any]]:
        """The next events; empty if there were none within ``wait`` or if the poll failed temporarily."""
        left = _left(deadline)
        wait = self._wait if left is None else min(self._wait, int(left))
        if self._is_first or self._is_beyond:
            wait = 0
        timeout = None if left is None else min(DEFAULT_TIMEOUT + wait, left + GRACE)
        try:
            page = yield from self._poll(self.since, PAGE_SIZE, wait, timeout)
        except Exception as error:
            if not is_passing(error):
                raise
            if self._on_interruption is not None:
                self._on_interruption(error)
            pause = pause_after(error, self._failures)
            yield Pause(pause if left is None else min(pause, left))
            self._failures += 1
            return ()
        self._failures = 0
        self._is_first = False
        events: Sequence[Any] = page["events"]
        # Older versions of the service leave it out.
        newest = page.get("newest_cursor", self.since)
        if self._is_beyond and newest < self.since:
            raise SvcCursorError(self.since, newest)
        self._is_beyond = newest < self.since
        # With ``wait=0`` the service holds nothing back: without a pause, polls would follow each other at once.
        if self._is_beyond or (self._wait == 0 and not events):
            yield Pause(MIN_PAUSE)
        return events


#: Left beyond the end of a wait, for the response of a call that ends with it.
GRACE = 1.0


def _left(deadline: float | None) -> float | None:
    return None if deadline is None else max(0.0, deadline - time.monotonic())


def _for_call(deadline: float | None) -> float | None:
    left = _left(deadline)
    return None if left is None else left + GRACE


class RequestWaiter:
    """Waits for single requests of one connection. Events only wake it up: the request itself is what counts."""

    def __init__(self, poll: Poll, read: Callable[[str, "float | None"], Operation[Any]]) -> None:
        self._poll = poll
        #: With the time the call may take at most; None for as long as any other.
        self._read = read
        self._seen = 0

    def wait_for(
        self, request_id: str, timeout: float | None, until: Callable[[Any], bool] | None, wait: int
    ) -> Operation[Any]:
        deadline = None if timeout is None else time.monotonic() + timeout
        request: Mapping[str, Any] | None = None
        try:
            yield from self._catch_up(deadline)
            feed = Feed(self._poll, self._seen, wait, since_is_fresh=True)
            # A service that is away at the start is reported at once; later it is waited for, in reads as in polls.
            request = yield from self._read(request_id, _for_call(deadline))
            while not (request["is_final"] or (until is not None and until(request))):
                if _left(deadline) == 0:
                    raise StillWaiting(f"{request_id} is still {request['status']} after {timeout:g} s", request)
                feed = yield from self._until_touched(feed, request_id, deadline)
                request = yield from self._read_again(request_id, deadline)
            return request
        except (SvcError, SvcConnectionError) as error:
            if not is_passing(error) or _left(deadline) != 0:
                raise
            raise StillWaiting(f"{request_id} was not decided within {timeout:g} s", request) from error

    def _read_again(self, request_id: str, deadline: float | None) -> Operation[Any]:
        failures = 0
        while True:
            try:
                return (yield from self._read(request_id, _for_call(deadline)))
            except Exception as error:
                if not is_passing(error) or _left(deadline) == 0:
                    raise
                pause = pause_after(error, failures)
            left = _left(deadline)
            yield Pause(pause if left is None else min(pause, left))
            failures += 1

    def _until_touched(self, feed: Feed, request_id: str, deadline: float | None) -> Operation[Feed]:
        """Returns the feed to go on with."""
        while True:
            left = _left(deadline)
            if left is not None and left < 1:
                # Shorter than a long poll can wait: sleep for the rest, and read the request one last time.
                yield Pause(left)
                return feed
            touched = False
            try:
                page = yield from feed.next_page(deadline)
            except SvcCursorError as error:
                # The log was restored from an older backup. The cursor was never the caller's: go on from what there is.
                self._seen = error.newest_cursor
                return feed.beginning_at(self._seen)
            for event in page:
                feed.since = event["cursor"]
                touched = touched or event["request_id"] == request_id
            self._seen = max(self._seen, feed.since)
            if touched:
                return feed

    def _catch_up(self, deadline: float | None) -> Operation[None]:
        """Reads to the end of the feed before the request is read, so that no event is missed in between."""
        more = True
        while more and _left(deadline) != 0:
            left = _for_call(deadline)
            timeout = None if left is None else min(DEFAULT_TIMEOUT, left)
            page = yield from self._poll(self._seen, PAGE_SIZE, None, timeout)
            self._seen = max(self._seen, page["next_cursor"])
            more = page["has_more"]
