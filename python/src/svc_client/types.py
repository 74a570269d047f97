"""What the service accepts and returns, field by field as on the wire."""

from __future__ import annotations

from typing import Any, List, Literal, Mapping, Sequence

from typing_extensions import NotRequired, TypedDict

FreeForm = Mapping[str, Any]
Scope = Literal[
    "payment.requests.create", "payment.requests.read", "transaction_contexts.create", "transaction_contexts.read"
]
SCOPES: tuple[Scope, ...] = (
    "payment.requests.create",
    "payment.requests.read",
    "transaction_contexts.create",
    "transaction_contexts.read",
)
PaymentStatus = Literal["pending", "signed", "broadcasted", "confirmed", "failed", "expired", "rejected"]
AgentPaymentStatus = Literal["intent_created", "signed", "broadcasted", "confirmed", "failed", "expired", "rejected"]


class WalletDevice(TypedDict):
    device_id: str
    name: str
    platform: str | None
    status: Literal["active", "removed"]
    created_at: str
    updated_at: str
    version: int


class Asker(TypedDict):
    """Who asks, as the wallet shows it to the person who decides."""

    agent_id: str
    agent_name: str
    merchant_id: str
    merchant_name: str
    merchant_domain: str


class ConnectInvitation(Asker):
    connect_invitation_id: str
    status: Literal["claimed", "approved", "rejected", "exchanged", "expired"]
    label: NotRequired[str | None]
    requested_scopes: list[str]
    scopes: list[str] | None
    connection_id: str | None
    claimed_at: str
    updated_at: str
    expires_at: str
    version: int


class PairingSession(Asker):
    pairing_session_id: str
    status: Literal["pending", "approved", "rejected"]
    requested_scopes: list[str]
    scopes: list[str] | None
    connection_id: str | None
    created_at: str
    updated_at: str
    expires_at: str
    version: int


class StartedPairingSession(PairingSession):
    """Includes what the agent shows to the person: a code to type or a link to open."""

    code: str
    uri: str


class AgreedNames(TypedDict):
    agent_name: str
    merchant_name: str


class Connection(Asker):
    connection_id: str
    status: Literal["active", "paused", "revoked"]
    revoked_reason: Literal["wallet", "device_removed", "credential_revoked"] | None
    agreed_names: NotRequired[AgreedNames]
    """The names of merchant and agent when the person agreed, if they have changed since."""
    scopes: list[str]
    created_at: str
    updated_at: str
    version: int


class NamedAgent(TypedDict):
    agent_id: str
    name: str


class NamedMerchant(TypedDict):
    merchant_id: str
    name: str
    domain: str


class CurrentConnection(TypedDict):
    """Whom the holder of a connection token acts for, and what it may currently do."""

    connection: Connection
    agent: NamedAgent
    merchant: NamedMerchant
    scopes: list[str]


class OpenedConnection(TypedDict):
    """The token is returned here and never again."""

    connection: Connection
    connection_token: str


class ClaimedInvitation(TypedDict):
    connect_invitation: ConnectInvitation
    claim_token: str


class PairingAnswer(TypedDict):
    pairing_session: PairingSession
    connection: NotRequired[Connection]
    connection_token: NotRequired[str]


class ConnectKey(TypedDict):
    connect_key: str
    expires_at: str


class ApprovedInvitation(TypedDict):
    connect_invitation: ConnectInvitation
    connection: Connection


class ConnectInvitations(TypedDict):
    connect_invitations: list[ConnectInvitation]
    next_cursor: str | None


class Connections(TypedDict):
    connections: list[Connection]
    next_cursor: str | None


class Payee(TypedDict):
    name: str
    verified: bool
    domain: str


class PaymentFacts(TypedDict):
    """What will be paid, from the pinned recipient version; nobody can change it."""

    rail: str
    network: str
    asset: str
    #: An exact decimal; never convert it to a float.
    amount: str
    to: str
    contract: NotRequired[str]
    issuer: NotRequired[str]
    decimals: NotRequired[int]
    chain_id: NotRequired[int]
    memo: NotRequired[str]


