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
import { type Collection, type Document } from '../../platform/read-model/projection';
import { refuse } from '../../kernel/errors';
import { READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { type SvcRequest } from './request-context';

/** How many of each kind one tenant may have; see the table in docs/api-decisions.md. */
export const MOST = {
  agents: 1_000,
  apiKeys: 200,
  recipients: 1_000,
  policies: 1_000,
  /** Every policy in force is consulted before an agent's payment is refused. */
  policiesOfConnection: 100,
} as const;

type Values = readonly (string | undefined)[];
type Bound = Readonly<{
  collection: Collection<Document>;
  index: string;
  /** The index values to count under; undefined for a value that the request does not name. */
  at: (request: SvcRequest) => readonly Values[];
  most: number;
}>;

const BOUND = 'svc:most-of';

/** Refuses to create more than `most`. Place it above `@Endpoint`, so that it runs for authenticated callers only. */
export function MostOf<D extends Document>(
  collection: Collection<D>,
  most: number,
  index = 'by_merchant',
  at: Bound['at'] = (request) => [[request.caller?.merchant?.merchantId]],
): MethodDecorator {
  const bound: Bound = { collection: collection, index, at, most };
  return (target, key, descriptor) => {
    const before = (Reflect.getMetadata(BOUND, descriptor.value as object) ?? []) as readonly Bound[];
    applyDecorators(SetMetadata(BOUND, [...before, bound]), ...(before.length > 0 ? [] : [UseGuards(MostOfGuard)]))(
      target,
      key,
      descriptor,
    );
  };
}

/** Counted in the read model: concurrent calls may exceed the limit by a few. It bounds cost, not permissions. */
@Injectable()
export class MostOfGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<SvcRequest>();
    for (const { collection, index, at, most } of this.reflector.get<readonly Bound[]>(BOUND, execution.getHandler())) {
      let count = 0;
      for (const equals of at(request)) {
        if (!equals.every((value): value is string => typeof value === 'string')) continue;
        count += await this.readModel.count(collection, index, equals, most);
      }
      if (count >= most) throw refuse('limit_reached', { details: { limit: most } });
    }
    return true;
  }
}
