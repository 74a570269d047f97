import {
  type Call,
  type CallOptions,
  type ClientOptions,
  type KeyedOptions,
  making,
  nobody,
  path,
  type Proof,
  Transport,
} from './transport.ts';
import {
  type AgentPayment,
  type AgentPaymentFilters,
  type AgentPayments,
  type AutomationPolicies,
  type AutomationPolicyWithPayees,
  type NewAutomationPolicy,
  type PolicySimulation,
  type SimulatedThresholds,
  type Thresholds,
} from './types/agent-payment.ts';
import { type NextCursor, type Page } from './types/common.ts';
import {
  type ConnectInvitation,
  type Connection,
  type OpenedConnection,
  type PairingSession,
  type WalletDevice,
} from './types/connect.ts';
import {
  type PaymentRequest,
  type PaymentStatus,
  type RequestWithContext,
  type StatusReport,
} from './types/payment.ts';
import { type DeviceEventPage } from './types/review.ts';

export type WalletClientOptions = ClientOptions & Readonly<{ deviceId: string; deviceToken: string }>;

/** Two merchants may use the same request id; the connection says which one is meant. */
export type RequestCallOptions = CallOptions & Readonly<{ connectionId?: string }>;

/**
 * With a random id of the rotation, such as a UUID, that was stored before: if the response is lost, the same call returns
 * the new token again for ten minutes. Without one, a lost response loses the device.
 */
export type RotationOptions = CallOptions & Readonly<{ rotationId?: string }>;

export type RegisteredWallet = Readonly<{ wallet: WalletClient; device: WalletDevice; device_token: string }>;

/** What a person's wallet does: decide who may ask, review requests, and report their outcome. It signs elsewhere. */
export class WalletClient {
  readonly deviceId: string;
  readonly #transport: Transport;
  #deviceToken: string;

  constructor(options: WalletClientOptions) {
    this.#transport = new Transport(options);
    this.deviceId = options.deviceId;
    this.#deviceToken = options.deviceToken;
  }

  /** Registers a new device. Keep its id and token: the token is not shown again. */
  static async register(
    options: ClientOptions,
    input: Readonly<{ name: string; platform?: string }>,
  ): Promise<RegisteredWallet> {
    const call: Call = { method: 'POST', path: '/v1/wallet-devices', body: input };
    const { body } = await new Transport(options).send<{ device: WalletDevice; device_token: string }>(call, nobody);
    const { device, device_token: deviceToken } = body;
    const wallet = new WalletClient({ ...options, deviceId: device.device_id, deviceToken });
    return { wallet, device, device_token: deviceToken };
  }

