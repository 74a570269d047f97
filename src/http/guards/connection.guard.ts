import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { refuse } from '../../kernel/errors';
import { type SvcRequest } from '../request-context';

export const SCOPES = [
  'payment.requests.create',
  'payment.requests.read',
  'transaction_contexts.create',
  'transaction_contexts.read',
] as const;
export type Scope = (typeof SCOPES)[number];

export type ConnectionCaller = Readonly<{
  connectionId: string;
  deviceId: string;
  agentId: string;
  agentName: string;
  merchantId: string;
  merchantName: string;
  merchantDomain: string;
  /** What the connection may do now: granted by the wallet and still allowed to the agent. */
  scopes: readonly string[];
}>;

const NEEDED = 'svc:scope';
export const NeedsScope = (scope: Scope) => SetMetadata(NEEDED, scope);

/** Lets a connected agent through that holds the connection's current token and the route's scope. */
@Injectable()
export class ConnectionGuard implements CanActivate {
  canActivate(_execution: ExecutionContext): boolean {
    throw refuse('unauthenticated');
  }
}

/** The verified connection of the caller. */
export const Connection = createParamDecorator((_: unknown, execution: ExecutionContext): ConnectionCaller => {
  const { caller } = execution.switchToHttp().getRequest<SvcRequest>();
  if (caller?.connection === undefined) throw new Error('Connection needs the connection guard');
  return caller.connection;
});
