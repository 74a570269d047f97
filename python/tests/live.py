"""A dedicated service for the tests, and the merchant's part of the story, which the Python client does not cover."""

from __future__ import annotations

import json
import os
import random
import socket
import subprocess
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import IO, Any

import httpx

import svc_client as svc
from svc_client.types import NewPaymentRequest

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0
ADDRESS = "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ"


#: Below the ephemeral ports: one of those that is free now may be a client's connection a second later.
PORTS = range(20_000, 32_000)


def free_port() -> int:
    """Free for TCP and UDP."""
    while True:
        port = random.choice(PORTS)
        with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
            try:
                tcp.bind(("127.0.0.1", port))
                udp.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


@dataclass
class Service:
    url: str
    data: Path
    dns: str
    log: Path
    children: ExitStack = field(default_factory=ExitStack)

    def __post_init__(self) -> None:
        #: Shared by the clients, and closed with the service.
        self.http = self.children.enter_context(httpx.Client())

    def start(self, *command: str, **env: str) -> subprocess.Popen[bytes]:
        log: IO[bytes] = self.children.enter_context(self.log.open("ab"))
        child = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **env}, stdout=log, stderr=log)
        self.children.callback(_end, child)
        return child

    def until_ready(self, child: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and child.poll() is None:
            try:
                if httpx.get(f"{self.url}/health/ready", timeout=5).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.1)
        raise RuntimeError(f"the service did not start:\n{self.log.read_text()}")


def _end(child: subprocess.Popen[bytes]) -> None:
    child.terminate()
    try:
        child.wait(20)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def start_service(folder: Path) -> Service:
    subprocess.run(["node", "scripts/build-if-needed.js"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    port, dns = free_port(), f"127.0.0.1:{free_port()}"
    service = Service(f"http://127.0.0.1:{port}", folder / "data", dns, folder / "service.log")
    child = service.start(
        "node",
        "dist/src/main.js",
        HOST="127.0.0.1",
        PORT=str(port),
        BASE_URL=service.url,
        DATA_DIR=str(service.data),
        DNS_SERVERS=dns,
        ALLOW_PRIVATE_NETWORKS="true",
        RATE_LIMITS="off",
        LOG_LEVEL="warn",
        EVENT_STORE="embedded",
        READ_STORE="embedded",
        MAIL_URL="outbox:",
    )
    try:
        service.until_ready(child)
    except BaseException:
        service.children.close()
        raise
    return service


class Merchant:
    """Signed in, with a verified domain, a payee, an agent and an API key."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._http = service.children.enter_context(httpx.Client(base_url=f"{service.url}/v1/", timeout=PATIENCE))
        self._sign_in("python@shop.example")
        domain_id = self._prove("shop.example")
        self.recipient = self._payee(domain_id)
        self.key = svc.AgentKey.new()
        self.agent_id = self._agent(self.key)
        self.api_key: str = self.post("api-keys", name="Python")["secret"]

    @property
    def credential(self) -> svc.AgentCredential:
        return svc.AgentCredential("key-1", self.agent_id, self.key)

    def post(self, place: str, **body: Any) -> Any:
        return self._sent(self._http.post(place, json=body))

    def _sent(self, response: httpx.Response) -> Any:
        assert response.is_success, response.text
        return response.json()

    def _sign_in(self, email: str) -> None:
        self.post("merchant-accounts/registrations", email=email)
        grant = self.post("merchant-accounts/email-verifications", token=self._mailed(email))["session_grant"]
        grant = self.post("merchants", grant=grant, name="Python Shop")["next_grant"]
        session = self.post("merchant-sessions", grant=grant, delivery="bearer")["session_token"]
        self.session_token: str = session
        self._http.headers["authorization"] = f"Bearer {session}"

    def _mailed(self, email: str) -> str:
        outbox, deadline = self._service.data / "outbox.jsonl", time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            for line in outbox.read_text().splitlines() if outbox.exists() else []:
                if email in line:
                    return str(json.loads(line)["link"]).partition("token=")[2]
            time.sleep(0.05)
        raise RuntimeError("no mail came")

    def _prove(self, domain: str) -> str:
        made = self.post("merchant-domains", domain=domain, method="dns")
        record = made["challenge"]
        dns = ("demo/dns.ts", self._service.dns, record["record_name"], record["record_value"])
        responder = self._service.start("node", "-r", "./test/support/register-swc.js", *dns)
        domain_id, deadline = str(made["domain"]["domain_id"]), time.monotonic() + PATIENCE
        while time.monotonic() < deadline and responder.poll() is None:
            answer = self._http.post(f"merchant-domains/{domain_id}/verify", json={})
            if answer.is_success:
                return domain_id
            time.sleep(0.2)
        raise RuntimeError(f"the domain was not proven:\n{self._service.log.read_text()}")

    def _payee(self, domain_id: str) -> dict[str, str]:
        facts = {"name": "Python Shop", "network": "stellar_testnet", "asset": "XLM", "address": ADDRESS}
        made = self.post("recipients", **facts)
        id, version_id = made["recipient"]["recipient_id"], made["recipient_version"]["recipient_version_id"]
        claim = {"recipient_version_id": version_id, "type": "domain_proof", "source_id": domain_id}
        proven = self.post(f"recipients/{id}/verify", version=made["recipient"]["version"], **claim)
        evidence = {name: proven["evidence"][name] for name in ("evidence_id", "evidence_digest")}
        self.post(f"recipients/{id}/versions/{version_id}/activate", version=proven["recipient"]["version"], **evidence)
        return {"recipient_id": id, "recipient_version_id": version_id}

    def _agent(self, key: svc.AgentKey) -> str:
        made = self.post("agents", name="Agent", runtime="python", environment="testnet", allowed_scopes=svc.SCOPES)
        id, now = str(made["agent"]["agent_id"]), datetime.now(timezone.utc)
        times = {"not_before": now.isoformat(), "expires_at": (now + timedelta(days=1)).isoformat()}
        times = {name: value.replace("+00:00", "Z") for name, value in times.items()}
        added = self.post(f"agents/{id}/credentials", kid="key-1", alg="Ed25519", public_key=key.public_key, **times)
        place = f"agents/{id}/credentials/{added['credential']['credential_id']}/activate"
        challenge = added["proof_challenge"]
        version = self.post(place, challenge=challenge, signature=key.sign_challenge(challenge))["agent"]["version"]
        self._sent(self._http.patch(f"agents/{id}", json={"version": version, "status": "active"}))
        return id


def order(merchant: Merchant, amount: str, **more: Any) -> NewPaymentRequest:
    input: NewPaymentRequest = {**merchant.recipient, "payment": {"amount": amount}, **more}  # type: ignore[typeddict-item]
    return input
