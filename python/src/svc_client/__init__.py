"""The typed client of svc for agents, wallets and webhook receivers, blocking and async."""

from ._async_clients import AsyncAgentClient, AsyncAgentPaymentsClient, AsyncWalletClient
from ._call import CallOptions
from ._sync_clients import AgentClient, AgentPaymentsClient, WalletClient
from .agent_key import AgentCredential, AgentKey, sign_assertion
from .errors import Issue, StillWaiting, SvcConnectionError, SvcCursorError, SvcError
from .types import SCOPES
from .webhooks import VerifiedWebhook, WebhookVerificationError, verify_webhook

__all__ = [
    "SCOPES",
    "AgentClient",
    "AgentCredential",
    "AgentKey",
    "AgentPaymentsClient",
    "AsyncAgentClient",
    "AsyncAgentPaymentsClient",
    "AsyncWalletClient",
    "CallOptions",
    "Issue",
    "StillWaiting",
    "SvcConnectionError",
    "SvcCursorError",
    "SvcError",
    "VerifiedWebhook",
    "WalletClient",
    "WebhookVerificationError",
    "sign_assertion",
    "verify_webhook",
]
