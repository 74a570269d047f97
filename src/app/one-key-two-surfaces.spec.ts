import {
  agentPayment,
  type AgentPaymentCommand,
  type AgentPaymentState,
} from '../capabilities/agent-payments/agent-payment';
import { forgo, payment } from '../capabilities/agent-payments/agent-payment.fixtures';
import {
  paymentRequest,
  type PaymentRequestCommand,
  type PaymentRequestState,
} from '../capabilities/payment-requests/payment-request';
import { creation, takeKey } from '../capabilities/payment-requests/payment-request.fixtures';
import { Refusal } from '../kernel/errors';

/** The two streams that a shared key leads to. Each step of a call reads and appends at one of them, which nothing comes between. */
class Log {
  request: PaymentRequestState = paymentRequest.initial;
  payment: AgentPaymentState = agentPayment.initial;
  made = 0;

  onRequest(command: PaymentRequestCommand): PaymentRequestState {
    const events = paymentRequest.decide(command, this.request);
    this.made += events.filter(({ type }) => type === 'PaymentRequestCreated').length;
    return (this.request = events.reduce((state, event) => paymentRequest.evolve(state, event), this.request));
  }

  onPayment(command: AgentPaymentCommand): AgentPaymentState {
    const events = agentPayment.decide(command, this.payment);
    this.made += events.filter(({ type }) => type === 'AgentPaymentCreated').length;
    return (this.payment = events.reduce((state, event) => agentPayment.evolve(state, event), this.payment));
  }
}

type Steps = Generator<void, 'made' | 'refused'>;

/** As RequestPlaces goes about it. */
function* requesting(log: Log): Steps {
  const create = { kind: 'create', by: 'key', created: creation } as const;
  const first = log.onRequest(create);
  if (first.kind !== 'taken') return 'made';
  yield;
  if (log.onPayment(forgo).kind !== 'forgone') return 'refused';
  yield;
  log.onRequest({ ...create, over: first.paymentId });
  return 'made';
}

/** As CreateAgentPayment goes about it; `permitted` is what a policy says. */
function* paying(log: Log, permitted = true): Steps {
  try {
    log.onRequest(takeKey);
  } catch (error) {
    if (error instanceof Refusal) return 'refused';
    throw error;
  }
  yield;
  if (!permitted) return 'refused';
  return log.onPayment({ kind: 'create', created: payment }).kind === 'payment' ? 'made' : 'refused';
}

const CALLS = {
  request: (log: Log) => requesting(log),
  payment: (log: Log) => paying(log),
  'refused payment': (log: Log) => paying(log, false),
} as const;
type Call = keyof typeof CALLS;

/** Every order in which the steps of these calls can follow each other, each call ending at any step as if its process had died. */
function explore(calls: readonly Call[], check: (log: Log, ends: readonly string[]) => void): number {
  let seen = 0;
  const follow = (order: readonly number[]): void => {
    const log = new Log();
    const running = calls.map((call) => CALLS[call](log));
    const ends: string[] = calls.map(() => 'died');
    for (const at of order) {
      const { done, value } = running[at]?.next() ?? { done: true, value: undefined };
      if (done && value) ends[at] = value;
    }
    seen += 1;
    check(log, ends);
    calls.forEach((_, at) => {
      const steps = order.filter((one) => one === at).length;
      if (ends[at] === 'died' && steps < 3) follow([...order, at]);
    });
  };
  follow([]);
  return seen;
}

describe('one key for payment requests and agent payments', () => {
  const kinds = Object.keys(CALLS) as Call[];
  const pairs = kinds.flatMap((one) => kinds.map((other): [Call, Call] => [one, other]));
  const threes = pairs.flatMap(([one, other]) => kinds.map((third): [Call, Call, Call] => [one, other, third]));

  it('makes at most one payment of any three calls, in whatever order', () => {
    const wrong: string[] = [];
    for (const calls of threes) {
      const seen = explore(calls, ({ made }, ends) => {
        // A caller that is told "made" can also read that payment.
        if (made > 1 || (ends.includes('made') && made === 0)) wrong.push(`${calls.join()}: ${made}, ${ends.join()}`);
      });
      expect(seen).toBeGreaterThan(10);
    }
    expect(wrong).toEqual([]);
  });

  it('never deadlocks: after any three calls a request can be made, or a payment exists', () => {
    const wrong: string[] = [];
    for (const calls of threes) {
      explore(calls, (log) => {
        const rest = requesting(log);
        while (!rest.next().done);
        if (log.made !== 1) wrong.push(`${calls.join()}: ${log.made}`);
      });
    }
    expect(wrong).toEqual([]);
  });
});