class SettlementDifference(TypedDict):
    fact: str
    expected: str | int | float | bool | None
    found: str | int | float | bool | None


class Settlement(TypedDict):
    """What the service itself saw on the network of the transaction that a wallet reported."""

    verdict: Literal["matches", "differs", "not_found", "pending"]
    differences: list[SettlementDifference]
    ledger: int | None
    #: The outer hash, whichever one the wallet named.
    ledger_hash: str | None
    #: The transfer that settles this payment and no other, by its operation and its place within it, from 0.
    operation: int | None
    transfer: int | None
    #: The wallet named the transaction before its ledger closed, so it did not copy it from there.
    announced: bool | None
    #: ``payer``: the account that paid vouches for the key that signed the decision.
    binding: Literal["payer", "none"] | None
    observed_at: str
    witness: str


class ReviewNotice(TypedDict):
    """Something to know before approving, based on the log."""

    code: str
    severity: Literal["info", "warning", "danger"]
    message: str
    since: NotRequired[str]
    request_ids: NotRequired[list[str]]
    title: NotRequired[str]


class Review(TypedDict):
    """What the person who decides is shown next to the payment itself."""

    facts: FreeForm
    notices: list[ReviewNotice]


class PayableRecipient(TypedDict):
    """Whom a payment can be requested for. Only the wallet learns where they are paid."""

    recipient_id: str
    recipient_version_id: str
    name: str
    network: str
    asset: str
    domain: str


class Payees(TypedDict):
    payees: list[PayableRecipient]
    next_cursor: str | None


class PaymentPolicy(TypedDict):
    requires_user_approval: Literal[True]


class LateReport(TypedDict):
    status: Literal["broadcasted", "confirmed"]
    transaction_hash: str
    reported_at: str


class PaymentRequest(TypedDict):
    protocol: Literal["svc.payment_request.v1"]
    request_id: str
    connection_id: str
    transaction_id: NotRequired[str]
    created_at: str
    expires_at: str
    idempotency_key: NotRequired[str]
    status: PaymentStatus
    source: FreeForm
    payee: Payee
    payment: PaymentFacts
    policy: PaymentPolicy
    display: NotRequired[FreeForm]
    metadata: NotRequired[FreeForm]
    recipient_id: str
    recipient_version_id: str
    transaction_hash: NotRequired[str]
    ledger: NotRequired[int]
    reason: NotRequired[str]
    #: Who took it back before anybody signed; its reason is then ``withdrawn``.
    withdrawn_by: NotRequired[Literal["agent", "merchant", "service"]]
    withdrawn_reason: NotRequired[str]
    #: The last transaction that the wallet reported after the end: money may have moved.
    late: NotRequired[LateReport]
    #: None if the service has not looked, or never looks. Ship on ``confirmed`` and ``matches`` and not ``contested``.
    settlement: Settlement | None
    #: It is open which payment the transfer was meant for.
    contested: bool
    #: Only for a wallet that reads one request.
    review: NotRequired[Review]
    #: A link another wallet can open; None if the network has no published scheme.
    payment_uri: NotRequired[str | None]
    version: int
    is_final: bool
    updated_at: str


class PaymentRequests(TypedDict):
    payment_requests: list[PaymentRequest]
    next_cursor: str | None


class Amount(TypedDict):
    #: An exact decimal as text.
    amount: str


class NewPaymentRequest(TypedDict):
    recipient_id: str
    recipient_version_id: str
    payment: Amount
    expires_at: NotRequired[str]
    #: Filled in if absent: every payment needs its user's approval.
    policy: NotRequired[PaymentPolicy]
    idempotency_key: NotRequired[str]
    #: ``refuse``: 409 ``possible_duplicate``, and nothing is created, if the same was requested within 24 hours.
    if_duplicate: NotRequired[Literal["allow", "refuse"]]
    request_id: NotRequired[str]
    transaction_id: NotRequired[str]
    source: NotRequired[FreeForm]
    display: NotRequired[FreeForm]
    metadata: NotRequired[FreeForm]


