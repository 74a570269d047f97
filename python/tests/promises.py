"""Plays a recorded promise (test/promises) against the blocking or the async client."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import anyio
import httpx
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

import svc_client as svc

FOLDER = Path(__file__).parents[2] / "test" / "promises"
BASE_URL = "https://svc.example"


def recorded(name: str) -> list[Any]:
    found: list[Any] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return found


class Script:
    """Answers with the exchanges of a promise, and refuses anything they do not expect."""

    def __init__(self, promise: Any) -> None:
        self.left = list(promise["exchanges"])
        self.credential = promise["options"].get("credential")
        self.problems: list[str] = []
        self._same: dict[str, str] = {}

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if not self.left:
            self.problems.append(f"sent {request.method} {request.url.raw_path!r} and nothing was expected")
            raise httpx.ConnectError("not in the script")
        exchange = self.left.pop(0)
        self._compare(exchange["expect"], request)
        answer = exchange["answer"]
        if "fails" in answer:
            raise httpx.ReadError(answer["fails"])
        content = answer["text"] if "text" in answer else json.dumps(answer["body"])
        return httpx.Response(answer.get("status", 200), headers=answer.get("headers"), content=content.encode())

    def _compare(self, expect: Any, request: httpx.Request) -> None:
        path, _, query = request.url.raw_path.decode().partition("?")
        sent = {name.decode().lower(): value.decode() for name, value in request.headers.raw}
        body = json.loads(request.content) if request.content else {}
        if (request.method, path) != (expect["method"], expect["path"]):
            self.problems.append(f"sent {request.method} {path}, expected {expect['method']} {expect['path']}")
        if query != expect.get("query", query):
            self.problems.append(f"sent the query {query}, expected {expect['query']}")
        self.problems += self.differences(expect.get("headers", {}), sent, "headers")
        self.problems += self.differences(expect.get("body", {}), body, "body")
        if "assertion" in expect:
            self._check_assertion(expect["assertion"], body["assertion"])

    def _check_assertion(self, expect: Any, text: str) -> None:
        header, claims, signature = (base64.urlsafe_b64decode(part + "==") for part in text.split("."))
        public = svc.AgentKey(seed_of(self.credential)).public_key
        key = Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(public + "="))
        key.verify(signature, text.rpartition(".")[0].encode())
        self.problems += self.differences(expect, {"header": json.loads(header), "claims": json.loads(claims)}, "jws")

    def differences(self, expected: Any, found: Any, where: str) -> list[str]:
        """The parts of ``expected`` that are not in ``found``."""
        if isinstance(expected, dict) and isinstance(found, dict):
            names = expected.items()
            return [one for name, value in names for one in self.differences(value, found.get(name), f"{where}.{name}")]
        if isinstance(expected, dict) and isinstance(found, svc.SvcError):
            return self.differences(expected, vars(found), where)
        if isinstance(expected, list) and isinstance(found, (list, tuple)) and len(expected) == len(found):
            pairs = enumerate(zip(expected, found))
            return [one for i, (a, b) in pairs for one in self.differences(a, b, f"{where}.{i}")]
        if isinstance(expected, str) and isinstance(found, str) and found:
            if expected == "any" or (expected.startswith("same:") and self._same.setdefault(expected, found) == found):
                return []
        return [] if expected == found else [f"{where} is {found!r}, expected {expected!r}"]


def seed_of(credential: Any) -> bytes:
    return base64.urlsafe_b64decode(credential["seed"] + "=")


def options_of(promise: Any) -> dict[str, Any]:
    options = dict(promise["options"])
    if "credential" in options:
        given = options["credential"]
        options["credential"] = svc.AgentCredential(given["kid"], given["agent_id"], svc.AgentKey(seed_of(given)))
    if isinstance(options.get("connection_token"), list):
        kept = iter(options["connection_token"])
        options["connection_token"] = lambda: next(kept)
    return options


def arguments_of(call: Any) -> tuple[list[Any], dict[str, Any]]:
    given = {**call.get("named", {}), **call.get("options", {})}
    named = {
        name.removesuffix("_ms"): value / 1000 if name.endswith("_ms") else value for name, value in given.items()
    }
    return call.get("args", []), named


class Outcome:
    def __init__(self) -> None:
        self.value: Any = None
        self.error: Exception | None = None


def judged(script: Script, call: Any, outcome: Outcome) -> None:
    error = outcome.error
    if "throws" not in call:
        if error is not None:
            raise error
        script.problems += script.differences(call["returns"], outcome.value, call["call"])
        return
    expected = dict(call["throws"])
    kind = expected.pop("error")
    kinds: dict[str, Any] = {"SvcError": svc.SvcError, "SvcConnectionError": svc.SvcConnectionError, "still_waiting": svc.StillWaiting, "refused": (ValueError, TypeError)}
    assert isinstance(error, kinds[kind]), f"{call['call']} ended with {error!r} and {outcome.value!r}, not {kind}"
    for name, value in expected.items():
        script.problems += script.differences(value, getattr(error, name), name)


CLIENTS: dict[str, tuple[Any, Any]] = {
    "agent": (svc.AgentClient, svc.AsyncAgentClient),
    "agent-payments": (svc.AgentPaymentsClient, svc.AsyncAgentPaymentsClient),
    "wallet": (svc.WalletClient, svc.AsyncWalletClient),
}


def play_blocking(promise: Any) -> list[str]:
    script = Script(promise)
    with httpx.Client(transport=httpx.MockTransport(script)) as http:
        client = CLIENTS[promise["client"]][0](BASE_URL, http=http, **options_of(promise))
        for call in promise["calls"]:
            args, named = arguments_of(call)
            outcome = Outcome()
            try:
                result = getattr(client, call["call"])(*args, **named)
                outcome.value = [next(result) for _ in range(call["take"])] if "take" in call else result
            except Exception as error:
                outcome.error = error
            judged(script, call, outcome)
    return script.problems + [f"never sent: {one['expect']}" for one in script.left]


def play_awaiting(promise: Any) -> list[str]:
    async def play() -> list[str]:
        script = Script(promise)
        async with httpx.AsyncClient(transport=httpx.MockTransport(script)) as http:
            client = CLIENTS[promise["client"]][1](BASE_URL, http=http, **options_of(promise))
            for call in promise["calls"]:
                args, named = arguments_of(call)
                outcome = Outcome()
                try:
                    result = getattr(client, call["call"])(*args, **named)
                    if "take" in call:
                        outcome.value = [await anext(result) for _ in range(call["take"])]
                        await result.aclose()
                    else:
                        outcome.value = await result
                except Exception as error:
                    outcome.error = error
                judged(script, call, outcome)
        return script.problems + [f"never sent: {one['expect']}" for one in script.left]

    return anyio.run(play)
