"""
What the clients do, without saying how: an operation is a generator that yields steps (send this, wait so long) and
returns a result. The two shells carry the steps out, one by blocking and one by awaiting, so that the logic is
written once.
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
    """Calls what the application gave: a vault that signs, a place where tokens are kept. It may be a coroutine function."""

    function: Callable[[], Any] = field(repr=False)


@dataclass(frozen=True)
class Lock:
    """One at a time from here on; answered with the function that ends it."""


Step = Union[Prepared, Pause, Ask, Lock]
Operation = Generator[Step, Any, T]
