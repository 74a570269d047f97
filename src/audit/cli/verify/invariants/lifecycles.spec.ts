import { type EventType } from '../../../../events';
import { categoryOfEvent } from '../../../../events/category-of-event';
import { type RecordedEvent } from '../../../../platform/event-store/event-store.port';
import { LIFECYCLE_STEPS } from './lifecycle-steps';
import { lifecycles } from './lifecycles';
import { saidBy } from './said.fixtures';

type Given = EventType | readonly [EventType, object];

/** What verify says of a stream `x` with these events. */
const said = (...given: readonly Given[]) =>
  saidBy(
    lifecycles,
    given.map((one, index) => {
      const [type, data] = typeof one === 'string' ? [one, {}] : one;
      return { type, data, stream: `${categoryOfEvent(type)}-x`, version: index + 1 } as unknown as RecordedEvent;
    }),
  );

const version = (type: EventType, id = 'rcv_1') => [type, { recipient_version_id: id }] as const;
const credential = (type: EventType, id = 'crd_1') => [type, { credential_id: id }] as const;
const domain = (type: EventType, id = 'dom_1') => [type, { domain_id: id }] as const;
const status = (to: string) => ['AgentStatusChanged', { status: to }] as const;
const attempt = (outcome: string) => ['WebhookDeliveryAttempted', { outcome }] as const;

const honest: readonly (readonly Given[])[] = [
  ['ConnectionCreated', 'ConnectionPaused', 'ConnectionResumed', 'ConnectionPaused', 'ConnectionRevoked'],
  ['ConnectionCreated', 'ConnectionRevoked', 'ConnectionTokenHandedOver'],
  ['ConnectKeyIssued', 'ConnectInvitationClaimed', 'ConnectInvitationApproved', 'ConnectInvitationExchanged'],
  ['ConnectKeyIssued', 'ConnectInvitationClaimed', 'ConnectInvitationApproved', 'ConnectInvitationExpired'],
  ['PairingSessionStarted', 'PairingCodeMissed', 'PairingSessionApproved', 'PairingTokenCollected'],
  [
    'RecipientCreated',
    version('RecipientVersionAdded'),
    version('RecipientVersionVerified'),
    version('RecipientVersionActivated'),
    version('RecipientVersionAdded', 'rcv_2'),
    version('RecipientVersionVerified', 'rcv_2'),
    version('RecipientVersionActivated', 'rcv_2'),
    version('RecipientVersionActivated'),
  ],
  [
    'AgentCreated',
    credential('AgentCredentialRegistered'),
    credential('AgentCredentialProofFailed'),
    credential('AgentCredentialActivated'),
    status('active'),
    status('revoked'),
    credential('AgentCredentialRevoked'),
    credential('AgentCredentialRevoked'),
  ],
  [
    'MerchantCreated',
    domain('MerchantDomainRegistered'),
    domain('MerchantDomainRegistered'),
    domain('MerchantDomainVerified'),
    'MerchantActivated',
    domain('MerchantDomainRegistered', 'dom_2'),
    domain('MerchantDomainVerified', 'dom_2'),
    'MerchantRenamed',
  ],
  ['AutomationPolicyCreated', 'AutomationPolicyOptedOut', 'AutomationPolicyOptedIn', 'AutomationPolicyRevoked'],
  ['PaymentRequestKeyTaken', 'PaymentRequestCreated', 'PaymentRequestSettlementCheckRequested'],
  ['PaymentRequestKeyTaken', 'PaymentRequestKeyAssigned'],
  ['AgentPaymentRefused', 'AgentPaymentRefused', 'AgentPaymentCreated'],
  ['AgentPaymentRefused', 'AgentPaymentForgone'],
  [
    'WebhookEndpointCreated',
    'WebhookEndpointVerified',
    ['WebhookEndpointChanged', { needs_verification: false }],
    'WebhookEndpointRecoveryRequested',
    'WebhookEndpointDisabled',
    'WebhookEndpointEnabled',
    ['WebhookEndpointChanged', { needs_verification: true }],
    'WebhookEndpointDisabled',
    'WebhookEndpointVerified',
    'WebhookEndpointDeleted',
  ],
  ['WebhookDeliveryOpened', attempt('retry'), attempt('failed'), 'WebhookDeliveryRequeued', attempt('succeeded')],
];

