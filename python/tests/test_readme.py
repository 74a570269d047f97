"""The worked example of README.md, run as is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from live import Merchant, Service

import svc_client as svc

README = Path(__file__).parents[1] / "README.md"


def test_the_worked_example_pays(service: Service, merchant: Merchant) -> None:
    (example, *_) = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.S)
    wallet, _, _ = svc.WalletClient.register(service.url, http=service.http, name="Phone")
    agent = svc.AgentClient(service.url, http=service.http, credential=merchant.credential)
    started = agent.start_pairing(svc.SCOPES)
    wallet.approve_pairing(started["pairing_session_id"], code=started["code"])
    token = agent.wait_for_pairing(started)["connection_token"]

    command = [sys.executable, "-u", "-c", example]
    env = {"SVC_URL": service.url, "CONNECTION_TOKEN": token}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        request_id, status = child.stdout.readline().split()
        assert status == "pending"
        wallet.report_payment_request(request_id, {"status": "rejected"})
        assert child.stdout.read() == "rejected\n"
        assert child.wait() == 0
