"""
What the clients do, without the I/O: an operation is a generator that yields steps (send this, wait this long) and
returns a result. The two shells run the steps, one blocking and one awaiting, so that the logic is written once.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Generator, TypeVar, Union

from ._call import Prepared

T = TypeVar("T")


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Ask:
    """Calls a function of the application, such as a signing vault or a token store. May be a coroutine function."""

    function: Callable[[], Any] = field(repr=False)


@dataclass(frozen=True)
class Lock:
    """One operation at a time from here on; its result is the function that releases the lock."""


Step = Union[Prepared, Pause, Ask, Lock]
Operation = Generator[Step, Any, T]
