"""The Ed25519 key an agent authenticates with."""

from __future__ import annotations

import base64
import json
import time
import uuid
from dataclasses import dataclass, field
from typing import Awaitable, Callable, Union

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ._operation import Ask, Operation

#: Signs bytes with Ed25519. A function, so that the key may stay in a vault; with an async client it may be awaited.
Sign = Callable[[bytes], Union[bytes, Awaitable[bytes]]]


def base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


class AgentKey:
    """What an agent keeps private (``seed``) and what its merchant registers (``public_key``, base64url)."""

    def __init__(self, seed: bytes) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public_key = base64url(self._key.public_key().public_bytes_raw())

    @classmethod
    def new(cls) -> AgentKey:
        return cls(Ed25519PrivateKey.generate().private_bytes_raw())

    @property
    def seed(self) -> bytes:
        """The secret: 32 bytes from which the same key can be recreated."""
        return self._key.private_bytes_raw()

    def sign(self, content: bytes) -> bytes:
        return self._key.sign(content)

    def sign_challenge(self, challenge: str) -> str:
        """Proof of possession: the signature, base64url, over the challenge exactly as received."""
        return base64url(self.sign(challenge.encode()))

    def __repr__(self) -> str:
        return f"AgentKey(public_key={self.public_key!r})"


@dataclass(frozen=True)
class AgentCredential:
    """The registered key an agent authenticates with."""

    #: As registered.
    kid: str
    #: Sent as ``iss``: another agent's key may have the same kid.
    agent_id: str
    #: A key, or a function that signs.
    key: AgentKey | Sign = field(repr=False)


def assertion(credential: AgentCredential, audience: str, now: float, lifetime_seconds: int = 120) -> Operation[str]:
    """A one-time statement of who is calling, to be exchanged for an agent token."""
    issued = int(now)
    header = {"alg": "EdDSA", "typ": "agent-assertion+jwt", "kid": credential.kid}
    claims = {
        "aud": audience,
        "iat": issued,
        "exp": issued + lifetime_seconds,
        "jti": str(uuid.uuid4()),
        "iss": credential.agent_id,
    }
    text = ".".join(base64url(json.dumps(part, ensure_ascii=False).encode()) for part in (header, claims))
    key = credential.key
    sign = key.sign if isinstance(key, AgentKey) else key
    signature: bytes = yield Ask(lambda: sign(text.encode()))
    return f"{text}.{base64url(signature)}"


def sign_assertion(credential: AgentCredential, audience: str, *, now: float | None = None) -> str:
    """The assertion alone, for sending it another way. ``credential`` must hold a key, not a function."""
    if not isinstance(credential.key, AgentKey):
        raise TypeError("sign_assertion needs an AgentKey")
    operation = assertion(credential, audience, time.time() if now is None else now)
    step = next(operation)
    assert isinstance(step, Ask)
    try:
        operation.send(step.function())
    except StopIteration as end:
        return str(end.value)
    raise AssertionError("an assertion is signed in one step")