class DuplicateRequest(TypedDict):
    request_id: str
    status: PaymentStatus
    created_at: str


class CreatedPaymentRequest(TypedDict):
    payment_request: PaymentRequest
    #: True if this key had been used before: the request as it is now.
    replayed: bool
    #: The key to repeat the call with if in doubt.
    idempotency_key: str
    #: Open or confirmed requests of the last 24 hours for the same recipient and amount.
    duplicates: list[DuplicateRequest]


class PaymentRequestEvent(TypedDict):
    cursor: int
    event_id: str
    type: str
    request_id: str
    transaction_id: NotRequired[str]
    status: PaymentStatus
    previous_status: PaymentStatus | None
    occurred_at: str
    data: FreeForm


class EventPage(TypedDict):
    events: list[PaymentRequestEvent]
    next_cursor: int
    newest_cursor: int
    """The newest cursor; a ``since`` beyond it is from elsewhere."""
    has_more: bool


class DeviceEvent(TypedDict):
    """What concerns a device, as its feed reports it."""

    cursor: int
    event_id: str
    type: str
    occurred_at: str
    data: FreeForm


class DeviceEventPage(TypedDict):
    events: list[DeviceEvent]
    next_cursor: int
    newest_cursor: int
    has_more: bool


class Actor(TypedDict):
    kind: str
    id: NotRequired[str]
    name: NotRequired[str]


class TimelineEntry(TypedDict):
    """One event in a payment's life."""

    event_id: str
    type: str
    occurred_at: str
    actor: Actor
    data: NotRequired[FreeForm]


class StatusReport(TypedDict):
    """What a wallet reports about a payment."""

    status: Literal["signed", "rejected", "failed", "broadcasted", "confirmed"]
    #: With ``failed``; optional with ``rejected``.
    reason: NotRequired[str]
    #: With ``broadcasted`` and ``confirmed``; with ``signed`` what was signed, before the network sees it.
    transaction_hash: NotRequired[str]
    ledger: NotRequired[int]
    #: Which one is meant, if the wallet has requests with the same id from two merchants.
    connection_id: NotRequired[str]


class ContextItem(TypedDict):
    label: str
    value: str


class NewTransactionContext(TypedDict):
    transaction_id: NotRequired[str]
    title: str
    summary: NotRequired[str]
    items: NotRequired[Sequence[ContextItem]]
    reference_url: NotRequired[str]
    metadata: NotRequired[FreeForm]


class TransactionContext(TypedDict):
    transaction_id: str
    connection_id: str
    revision: int
    title: str
    summary: NotRequired[str]
    items: list[ContextItem]
    reference_url: NotRequired[str]
    metadata: NotRequired[FreeForm]
    created_at: str
    updated_at: str
    version: int


class ShownPaymentRequest(TypedDict):
    """Includes the context that the agent had written when it asked; ``review`` is inside the request."""

    payment_request: PaymentRequest
    transaction_context: NotRequired[TransactionContext]
    newer_revision: NotRequired[int]
    """The latest revision, if the agent wrote it after the request."""


class NewAgentPayment(TypedDict):
    network: str
    asset: NotRequired[str]
    recipient_id: str
    amount: str
    initiator: Literal["agent", "human"]
    connection_id: str
    policy_id: NotRequired[str]
    idempotency_key: NotRequired[str]
    idempotency_scope: NotRequired[Literal["merchant", "connection"]]
    if_duplicate: NotRequired[Literal["allow", "refuse"]]
    expires_at: NotRequired[str]
    metadata: NotRequired[FreeForm]


class NewIntent(TypedDict):
    """An agent's payment to be evaluated, not made."""

    network: str
    asset: NotRequired[str]
    recipient_id: str
    amount: str
    connection_id: str
    policy_id: NotRequired[str]
    idempotency_key: NotRequired[str]
    expires_at: NotRequired[str]
    metadata: NotRequired[FreeForm]


