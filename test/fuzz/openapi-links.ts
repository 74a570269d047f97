type Pointers = Readonly<Record<string, string>>;
type Link = Readonly<{ operationId: string; parameters?: Pointers; requestBody?: Pointers; description?: string }>;
type Operation = { operationId?: string; responses: Record<string, { links?: Record<string, Link> }> };
type Operations = Readonly<Record<string, Operation>>;

/** A response that contains ids, and where; every operation below `under` can be called with them next. */
type Source = Readonly<{ from: string; under: string; parameters: Pointers }>;

const sources: readonly Source[] = [
  { from: 'POST /v1/wallet-devices', under: '/v1/wallet-devices', parameters: { id: '/device/device_id' } },
  { from: 'POST /v1/merchant-domains', under: '/v1/merchant-domains', parameters: { id: '/domain/domain_id' } },
  {
    from: 'POST /v1/recipients',
    under: '/v1/recipients',
    parameters: { id: '/recipient/recipient_id', versionId: '/recipient_version/recipient_version_id' },
  },
  { from: 'POST /v1/agents', under: '/v1/agents', parameters: { id: '/agent/agent_id' } },
  {
    from: 'POST /v1/agents/{id}/credentials',
    under: '/v1/agents',
    parameters: { id: '/agent/agent_id', credentialId: '/credential/credential_id' },
  },
  {
    from: 'POST /v1/connect-invitations/claim',
    under: '/v1/connect-invitations',
    parameters: { id: '/connect_invitation/connect_invitation_id' },
  },
  {
    from: 'POST /v1/pairing/sessions',
    under: '/v1/pairing/sessions',
    parameters: { id: '/pairing_session/pairing_session_id', code: '/pairing_session/code' },
  },
  {
    from: 'POST /v1/pairing/sessions/{id}/approve',
    under: '/v1/connections',
    parameters: { id: '/connection/connection_id' },
  },
  {
    from: 'POST /v1/connect-invitations/{id}/exchange',
    under: '/v1/connections',
    parameters: { id: '/connection/connection_id' },
  },
  {
    from: 'POST /v1/transaction-contexts',
    under: '/v1/transaction-contexts',
    parameters: { transactionId: '/transaction_context/transaction_id' },
  },
  {
    from: 'POST /v1/payment-requests',
    under: '/v1/payment-requests',
    parameters: { id: '/payment_request/request_id' },
  },
  { from: 'POST /v1/api-keys', under: '/v1/api-keys', parameters: { id: '/api_key/api_key_id' } },
  { from: 'POST /v1/automation-policies', under: '/v1/automation-policies', parameters: { id: '/data/id' } },
  { from: 'POST /v1/agent-payments', under: '/v1/agent-payments', parameters: { id: '/data/id' } },
  {
    from: 'POST /v1/webhook-endpoints',
    under: '/v1/webhook-endpoints',
    parameters: { id: '/webhook_endpoint/webhook_endpoint_id' },
  },
  {
    from: 'GET /v1/webhook-deliveries',
    under: '/v1/webhook-deliveries',
    parameters: { id: '/webhook_deliveries/0/webhook_delivery_id' },
  },
];

/** What a response provides for the body of a later call. */
const bodies: readonly Readonly<{ from: string; to: string; body: Pointers; parameters?: Pointers }>[] = [
  {
    from: 'POST /v1/merchant-accounts/email-verifications',
    to: 'POST /v1/merchants',
    body: { grant: '/session_grant' },
  },
  {
    from: 'POST /v1/merchant-accounts/email-verifications',
    to: 'POST /v1/merchant-sessions',
    body: { grant: '/session_grant', choice: '/merchants/0/choice' },
  },
  { from: 'POST /v1/merchants', to: 'POST /v1/merchant-sessions', body: { grant: '/next_grant' } },
  { from: 'POST /v1/connect-keys', to: 'POST /v1/connect-invitations/claim', body: { connect_key: '/connect_key' } },
  {
    from: 'POST /v1/recipients',
    to: 'POST /v1/recipients/{id}/verify',
    body: { recipient_version_id: '/recipient_version/recipient_version_id', version: '/recipient/version' },
  },
  {
    from: 'POST /v1/recipients/{id}/verify',
    to: 'POST /v1/recipients/{id}/versions/{versionId}/activate',
    body: {
      evidence_id: '/evidence/evidence_id',
      evidence_digest: '/evidence/evidence_digest',
      version: '/recipient/version',
    },
    parameters: { id: '/recipient/recipient_id', versionId: '/recipient_version/recipient_version_id' },
  },
  { from: 'POST /v1/recipients', to: 'POST /v1/recipients/{id}/versions', body: { version: '/recipient/version' } },
  { from: 'POST /v1/agents', to: 'PATCH /v1/agents/{id}', body: { version: '/agent/version' } },
  {
    from: 'POST /v1/agents/{id}/credentials',
    to: 'POST /v1/agents/{id}/credentials/{credentialId}/activate',
    body: { challenge: '/proof_challenge' },
  },
  {
    from: 'POST /v1/pairing/sessions',
    to: 'POST /v1/pairing/sessions/{id}/approve',
    body: { code: '/pairing_session/code' },
  },
  {
    from: 'POST /v1/automation-policies',
    to: 'PATCH /v1/automation-policies/{id}',
    body: { version: '/data/version' },
  },
  {
    from: 'POST /v1/webhook-endpoints',
    to: 'PATCH /v1/webhook-endpoints/{id}',
    body: { version: '/webhook_endpoint/version' },
  },
];

/** Adds OpenAPI links to the served document: which calls can follow a response, and with which values. */
export function addLinks({ paths }: Readonly<{ paths: object }>): void {
  const operations = new Map<string, Operation>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods as Operations)) {
      operations.set(`${method.toUpperCase()} ${path}`, operation);
    }
  }
  for (const { from, under, parameters } of sources) {
    for (const [to, operation] of operations) {
      const wanted = namesIn(to);
      if (!to.includes(` ${under}/{`) || !wanted.every((name) => name in parameters)) continue;
      const body = bodies.find((entry) => entry.from === from && entry.to === to)?.body;
      const given = Object.entries(parameters).filter(([name]) => wanted.includes(name) || takes(operation, name));
      link(operations, from, to, Object.fromEntries(given), body);
    }
  }
  for (const { from, to, body, parameters = {} } of bodies) {
    const isDone = sources.some((source) => source.from === from && to.includes(` ${source.under}/{`));
    if (!isDone) link(operations, from, to, parameters, body);
  }
}

function link(all: Map<string, Operation>, from: string, to: string, parameters: Pointers, body?: Pointers): void {
  const [source, target] = [all.get(from), all.get(to)];
  const answer = Object.entries(source?.responses ?? {}).find(([status]) => status.startsWith('2'))?.[1];
  if (answer === undefined || target?.operationId === undefined) throw new Error(`no link from ${from} to ${to}`);
  answer.links = {
    ...answer.links,
    [target.operationId]: {
      operationId: target.operationId,
      ...(Object.keys(parameters).length > 0 ? { parameters: expressions(parameters) } : {}),
      ...(body ? { requestBody: expressions(body) } : {}),
    },
  };
}

const namesIn = (route: string): readonly string[] => [...route.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);

const takes = (operation: Operation, name: string): boolean =>
  ((operation as { parameters?: { name: string }[] }).parameters ?? []).some((parameter) => parameter.name === name);

const expressions = (pointers: Pointers): Pointers =>
  Object.fromEntries(Object.entries(pointers).map(([name, pointer]) => [name, `$response.body#${pointer}`]));