const wrong: readonly (readonly [Given, string, readonly Given[]])[] = [
  ['ConnectionResumed', 'x was revoked before it', ['ConnectionCreated', 'ConnectionRevoked']],
  ['ConnectionCreated', 'x was active before it', ['ConnectionCreated']],
  ['ConnectInvitationApproved', 'x was expired before it', ['ConnectKeyIssued', 'ConnectInvitationExpired']],
  ['ConnectInvitationApproved', 'x was issued before it', ['ConnectKeyIssued']],
  ['ConnectInvitationExchanged', 'x was claimed before it', ['ConnectKeyIssued', 'ConnectInvitationClaimed']],
  ['PairingSessionApproved', 'x was rejected before it', ['PairingSessionStarted', 'PairingSessionRejected']],
  ['PairingTokenCollected', 'x was pending before it', ['PairingSessionStarted']],
  [
    version('RecipientVersionAdded'),
    'rcv_1 was added before it',
    ['RecipientCreated', version('RecipientVersionAdded')],
  ],
  [
    version('RecipientVersionActivated'),
    'rcv_1 was added before it',
    ['RecipientCreated', version('RecipientVersionAdded')],
  ],
  [version('RecipientVersionActivated', 'rcv_2'), 'rcv_2 was not there before it', ['RecipientCreated']],
  ['RecipientCreated', 'x was created before it', ['RecipientCreated']],
  [version('RecipientVersionAdded'), 'x was not there before it', []],
  [status('active'), 'x was revoked before it', ['AgentCreated', status('revoked')]],
  [credential('AgentCredentialRegistered'), 'x was revoked before it', ['AgentCreated', status('revoked')]],
  [
    credential('AgentCredentialActivated'),
    'crd_1 was revoked before it',
    ['AgentCreated', credential('AgentCredentialRegistered'), credential('AgentCredentialRevoked')],
  ],
  [domain('MerchantDomainVerified'), 'dom_1 was not there before it', ['MerchantCreated']],
  [
    'MerchantActivated',
    'x was active before it',
    ['MerchantCreated', domain('MerchantDomainRegistered'), domain('MerchantDomainVerified'), 'MerchantActivated'],
  ],
  ['AutomationPolicyOptedIn', 'x was revoked before it', ['AutomationPolicyCreated', 'AutomationPolicyRevoked']],
  ['AgentPaymentForgone', 'x was created before it', ['AgentPaymentCreated']],
  ['AgentPaymentCreated', 'x was forgone before it', ['AgentPaymentForgone']],
  ['AgentPaymentRefused', 'x was created before it', ['AgentPaymentCreated']],
  ['PaymentRequestCreated', 'x was assigned before it', ['PaymentRequestKeyAssigned']],
  ['PaymentRequestCreated', 'x was created before it', ['PaymentRequestCreated']],
  ['PaymentRequestKeyTaken', 'x was created before it', ['PaymentRequestCreated']],
  ['SessionUsed', 'x was ended before it', ['SessionOpened', 'SessionEnded']],
  ['ApiKeyUsed', 'x was revoked before it', ['ApiKeyCreated', 'ApiKeyRevoked']],
  ['WalletDeviceTokenRotated', 'x was removed before it', ['WalletDeviceRegistered', 'WalletDeviceRemoved']],
  ['EmailLinkSpent', 'x was not there before it', []],
  ['WebhookEndpointEnabled', 'x was deleted before it', ['WebhookEndpointCreated', 'WebhookEndpointDeleted']],
  ['WebhookEndpointEnabled', 'x was pending before it', ['WebhookEndpointCreated']],
  [
    'WebhookEndpointEnabled',
    'x was disabled unverified before it',
    [
      'WebhookEndpointCreated',
      'WebhookEndpointVerified',
      ['WebhookEndpointChanged', { needs_verification: true }],
      'WebhookEndpointDisabled',
    ],
  ],
  [attempt('succeeded'), 'x was succeeded before it', ['WebhookDeliveryOpened', attempt('succeeded')]],
  ['WebhookRewindCancelled', 'x was cancelled before it', ['WebhookRewindRequested', 'WebhookRewindCancelled']],
];

describe('what verify says of what happened to something', () => {
  it.each(honest)('finds nothing from %j on', async (...events) => {
    expect(await said(...events)).toEqual([]);
  });

  it.each(wrong)('finds %j: %s', async (event, what, before) => {
    expect(await said(...before)).toEqual([]);
    expect(await said(...before, event)).toEqual([what]);
  });

  it('lets next to nothing happen after an end', () => {
    const types = Object.keys(LIFECYCLE_STEPS) as EventType[];
    const ended = ['revoked', 'removed', 'rejected', 'expired', 'deleted', 'cancelled', 'forgone', 'assigned', 'ended'];
    const afterEnd = types.filter((type) => LIFECYCLE_STEPS[type]?.from.some((state) => ended.includes(state)));
    // A token that no longer works is handed over, and a rotated credential turns out to be compromised.
    expect(afterEnd).toEqual(['AgentCredentialRevoked', 'ConnectionTokenHandedOver']);
  });
});
