"""One HTTP call as data, and how its response is interpreted. Nothing here sends anything."""

from __future__ import annotations

import json
import math
import re
import uuid
from dataclasses import dataclass, field
from typing import Any, Mapping
from urllib.parse import quote, urlencode, urlsplit

import httpx
from typing_extensions import TypedDict

from .errors import SvcConnectionError, SvcError

DEFAULT_TIMEOUT = 30.0
# A larger value could overflow the timer that waits for it.
MAX_RETRY_AFTER = 24 * 3600.0

# Only the clients set these, whatever headers the caller passes.
RESERVED = frozenset(
    {
        "authorization",
        "proxy-authorization",
        "cookie",
        "x-svc-api-key",
        "x-csrf-token",
        "x-idempotency-key",
        "idempotency-key",
        "content-type",
        "content-length",
        "transfer-encoding",
        "host",
        "accept",
    }
)

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class CallOptions(TypedDict, total=False):
    """Options for any single call."""

    #: Extra headers. Those for credentials, idempotency keys and framing are dropped: they cannot be overridden.
    headers: Mapping[str, str]
    #: The maximum duration in seconds.
    timeout: float


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    query: Mapping[str, object] = field(default_factory=dict, repr=False)
    body: Mapping[str, Any] | None = field(default=None, repr=False)
    idempotency_key: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout: float | None = None


def call_of(
    method: str,
    place: str,
    *,
    query: Mapping[str, object] | None = None,
    body: Mapping[str, Any] | None = None,
    idempotency_key: str | None = None,
    options: CallOptions,
) -> Call:
    headers, timeout = options.get("headers") or {}, options.get("timeout")
    return Call(method, place, query or {}, body, idempotency_key, headers, timeout)


def key_for(given: str | None, in_input: str | None) -> str:
    """The caller's key or a new one: a create always has one. An empty key is refused before it is sent."""
    if given is not None:
        return given
    return str(uuid.uuid4()) if in_input is None else in_input


@dataclass(frozen=True)
class Prepared:
    """A call with its credential, ready to send."""

    call: Call
    url: str = field(repr=False)
    headers: list[tuple[bytes, bytes]] = field(repr=False)
    content: bytes | None = field(repr=False)
    timeout: float

    def request(self) -> httpx.Request:
        """Built here and not by an httpx client, which would add its own headers, cookies and parameters."""
        limits = httpx.Timeout(self.timeout).as_dict()
        return httpx.Request(
            self.call.method, self.url, headers=self.headers, content=self.content, extensions={"timeout": limits}
        )

    def lost(self, why: str) -> SvcConnectionError:
        return SvcConnectionError(self.call.method, self.call.path, why, self.call.idempotency_key)


@dataclass(frozen=True)
class Answer:
    body: dict[str, Any]
    status: int
    headers: httpx.Headers


