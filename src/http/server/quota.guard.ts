import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Inject,
  Injectable,
  SetMetadata,
  UseGuards,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { givenKey } from '../input/idempotency-key';
import { type Collection, type Document } from '../../platform/read-model/projection';
import { idFor } from '../../kernel/aggregates';
import { refuse } from '../../kernel/errors';
import { type IdPrefix } from '../../kernel/ids';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { type SvcRequest } from './request-context';

/** How many of each kind one tenant may have; see the table in docs/api-decisions.md. */
export const QUOTAS = {
  agents: 1_000,
  apiKeys: 200,
  recipients: 1_000,
  policies: 1_000,
  /** Every policy in force is consulted before an agent's payment is refused. */
  policiesOfConnection: 100,
} as const;

type IndexValues = readonly unknown[];
type QuotaRule = Readonly<{
  collection: Collection<Document>;
  index: string;
  /** The index values to count under; undefined for a value that the request does not name. */
  at: (request: SvcRequest) => readonly IndexValues[];
  limit: number;
  /** Of the ids of what is made. */
  prefix: IdPrefix;
}>;

type KeyedBody = Readonly<{ idempotency_key?: unknown }>;

/** Whose keys the call's idempotency key is one of. */
const holderOf = ({ caller }: SvcRequest): string => caller?.merchant?.merchantId ?? caller?.actor.id ?? '';

const QUOTA = 'svc:quota';

const OF_MERCHANT: QuotaRule['at'] = (request) => [[request.caller?.merchant?.merchantId]];

/**
 * Refuses to create more than `limit`; repeating a call under its key creates nothing. Place it above `@Endpoint`, so
 * that it runs for authenticated callers only.
 */
export function Quota<D extends Document>(
  collection: Collection<D>,
  limit: number,
  prefix: IdPrefix,
  index = 'by_merchant',
  at: QuotaRule['at'] = OF_MERCHANT,
): MethodDecorator {
  const rule: QuotaRule = { collection: collection, index, at, limit, prefix };
  return (target, key, descriptor) => {
    const before = (Reflect.getMetadata(QUOTA, descriptor.value as object) ?? []) as readonly QuotaRule[];
    applyDecorators(SetMetadata(QUOTA, [...before, rule]), ...(before.length > 0 ? [] : [UseGuards(QuotaGuard)]))(
      target,
      key,
      descriptor,
    );
  };
}

/** Counted in the read model: concurrent calls may exceed the limit by a few. It bounds cost, not permissions. */
@Injectable()
export class QuotaGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    for (const { collection, index, at, limit, prefix } of this.reflector.get<readonly QuotaRule[]>(
      QUOTA,
      execution.getHandler(),
    )) {
      let count = 0;
      for (const equals of at(request)) {
        // What a body names may be of any type: it is checked after this.
        if (!equals.every((value): value is string | true => typeof value === 'string' || value === true)) continue;
        count += await this.readModel.count(collection, index, equals, limit);
      }
      if (count < limit) continue;
      const { key } = givenKey(request.headers, (request.body as KeyedBody | undefined)?.idempotency_key);
      const made =
        key === undefined
          ? undefined
          : await this.readModel.get(collection, idFor.underKey(prefix, holderOf(request), key));
      if (made === undefined) throw refuse('limit_reached', { details: { limit } });
    }
    return true;
  }
}
