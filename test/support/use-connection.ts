import { type ExecutionContext } from '@nestjs/common';
import { ConnectionGuard, NeedsScope } from '../../src/access/connection.guard';
import { type Scope } from '../../src/kernel/scopes';
import { type Caller } from '../../src/http/server/request-context';
import { Refusal } from '../../src/kernel/errors';
import { type TestService } from './service';

type Service = Pick<TestService, 'app'>;

/**
 * How the guard of every connection route judges a token: the caller it lets through, or its refusal. Called directly,
 * so that the result does not depend on which routes exist.
 */
export async function askGuard(
  { app }: Service,
  token: string | undefined,
  scope: Scope = 'payment.requests.read',
): Promise<Caller | Refusal> {
  const request: { headers: object; caller?: Caller } = {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  };
  const handler = (): void => undefined;
  NeedsScope(scope)({}, 'handler', { value: handler });
  const execution = { switchToHttp: () => ({ getRequest: () => request }), getHandler: () => handler };
  try {
    await app.get(ConnectionGuard).canActivate(execution as unknown as ExecutionContext);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  if (request.caller === undefined) throw new Error('let through without a caller');
  return request.caller;
}

/** `accepted`, or the code of the refusal. */
export async function useConnection(service: Service, token: string | undefined, scope?: Scope): Promise<string> {
  const answer = await askGuard(service, token, scope);
  return answer instanceof Refusal ? answer.code : 'accepted';
}
