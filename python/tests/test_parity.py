"""What the TypeScript clients can do, these can."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import svc_client as svc

SOURCES = Path(__file__).parents[2] / "sdk" / "src"
METHOD = re.compile(r"^  (?:static |override )?(?:async )?([a-z]\w+)(?:<[^>]*>)?\(", re.MULTILINE)
#: Python has one way to follow a feed, and shorter names for a device's.
OTHERWISE = {"open_device_events": "events", "poll_device_events": "poll_events", "constructor": "__init__"}


@pytest.mark.parametrize(("client", "files"), [
    (svc.AgentClient, ["connecting.ts", "agent-client.ts"]),
    (svc.AgentPaymentsClient, ["agent-payments-client.ts"]),
    (svc.WalletClient, ["wallet-client.ts"]),
], ids=lambda one: getattr(one, "__name__", None))
def test_every_method_is_there(client: type, files: list[str]) -> None:
    found = {name for file in files for name in METHOD.findall((SOURCES / file).read_text("utf-8"))}
    assert len(found) > 6
    snake = {re.sub("[A-Z]", lambda letter: f"_{letter[0].lower()}", name) for name in found}
    assert [name for name in sorted(snake) if not hasattr(client, OTHERWISE.get(name, name))] == []