class PolicyEvaluation(TypedDict):
    permitted: bool
    policy_id: NotRequired[str]
    triggered_thresholds: list[str]
    #: What was left before it; None without a policy.
    remaining: str | None


class SimulatedIntent(TypedDict):
    idempotency_key: str | None
    payment_id: str
    amount: str
    permitted: bool
    was_permitted: bool
    triggered_thresholds: list[str]


class PolicySimulation(TypedDict):
    """What other thresholds would have done with every intent a policy decided."""

    intents: int
    permitted: int
    refused: int
    differences: list[SimulatedIntent]


#: Absent fields stay as they currently are; ``from`` and ``to`` select what is reported.
SimulatedThresholds = TypedDict(
    "SimulatedThresholds",
    {
        "single_tx_limit": str,
        "cumulative_limit": str,
        "valid_from": str,
        "valid_until": str,
        "allowlist": List[str],
        "from": str,
        "to": str,
    },
    total=False,
)


class CatalogueError(TypedDict):
    """One entry of the catalogue at GET /v1/errors."""

    code: str
    status: int
    meaning: str
    recovery: str
    retry: Literal["no", "after_fixing", "after_refresh", "later", "start_again"]
    same_key: bool


class AgentPayment(TypedDict):
    id: str
    status: AgentPaymentStatus
    initiator: Literal["agent", "human"]
    network: str
    asset: str
    amount: str
    connection_id: str
    policy_id: NotRequired[str]
    recipient_id: str
    recipient_version_id: str
    payee: Payee
    payment: PaymentFacts
    idempotency_key: NotRequired[str]
    metadata: NotRequired[FreeForm]
    transaction_hash: NotRequired[str]
    ledger: NotRequired[int]
    reason: NotRequired[str]
    #: As in a payment request.
    withdrawn_by: NotRequired[Literal["agent", "merchant", "service"]]
    withdrawn_reason: NotRequired[str]
    late: NotRequired[LateReport]
    settlement: Settlement | None
    #: As in a payment request.
    contested: bool
    review: NotRequired[Review]
    payment_uri: NotRequired[str | None]
    created_at: str
    expires_at: str
    updated_at: str
    version: int
    is_final: bool


class AgentPayments(TypedDict):
    agent_payments: list[AgentPayment]
    next_cursor: str | None


class NewAutomationPolicy(TypedDict):
    connection_id: str
    network: str
    asset: str
    single_tx_limit: str
    cumulative_limit: str
    valid_from: str
    valid_until: str
    #: Recipient ids.
    allowlist: list[str]
    #: The active policy for the same connection, network and asset that ends with it.
    replaces: NotRequired[str]


class AutomationPolicy(TypedDict):
    id: str
    #: ``declined``, ``replaced`` and ``revoked`` are final.
    status: Literal["awaiting_opt_in", "active", "opted_out", "declined", "replaced", "revoked"]
    connection_id: str
    connection_status: Literal["active", "paused", "revoked"]
    network: str
    asset: str
    single_tx_limit: str
    cumulative_limit: str
    valid_from: str
    valid_until: str
    #: Recipient ids.
    allowlist: list[str]
    #: The total of its payments that may still be paid.
    reserved: str
    #: The total of its payments that were broadcasted or confirmed, late ones included.
    spent: str
    #: What is left of the cumulative limit.
    remaining: str
    #: The policy whose place it took.
    replaces: str | None
    #: The policy that took its place.
    replaced_by: str | None
    opted_in_at: str | None
    created_at: str
    updated_at: str
    version: int


class AutomationPolicies(TypedDict):
    automation_policies: list[AutomationPolicy]
    next_cursor: str | None


class WebhookMessage(TypedDict):
    """What a receiver gets, once its signature is verified."""

    type: str
    timestamp: str
    data: FreeForm