class Target:
    """The service's URL, and what is sent with every call to it."""

    def __init__(self, base_url: str, headers: Mapping[str, str] | None, timeout: float | None) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("base_url must be an http or https address")
        if parts.username is not None or parts.password is not None:
            raise ValueError("base_url must not contain a user or a password: they would replace the credential")
        if parts.query or parts.fragment:
            raise ValueError("base_url must not contain a query or a fragment")
        self.base_url = base_url.rstrip("/")
        self._headers = dict(headers or {})
        self.timeout = DEFAULT_TIMEOUT if timeout is None else timeout

    def prepare(self, call: Call, proof: Mapping[str, str]) -> Prepared:
        """Raises ValueError for anything that cannot be sent as is, before anything is sent."""
        sent: dict[str, str] = {**_unreserved(self._headers), **_unreserved(call.headers), "accept": "application/json"}
        content = None
        if call.body is not None:
            content = json.dumps(call.body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
            sent["content-type"] = "application/json"
        if call.idempotency_key is not None:
            sent["x-idempotency-key"] = _carried(call.idempotency_key)
        sent.update(proof)
        headers = [(_name(name), _value(name, value)) for name, value in sent.items()]
        given = {name: value for name, value in call.query.items() if value is not None}
        url = self.base_url + call.path + (f"?{urlencode(given)}" if given else "")
        return Prepared(call, url, headers, content, self.timeout if call.timeout is None else call.timeout)


def _unreserved(headers: Mapping[str, str]) -> dict[str, str]:
    named = {name.strip().lower(): value for name, value in headers.items()}
    return {name: value for name, value in named.items() if name not in RESERVED}


def _carried(key: str) -> str:
    if not key or key != key.strip():
        raise ValueError("an idempotency key must not be empty, nor begin or end with a space")
    if not key.startswith('"'):
        return key
    # A header that begins with a quote is read as a string of RFC 9651.
    return '"' + key.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _name(name: str) -> bytes:
    if not _TOKEN.fullmatch(name):
        raise ValueError(f"{name!r} is not a header name")
    return name.encode()


def _value(name: str, value: str) -> bytes:
    """As UTF-8, which is how the service reads non-ASCII keys."""
    if _CONTROL.search(value):
        # The message omits the value, which may be a credential.
        raise ValueError(f"the header {name} must not contain control characters")
    try:
        return value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"the header {name} contains half a character (a lone surrogate)") from None


def path(template: str, *ids: str) -> str:
    """A path with its ids encoded. ``.`` and ``..`` would lead to another path, so they are not valid ids."""
    for one in ids:
        if not isinstance(one, str) or one in ("", ".", ".."):
            raise ValueError("an id must be a string that is not empty")
    return template.format(*(quote(one, safe="!'()*") for one in ids))


def answer_of(sent: Prepared, status: int, headers: httpx.Headers, content: bytes) -> Answer:
    if 300 <= status < 400:
        # Following a redirect would send the credential to wherever it points.
        raise sent.lost(f"answered with a redirect (HTTP {status}), which is not followed")
    body = _parsed(content)
    if 200 <= status < 300 and body is not None:
        return Answer(body, status, headers)
    raise _refusal(sent, status, headers, body, content)


def _parsed(content: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def unreadable(key: str | None, status: int) -> SvcError:
    message = f"The answer (HTTP {status}) is not from the service: something is missing in it"
    return SvcError(message, code="unreadable_answer", status=status, request_id=None, idempotency_key=key)


def _refusal(
    sent: Prepared, status: int, headers: httpx.Headers, body: dict[str, Any] | None, content: bytes
) -> SvcError:
    key = sent.call.idempotency_key
    request_id = headers.get("x-request-id")
    retry_after = _seconds(headers.get("retry-after"))
    error = body.get("error") if body else None
    if body is None or not isinstance(error, dict) or not isinstance(error.get("code"), str):
        # Not from the service but from something in front of it: a proxy's page, a wrong address.
        text = content[:100].decode("utf-8", "replace")
        return SvcError(
            f"The answer (HTTP {status}) is not from the service: {text}",
            code="unreadable_answer",
            status=status,
            request_id=request_id,
            retry_after_seconds=retry_after,
            idempotency_key=key,
        )
    # The agent-payment API puts field and issues inside details.
    given = error.get("details")
    details = dict(given) if isinstance(given, dict) else {}
    field_inside, issues_inside = details.pop("field", None), details.pop("issues", None)
    return SvcError(
        error.get("message") or error["code"],
        code=error["code"],
        status=status,
        request_id=error.get("request_id") or body.get("request_id") or request_id,
        field=error.get("field") or field_inside,
        issues=error.get("issues") or issues_inside or (),
        details=details,
        retry_after_seconds=retry_after,
        idempotency_key=key,
    )


def _seconds(text: str | None) -> float | None:
    try:
        seconds = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return min(seconds, MAX_RETRY_AFTER) if math.isfinite(seconds) and seconds >= 0 else None
