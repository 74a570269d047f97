import { type OnModuleDestroy } from '@nestjs/common';
import { Inject, Injectable } from '../../platform/injection';
import { CONFIG, type Config } from '../../platform/config';
import { type DestinationProblem, type EgressPolicy, parseDestination } from '../../platform/egress/destination';
import { createEgressPool } from '../../platform/egress/egress-pool';
import { guardedRequest, type GuardedResponse } from '../../platform/egress/guarded-http';
import { cacheAddresses } from '../../platform/egress/cache-addresses';
import { createResolver, type Resolver } from '../../platform/egress/resolver';
import { WINDOW } from './send-window';
import { signatureHeaders, WebhookSecrets } from './signing';
import { type KnownEndpoint } from './webhook-endpoint';
import { type EndpointId } from '../../kernel/aggregates';

export type Message = Readonly<{
  endpointId: EndpointId;
  endpoint: KnownEndpoint;
  messageId: string;
  body: string;
  /** In the merchant's feed, for messages that appear there. */
  cursor?: number | null;
  at: Date;
  timeoutMs: number;
  maxResponseBytes: number;
  signal?: AbortSignal;
  stillWanted?: () => boolean;
}>;

/** Signs a message and posts it through the guard that keeps merchants' URLs away from private networks. */
@Injectable()
export class WebhookSender implements OnModuleDestroy {
  /** A burst may use the whole window, and over TLS a new connection costs several times what a request does. */
  private readonly pool = createEgressPool({ maxIdlePerEndpoint: WINDOW.largest });
  private readonly resolver: Resolver;
  private readonly policy: EgressPolicy;

  constructor(
    @Inject(CONFIG) { dnsServers, allowPrivateNetworks, baseUrl }: Config,
    private readonly secrets: WebhookSecrets,
  ) {
    this.resolver = cacheAddresses(createResolver({ servers: dnsServers }));
    this.policy = { allowPrivateNetworks, ownHosts: [new URL(baseUrl).hostname] };
  }

  onModuleDestroy(): void {
    this.pool.close();
  }

  /** What is wrong with a URL before its address is resolved. */
  problemWith(url: string): DestinationProblem | undefined {
    const parsed = parseDestination(url, this.policy);
    return parsed.ok ? undefined : parsed.problem;
  }

  /** Throws EgressError if there is no response. */
  send({ endpointId, endpoint, messageId, body, cursor = null, at, ...limits }: Message): Promise<GuardedResponse> {
    const bytes = Buffer.from(body);
    const keys = this.secrets.signingNow(endpointId, endpoint, at);
    return guardedRequest({
      ...limits,
      url: endpoint.url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'svc-webhooks/1',
        ...signatureHeaders(keys, messageId, at, bytes),
        ...(cursor === null ? {} : { 'webhook-cursor': String(cursor) }),
      },
      body: bytes,
      policy: this.policy,
      resolver: this.resolver,
      reuse: { pool: this.pool, endpointKey: endpointId },
    });
  }
}

/** What a response's status says went wrong, in the terms shared by verifications and deliveries. */
export function errorKindOf(status: number): 'redirect_not_followed' | 'bad_status' | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? 'redirect_not_followed' : 'bad_status';
}
