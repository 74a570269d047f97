"""The two shells: they run the same operations, blocking or awaiting."""

from __future__ import annotations

import functools
import inspect
import threading
import time
from types import TracebackType
from typing import Any, Callable, Coroutine, Generic, TypeVar, overload

import anyio
import httpx
from typing_extensions import Concatenate, ParamSpec, Self

from ._call import Answer, Prepared, answer_of
from ._operation import Ask, Lock, Operation, Pause, Step

P = ParamSpec("P")
T = TypeVar("T")

# Passed with every send: a client's own authentication would replace the credential.
_NO_AUTH = httpx.Auth()
_FAILURES = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError)


def _why(error: Exception, sent: Prepared) -> str:
    if isinstance(error, (httpx.TimeoutException, TimeoutError)):
        return f"no answer within {sent.timeout:g} s"
    return str(error) or type(error).__name__


class BlockingShell:
    """Runs operations on the calling thread. Safe to use from several threads at once."""

    _logic: Any

    def __init__(self, http: httpx.Client | None) -> None:
        self._http = http or httpx.Client()
        self._owned = http is None
        self._lock = threading.Lock()

    def _run(self, operation: Operation[T]) -> T:
        try:
            step = next(operation)
            while True:
                try:
                    result = self._do(step)
                except Exception as error:
                    step = operation.throw(error)
                else:
                    step = operation.send(result)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        finally:
            operation.close()

    def _do(self, step: Step) -> Any:
        if isinstance(step, Prepared):
            return self._send(step)
        if isinstance(step, Pause):
            return time.sleep(step.seconds)
        if isinstance(step, Lock):
            self._lock.acquire()
            return self._lock.release
        assert isinstance(step, Ask)
        return step.function()

    def _send(self, sent: Prepared) -> Answer:
        deadline = time.monotonic() + sent.timeout
        try:
            response = self._http.send(sent.request(), stream=True, auth=_NO_AUTH, follow_redirects=False)
            try:
                content = bytearray()
                for piece in response.iter_bytes():
                    content += piece
                    # httpx's timeout applies to each chunk; a service that trickles must not hold the caller forever.
                    if time.monotonic() > deadline:
                        raise TimeoutError
            finally:
                response.close()
        except _FAILURES as error:
            raise sent.lost(_why(error, sent)) from error
        return answer_of(sent, response.status_code, response.headers, bytes(content))

    def close(self) -> None:
        """Closes idle connections; an httpx client that was passed in stays open."""
        if self._owned:
            self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()


class AwaitingShell:
    """Runs operations on the event loop of asyncio or trio."""

    _logic: Any

    def __init__(self, http: httpx.AsyncClient | None) -> None:
        self._http = http or httpx.AsyncClient()
        self._owned = http is None
        self._lock: anyio.Lock | None = None

    async def _run(self, operation: Operation[T]) -> T:
        try:
            step = next(operation)
            while True:
                try:
                    result = await self._do(step)
                except Exception as error:
                    step = operation.throw(error)
                else:
                    step = operation.send(result)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        finally:
            operation.close()

    async def _do(self, step: Step) -> Any:
        if isinstance(step, Prepared):
            return await self._send(step)
        if isinstance(step, Pause):
            return await anyio.sleep(step.seconds)
        if isinstance(step, Lock):
            self._lock = lock = self._lock or anyio.Lock()
            await lock.acquire()
            return lock.release
        assert isinstance(step, Ask)
        result = step.function()
        return await result if inspect.isawaitable(result) else result

    async def _send(self, sent: Prepared) -> Answer:
        try:
            with anyio.fail_after(sent.timeout):
                response = await self._http.send(sent.request(), auth=_NO_AUTH, follow_redirects=False)
        except _FAILURES as error:
            raise sent.lost(_why(error, sent)) from error
        return answer_of(sent, response.status_code, response.headers, response.content)

    async def aclose(self) -> None:
        """Closes idle connections; an httpx client that was passed in stays open."""
        if self._owned:
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        await self.aclose()


class blocking(Generic[P, T]):
    """A method of a blocking client: runs the operation of that name."""

    def __init__(self, operation: Callable[Concatenate[Any, P], Operation[T]]) -> None:
        self._operation = operation
        self.__doc__ = operation.__doc__

    @overload
    def __get__(self, client: None, owner: type) -> Self: ...
    @overload
    def __get__(self, client: BlockingShell, owner: type) -> Callable[P, T]: ...
    def __get__(self, client: BlockingShell | None, owner: type) -> Any:
        if client is None:
            return self
        operation = functools.partial(self._operation, client._logic)

        @functools.wraps(self._operation)
        def method(*args: P.args, **kwargs: P.kwargs) -> T:
            return client._run(operation(*args, **kwargs))

        return method


class awaiting(Generic[P, T]):
    """A method of an async client: runs the operation of that name."""

    def __init__(self, operation: Callable[Concatenate[Any, P], Operation[T]]) -> None:
        self._operation = operation
        self.__doc__ = operation.__doc__

    @overload
    def __get__(self, client: None, owner: type) -> Self: ...
    @overload
    def __get__(self, client: AwaitingShell, owner: type) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, client: AwaitingShell | None, owner: type) -> Any:
        if client is None:
            return self
        operation = functools.partial(self._operation, client._logic)

        @functools.wraps(self._operation)
        async def method(*args: P.args, **kwargs: P.kwargs) -> T:
            return await client._run(operation(*args, **kwargs))

        return method
