"""What ``svc listen`` forwards from a running service, received and verified with this library."""

from __future__ import annotations

import os
import re
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from live import PATIENCE, ROOT, Merchant, Service, order

import svc_client as svc

COMMAND = ("node", str(ROOT / "sdk" / "bin" / "svc.js"))


def test_forwarded_messages_verify_in_python_and_in_javascript(
    service: Service,
    merchant: Merchant,
    agent: svc.AgentClient,
    wallet: svc.WalletClient,
    tmp_path: Path,
) -> None:
    secrets: list[str] = []
    taken: list[tuple[bytes, dict[str, str], svc.VerifiedWebhook]] = []
    forged: list[str] = []
    arrived = threading.Semaphore(0)

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = dict(self.headers.items())
            try:
                taken.append((body, headers, svc.verify_webhook(body, headers, secrets)))
                self.send_response(204)
            except svc.WebhookVerificationError as error:
                forged.append(str(error))
                self.send_response(400)
            self.end_headers()
            arrived.release()

        def log_message(self, *_: object) -> None:
            pass

    env = {
        "PATH": os.environ["PATH"],
        "SVC_URL": service.url,
        "SVC_SESSION_TOKEN": merchant.session_token,
        "SVC_CREDENTIALS": str(tmp_path / "none.json"),
    }
    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        hook = f"http://127.0.0.1:{server.server_port}/hooks"
        command = (*COMMAND, "listen", "--forward-to", hook)
        with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as listening:
            # Whatever it waits for, it must not wait forever.
            watchdog = threading.Timer(PATIENCE, listening.kill)
            watchdog.start()
            try:
                assert listening.stdout is not None
                said = ""
                while "Forwarding" not in said or "whsec_" not in said:
                    line = listening.stdout.readline().decode()
                    assert line, f"svc listen ended: {said}"
                    said += line
                found = re.search(r"whsec_\S+", said)
                assert found is not None
                secrets.append(found.group())
                request = agent.create_payment_request(order(merchant, "4.56"))["payment_request"]
                wallet.report_payment_request(request["request_id"], {"status": "signed"})
                assert arrived.acquire(timeout=PATIENCE) and arrived.acquire(timeout=PATIENCE), said
            finally:
                watchdog.cancel()
                listening.terminate()
                server.shutdown()
    assert forged == []
    messages = [verified.message for _, _, verified in taken]
    assert [one["type"] for one in messages] == ["payment_request.created", "payment_request.signed"]
    assert {one["data"]["request_id"] for one in messages} == {request["request_id"]}

    for at, (body, headers, _) in enumerate(taken):
        changed = body.replace(b"4.56", b"9.56")
        with pytest.raises(svc.WebhookVerificationError):
            svc.verify_webhook(changed, headers, secrets)
        # The same bytes, checked by the other library: `svc verify` uses the JavaScript one.
        for content, code in ((body, 0), (changed, 1)):
            file = tmp_path / f"{at}-{code}.http"
            lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            file.write_bytes(f"POST /hooks HTTP/1.1\r\n{lines}\r\n".encode("latin-1") + content)
            verified = subprocess.run((*COMMAND, "verify", str(file), "--secret", secrets[0]), env=env, capture_output=True)
            assert verified.returncode == code, verified.stderr.decode()
