from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Iterator

import pytest
from live import Merchant, Service, start_service

import svc_client as svc


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = start_service(tmp_path_factory.mktemp("service"))
    yield service
    service.children.close()


@pytest.fixture(scope="session")
def merchant(service: Service) -> Merchant:
    return Merchant(service)


@pytest.fixture(scope="module")
def wallet(service: Service) -> svc.WalletClient:
    wallet, device, token = svc.WalletClient.register(service.url, http=service.http, name="Phone", platform="python")
    assert (device["device_id"], device["platform"]) == (wallet.device_id, "python")
    assert token.startswith("svc_dt_")
    return wallet


@pytest.fixture(scope="module")
def agent(service: Service, merchant: Merchant, wallet: svc.WalletClient) -> svc.AgentClient:
    agent = svc.AgentClient(service.url, http=service.http, credential=merchant.credential)
    claimed = agent.claim_connect_key(wallet.create_connect_key(label="Shop")["connect_key"], svc.SCOPES)
    assert agent.read_invitation(claimed)["status"] == "claimed"
    with ThreadPoolExecutor() as threads:
        approval = threads.submit(agent.wait_for_approval, claimed, interval=0.05, timeout=60)
        (waiting,) = wallet.list_invitations()["connect_invitations"]
        assert waiting["merchant_domain"] == "shop.example"
        wallet.approve_invitation(wallet.read_invitation(waiting["connect_invitation_id"])["connect_invitation_id"])
        assert approval.result()["connection"]["status"] == "active"
    return agent
