"""Clients generated from the served document have their own types, which must fit real responses."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from live import PATIENCE, Merchant, Service

import svc_client as svc

PROGRAM = """
import json, sys
from generated.api.payment_requests import payment_requests_controller_create as create
from generated.models import PaymentRequest, Recipient

request = PaymentRequest.from_dict(json.load(sys.stdin))
assert callable(create.sync) and callable(Recipient.from_dict)
print(request.request_id, request.status.value, request.payment.amount)
"""


def test_a_client_is_generated_and_reads_a_payment_request(service: Service, merchant: Merchant, tmp_path: Path) -> None:
    document = tmp_path / "openapi.json"
    document.write_text(service.http.get(f"{service.url}/openapi.json", timeout=PATIENCE).text, "utf-8")
    generate = ["-m", "openapi_python_client", "generate", "--meta", "none"]
    places = ["--path", str(document), "--output-path", str(tmp_path / "generated")]
    made = subprocess.run([sys.executable, *generate, *places], cwd=tmp_path, capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
    assert "Unable to" not in made.stdout, made.stdout
    subprocess.run([sys.executable, "-m", "compileall", "-q", "generated"], cwd=tmp_path, check=True)

    wallet, _, _ = svc.WalletClient.register(service.url, http=service.http, name="Phone")
    agent = svc.AgentClient(service.url, http=service.http, credential=merchant.credential)
    started = agent.start_pairing(svc.SCOPES)
    wallet.approve_pairing(started["pairing_session_id"], code=started["code"])
    agent.wait_for_pairing(started)
    payee = agent.list_payees()["payees"][0]
    created = agent.create_payment_request(
        {
            "recipient_id": payee["recipient_id"],
            "recipient_version_id": payee["recipient_version_id"],
            "payment": {"amount": "3"},
        }
    )["payment_request"]
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, input=json.dumps(created), capture_output=True, text=True
    )
    assert told.stdout == f"{created['request_id']} pending 3\n", told.stderr
