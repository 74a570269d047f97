import { type CanActivate, createParamDecorator, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { CommandRunner } from '../platform/event-store/run-command';
import { CLOCK, type Clock, timestamp } from '../kernel/clock';
import { isUseWorthRecording } from '../kernel/credential-rules';
import { Refusal, refuse } from '../kernel/errors';
import { subjectOf } from '../platform/secrets/bound-tokens';
import { tokenMatches } from '../platform/secrets/tokens';
import { contextOf, type SvcRequest } from '../http/server/request-context';
import { type ActiveApiKey, apiKeyInUse, NoteApiKeyUse } from './api-key-in-use';
import { isMerchantActive } from './merchant-in-use';
import { type ApiKeyCaller } from '../http/server/callers';

export const API_KEY_HEADER = 'x-svc-api-key';

const CHALLENGE = { 'WWW-Authenticate': `ApiKey realm="svc", header="${API_KEY_HEADER}"` };

/** Admits a merchant's program that holds one of its project API keys. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly commands: CommandRunner,
    private readonly bus: CommandBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    const { key, apiKeyId, merchantId } = await this.holderOf(request);
    request.caller = { actor: { kind: 'api_key', id: apiKeyId }, apiKey: { apiKeyId, merchantId } };
    const at = timestamp(this.clock.now());
    if (isUseWorthRecording(key.usedAt, at)) {
      await this.bus.execute(new NoteApiKeyUse(apiKeyId, at, contextOf(request))).catch((error: unknown) => {
        // Revoked since it was read above.
        if (error instanceof Refusal && error.code === 'invalid_token')
          throw refuse('invalid_token', { headers: CHALLENGE });
        throw error;
      });
    }
    return true;
  }

  /** Finds out who the key belongs to, without admitting the caller. */
  async holderOf({ headers }: SvcRequest): Promise<ApiKeyCaller & Readonly<{ key: ActiveApiKey }>> {
    const token = headers[API_KEY_HEADER];
    if (token === undefined) throw refuse('unauthenticated', { headers: CHALLENGE });
    const secret = typeof token === 'string' ? token : '';
    const apiKeyId = subjectOf('apiKey', 'key', secret) ?? 'key_malformed';
    const { state: known } = await this.commands.fold(apiKeyInUse, apiKeyId);
    if (!tokenMatches(secret, known?.tokenHash) || known === undefined) {
      throw refuse('invalid_token', { headers: CHALLENGE });
    }
    const { state: isActive } = await this.commands.fold(isMerchantActive, known.merchantId);
    if (!isActive) throw refuse('merchant_not_active');
    return { apiKeyId, merchantId: known.merchantId, key: known };
  }
}

/** The verified project of the caller. */
export const ApiKey = createParamDecorator((_: unknown, execution: ExecutionContext): ApiKeyCaller => {
  const { caller } = execution.switchToHttp().getRequest<SvcRequest>();
  if (caller?.apiKey === undefined) throw new Error('ApiKey needs the API key guard');
  return caller.apiKey;
});