  async readDevice(options?: CallOptions): Promise<WalletDevice> {
    return (await this.#get<{ device: WalletDevice }>(path`/v1/wallet-devices/${this.deviceId}`, {}, options)).device;
  }

  /** Returns the new token, which this client uses from then on; the old one stops working at once. */
  async rotateDeviceToken({ rotationId, ...options }: RotationOptions = {}): Promise<string> {
    const place = path`/v1/wallet-devices/${this.deviceId}/rotate-token`;
    const body = rotationId === undefined ? {} : { rotation_id: rotationId };
    const { device_token } = await this.#post<{ device_token: string }>(place, body, options);
    this.#deviceToken = device_token;
    return device_token;
  }

  /** One page of this device's events after `since`; `wait` holds back an empty response for that many seconds. */
  pollDeviceEvents(
    query: Readonly<{ since?: number; limit?: number; wait?: number }> = {},
    options: CallOptions = {},
  ): Promise<DeviceEventPage> {
    const timeoutMs = options.timeoutMs ?? 30_000 + (query.wait ?? 0) * 1000;
    return this.#get<DeviceEventPage>(path`/v1/wallet-devices/${this.deviceId}/events`, query, {
      ...options,
      timeoutMs,
    });
  }

  /** The same as a stream that stays open; see `followStream`. */
  openDeviceEvents(since: number, signal: AbortSignal): Promise<Response> {
    const call: Call = { method: 'GET', path: path`/v1/wallet-devices/${this.deviceId}/events`, query: { since } };
    return this.#transport.open(call, this.#proof(), signal);
  }

  /** Removes the device and revokes its connections. */
  async removeDevice(options?: CallOptions): Promise<WalletDevice> {
    const call: Call = { method: 'DELETE', path: path`/v1/wallet-devices/${this.deviceId}`, options };
    return (await this.#send<{ device: WalletDevice }>(call)).device;
  }

  /** A key for one agent, which the person must hand over within ten minutes. */
  createConnectKey(input: Readonly<{ label?: string }> = {}, options?: KeyedOptions) {
    type Made = Readonly<{ connect_key: string; expires_at: string }>;
    return this.#send<Made>(making('/v1/connect-keys', input, options));
  }

  listInvitations(query: Page = {}, options?: CallOptions) {
    type Invitations = NextCursor & Readonly<{ connect_invitations: readonly ConnectInvitation[] }>;
    return this.#get<Invitations>('/v1/connect-invitations', query, options);
  }

  async readInvitation(id: string, options?: CallOptions): Promise<ConnectInvitation> {
    const place = path`/v1/connect-invitations/${id}`;
    return (await this.#get<{ connect_invitation: ConnectInvitation }>(place, {}, options)).connect_invitation;
  }

  /** `scopes` may be fewer than requested, never more. */
  approveInvitation(id: string, input: Readonly<{ scopes?: readonly string[] }> = {}, options?: CallOptions) {
    type Approved = Readonly<{ connect_invitation: ConnectInvitation; connection: Connection }>;
    return this.#post<Approved>(path`/v1/connect-invitations/${id}/approve`, input, options);
  }

  async rejectInvitation(id: string, options?: CallOptions): Promise<ConnectInvitation> {
    const place = path`/v1/connect-invitations/${id}/reject`;
    return (await this.#post<{ connect_invitation: ConnectInvitation }>(place, {}, options)).connect_invitation;
  }

  async readPairing(id: string, code: string, options?: CallOptions): Promise<PairingSession> {
    const place = path`/v1/pairing/sessions/${id}`;
    return (await this.#get<{ pairing_session: PairingSession }>(place, { code }, options)).pairing_session;
  }

  /** The session waiting under the code a person typed. */
  async findPairing(code: string, options?: CallOptions): Promise<PairingSession> {
    return (await this.#get<{ pairing_session: PairingSession }>('/v1/pairing/sessions', { code }, options))
      .pairing_session;
  }

  approvePairing(id: string, input: Readonly<{ code: string; scopes?: readonly string[] }>, options?: CallOptions) {
    return this.#post<OpenedConnection>(path`/v1/pairing/sessions/${id}/approve`, input, options);
  }

  async rejectPairing(id: string, code: string, options?: CallOptions): Promise<PairingSession> {
    const place = path`/v1/pairing/sessions/${id}/reject`;
    return (await this.#post<{ pairing_session: PairingSession }>(place, { code }, options)).pairing_session;
  }

  listConnections(query: Page = {}, options?: CallOptions) {
    return this.#get<NextCursor & Readonly<{ connections: readonly Connection[] }>>('/v1/connections', query, options);
  }

  async readConnection(id: string, options?: CallOptions): Promise<Connection> {
    return (await this.#get<{ connection: Connection }>(path`/v1/connections/${id}`, {}, options)).connection;
  }

  /** `paused` stops the agent until it is `active` again. */
  async changeConnection(id: string, status: 'active' | 'paused', options?: CallOptions): Promise<Connection> {
    const call: Call = { method: 'PATCH', path: path`/v1/connections/${id}`, body: { status }, options };
    return (await this.#send<{ connection: Connection }>(call)).connection;
  }

  /** Final. */
  async revokeConnection(id: string, options?: CallOptions): Promise<Connection> {
    const call: Call = { method: 'DELETE', path: path`/v1/connections/${id}`, options };
    return (await this.#send<{ connection: Connection }>(call)).connection;
  }

  rotateConnectionToken(id: string, options?: CallOptions) {
    return this.#post<OpenedConnection>(path`/v1/connections/${id}/rotate-token`, {}, options);
  }

  listPaymentRequests(query: Page & Readonly<{ status?: PaymentStatus }> = {}, options?: CallOptions) {
    type Requests = NextCursor & Readonly<{ payment_requests: readonly PaymentRequest[] }>;
    return this.#get<Requests>('/v1/payment-requests', query, options);
  }

  /** With the context the agent had written when it asked; `newer_revision` if it has written another one since. */
  readPaymentRequest(id: string, options?: RequestCallOptions) {
    const query = { connection_id: options?.connectionId };
    return this.#get<RequestWithContext>(path`/v1/payment-requests/${id}`, query, options);
  }

  /** Repeating the same report changes nothing, so it is safe to retry. */
  async reportPaymentRequest(id: string, report: StatusReport, options?: RequestCallOptions): Promise<PaymentRequest> {
    const place = path`/v1/payment-requests/${id}/status`;
    const which = options?.connectionId === undefined ? {} : { connection_id: options.connectionId };
    return (await this.#post<{ payment_request: PaymentRequest }>(place, { ...report, ...which }, options))
      .payment_request;
  }

  async listPolicies(query: Page = {}, options?: CallOptions): Promise<AutomationPolicies> {
    return (await this.#get<{ data: AutomationPolicies }>('/v1/automation-policies', query, options)).data;
  }

  async readPolicy(id: string, options?: CallOptions): Promise<AutomationPolicyWithPayees> {
    return (await this.#get<{ data: AutomationPolicyWithPayees }>(path`/v1/automation-policies/${id}`, {}, options))
      .data;
  }

  /**
   * For one of the wallet's own connections, with thresholds the person chose: in force at once. One policy at a time
   * is active for a connection, network and asset; `replaces` names the one that ends with it.
   */
  async createPolicy(input: NewAutomationPolicy, options?: KeyedOptions): Promise<AutomationPolicyWithPayees> {
    const call = making('/v1/automation-policies', input, options);
    return (await this.#send<{ data: AutomationPolicyWithPayees }>(call)).data;
  }

  /**
   * Agrees to the policy as read: send its `version` and the `recipient_version_id` of each payee that was shown, so
   * that a later change is not agreed to by accident. Given thresholds replace the proposed ones, and may only be
   * tighter. Opt in again after one of its payees has changed. `replaces` names the active policy that ends with it.
   */
  async optIn(
    id: string,
    input: Readonly<{ version?: number; recipient_version_ids?: readonly string[]; replaces?: string }> &
      Partial<Thresholds> = {},
    options?: CallOptions,
  ): Promise<AutomationPolicyWithPayees> {
    const place = path`/v1/automation-policies/${id}/opt-in`;
    return (await this.#post<{ data: AutomationPolicyWithPayees }>(place, input, options)).data;
  }

  /** What other thresholds would have done with every intent this policy decided, before agreeing to them. */
  async simulatePolicy(id: string, input: SimulatedThresholds, options?: CallOptions): Promise<PolicySimulation> {
    const place = path`/v1/automation-policies/${id}/simulate`;
    return (await this.#post<{ data: PolicySimulation }>(place, input, options)).data;
  }

  async optOut(id: string, options?: CallOptions): Promise<AutomationPolicyWithPayees> {
    const place = path`/v1/automation-policies/${id}/opt-out`;
    return (await this.#post<{ data: AutomationPolicyWithPayees }>(place, {}, options)).data;
  }

  /** Turns a proposal down for good; the merchant may propose another. */
  async declinePolicy(id: string, options?: CallOptions): Promise<AutomationPolicyWithPayees> {
    const place = path`/v1/automation-policies/${id}/decline`;
    return (await this.#post<{ data: AutomationPolicyWithPayees }>(place, {}, options)).data;
  }

  async listAgentPayments(query: Page & AgentPaymentFilters = {}, options?: CallOptions): Promise<AgentPayments> {
    return (await this.#get<{ data: AgentPayments }>('/v1/agent-payments', query, options)).data;
  }

  async readAgentPayment(id: string, options?: CallOptions): Promise<AgentPayment> {
    return (await this.#get<{ data: AgentPayment }>(path`/v1/agent-payments/${id}`, {}, options)).data;
  }

  async reportAgentPayment(id: string, report: StatusReport, options?: CallOptions): Promise<AgentPayment> {
    return (await this.#post<{ data: AgentPayment }>(path`/v1/agent-payments/${id}/status`, report, options)).data;
  }

  #get<T>(place: string, query: Call['query'], options: CallOptions | undefined): Promise<T> {
    return this.#send<T>({ method: 'GET', path: place, query, options });
  }

  #post<T>(place: string, body: object, options: CallOptions | undefined): Promise<T> {
    return this.#send<T>({ method: 'POST', path: place, body, options });
  }

  /** Sent in a header, never in the query: URLs end up in logs. */
  async #send<T>(call: Call): Promise<T> {
    return (await this.#transport.send<T>(call, this.#proof())).body;
  }

  #proof(): Proof {
    return { headers: { authorization: `Device ${this.deviceId}:${this.#deviceToken}` } };
  }
}
