"""What a call is before it is sent, and what is read of an answer."""

from typing import Any

import httpx
import pytest

import svc_client as svc
from svc_client._call import Call, Target, answer_of


def prepared(**more: Any) -> Any:
    target = Target("https://svc.example", {"x-note": "secret-1"}, None)
    return target.prepare(Call("POST", "/v1/x", **more), {"authorization": "Bearer secret-2"})


def test_nothing_that_may_be_secret_is_shown() -> None:
    sent = prepared(query={"token": "secret-3"}, body={"token": "secret-4"}, headers={"x-other": "secret-5"})
    assert b"secret-4" in sent.content and "secret-3" in sent.url and len(sent.headers) == 5
    assert "secret" not in repr(sent) and "secret" not in str(sent)


@pytest.mark.parametrize("address", ["https://user@svc.example", "https://:word@svc.example", "https://u:w@svc.example"])
def test_address_with_a_user_or_a_password(address: str) -> None:
    with pytest.raises(ValueError, match="must not contain a user or a password"):
        Target(address, None, None)


@pytest.mark.parametrize("headers", [{"a b": "1"}, {"": "1"}, {"x-note": "a\r\nb: c"}, {"x-note": "\ud800"}])
def test_header_that_cannot_be_sent(headers: Any) -> None:
    with pytest.raises(ValueError, match="header"):
        prepared(headers=headers)


def test_body() -> None:
    assert prepared(body={"note": "é"}).content == '{"note":"é"}'.encode()
    with pytest.raises(ValueError):
        prepared(body={"amount": float("nan")})


@pytest.mark.parametrize(
    ("given", "expected"),
    [("0", 0), ("7", 7), ("999999", 86_400), ("-1", None), ("nan", None), ("inf", None), ("Wed, 21 Oct 2026", None)],
)
def test_when_to_try_again(given: str, expected: float | None) -> None:
    with pytest.raises(svc.SvcError) as raised:
        answer_of(prepared(), 503, httpx.Headers({"retry-after": given}), b"{}")
    assert raised.value.retry_after_seconds == expected


@pytest.mark.parametrize("status", [300, 302, 308, 399])
def test_redirect(status: int) -> None:
    with pytest.raises(svc.SvcConnectionError, match="redirect"):
        answer_of(prepared(), status, httpx.Headers(), b'{"ok": true}')
