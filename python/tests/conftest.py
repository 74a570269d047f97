from __future__ import annotations

from typing import Iterator

import pytest
from live import Merchant, Service, start_service


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = start_service(tmp_path_factory.mktemp("service"))
    yield service
    service.children.close()


@pytest.fixture(scope="session")
def merchant(service: Service) -> Merchant:
    return Merchant(service)
