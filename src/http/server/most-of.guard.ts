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

/** How many of something one tenant may have; docs/api-decisions.md has the table. */
export const MOST = {
  agents: 1_000,
  apiKeys: 200,
  recipients: 1_000,
  policies: 1_000,
  /** Each that is in force is asked before an agent's payment is refused. */
  policiesOfConnection: 100,
} as const;

type Values = readonly (string | undefined)[];
type Bound = Readonly<{
  collection: Collection<Document>;
  index: string;
  /** Where in the index; undefined for a part that the request does not name. */
  at: (request: SvcRequest) => readonly Values[];
  most: number;
}>;

const BOUND = 'svc:most-of';

/** Refuses one more where there are so many already. Stands above `@Endpoint`, so that it is asked about known callers only. */
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

/** Counted in the read model: of many at once a few may come in beyond the bound, which is there for cost and not for rights. */
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
