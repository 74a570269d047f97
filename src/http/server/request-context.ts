import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { type Actor } from '../../platform/event-store/event-store.port';
import { type Moment } from '../../platform/event-store/run-command';
import { newId } from '../../kernel/ids';
import { isPrivateKey } from '../input/private-keys';
import { type AgentCaller } from './callers';
import { type ApiKeyCaller } from './callers';
import { type ClaimCaller } from './callers';
import { type ConnectionCaller } from './callers';
import { type MerchantCaller } from './callers';

/** The caller as the verified credential identifies it, never as the request claims. */
export type Caller = Readonly<{
  actor: Actor;
  merchant?: MerchantCaller;
  agent?: AgentCaller;
  connection?: ConnectionCaller;
  claim?: ClaimCaller;
  apiKey?: ApiKeyCaller;
}>;

export type SvcRequest = Request & {
  requestId: string;
  startedAt: bigint;
  bodyBytes?: number;
  caller?: Caller;
  /** A log position that was looked up for this call: later checks are at least as fresh. */
  moment?: Moment;
};

const REQUEST_ID = /^[\x21-\x7e]{1,160}$/;

/** The caller's own id if it is valid, so that both sides find the same call in their logs. */
export const requestIdFrom = (given: string | string[] | undefined): string =>
  typeof given === 'string' && REQUEST_ID.test(given) && !isPrivateKey(given) ? given : newId('req');

const ANONYMOUS: Actor = { kind: 'anonymous', id: 'anonymous' };

export const contextOf = (request: SvcRequest): CommandContext => ({
  requestId: request.requestId,
  actor: request.caller?.actor ?? ANONYMOUS,
});

/** What a handler needs to know about the call it serves. */
export const Context = createParamDecorator((_: unknown, execution: ExecutionContext): CommandContext =>
  contextOf(execution.switchToHttp().getRequest<SvcRequest>()),
);
