"""Verifies what arrives at a webhook endpoint (Standard Webhooks), using the raw body."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Iterable, Mapping, Sequence, cast

from .types import WebhookMessage

PREFIX = "whsec_"
VERSION = "v1,"


class WebhookVerificationError(Exception):
    """The message is not from the service, is too old, or was altered. Respond with 400 and do nothing else."""


@dataclass(frozen=True)
class VerifiedWebhook:
    #: The same on every retry: remember it, to respond to a message seen before without acting on it.
    id: str
    sent_at: datetime
    message: WebhookMessage


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> VerifiedWebhook:
    """
    Checks signature and time, and only then parses. ``body`` is exactly what arrived, before any parsing; ``secret``
    is ``whsec_…`` as shown when the endpoint was created, several during a rotation.
    Raises WebhookVerificationError if anything does not match.
    """
    keys = [_key_of(one) for one in ([secret] if isinstance(secret, str) else secret)]
    id, timestamp, signatures = (
        _header(headers, name) for name in ("webhook-id", "webhook-timestamp", "webhook-signature")
    )
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookVerificationError("webhook-timestamp is not a time")
    age = (time.time() if now is None else now) - int(timestamp)
    # Asked so that what is no number is refused: it is not more than anything.
    if not abs(age) <= tolerance_seconds:
        raise WebhookVerificationError(f"the message is {age:.0f} s old: check your clock, or it is a replay")
    try:
        content = body.encode() if isinstance(body, str) else bytes(body)
        signed = f"{id}.{timestamp}.".encode("utf-8", "surrogateescape") + content
    except UnicodeEncodeError:
        raise WebhookVerificationError("the message contains half a character (a lone surrogate)") from None
    if not _is_signed(signed, signatures, keys):
        raise WebhookVerificationError("no signature matches: check the secret, and that the body is the raw one")
    sent_at = datetime.fromtimestamp(int(timestamp), timezone.utc)
    return VerifiedWebhook(id, sent_at, _parsed(content))


def _is_signed(signed: bytes, header: str, keys: Iterable[bytes]) -> bool:
    given = [_from_base64(one[len(VERSION) :]) for one in header.split(" ") if one.startswith(VERSION)]
    signatures = [one for one in given if one is not None]
    expected = [hmac.new(key, signed, hashlib.sha256).digest() for key in keys]
    return any(hmac.compare_digest(one, other) for one in expected for other in signatures)


def _key_of(secret: str) -> bytes:
    key = _from_base64(secret[len(PREFIX) :] if secret.startswith(PREFIX) else secret)
    if not key:
        raise ValueError("the webhook secret must be whsec_ followed by base64")
    return key


def _from_base64(text: str) -> bytes | None:
    """None if it is not base64. Accepts both alphabets."""
    plain = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _header(headers: Mapping[str, str], wanted: str) -> str:
    value: Any = next((value for name, value in headers.items() if name.lower() == wanted), None)
    if not isinstance(value, str) or not value:
        raise WebhookVerificationError(f"{wanted} is missing")
    return value


def _parsed(content: bytes) -> WebhookMessage:
    try:
        return cast(WebhookMessage, json.loads(content.decode()))
    except (ValueError, RecursionError):
        raise WebhookVerificationError("the body is signed but is not JSON") from None
