import { setMaxListeners } from 'node:events';
import { AppendGate } from './append-gate';

type Sent = { finish: () => void };

describe('the gate before the shared append call', () => {
  const patient = new AbortController().signal;
  // In use each append has a signal of its own.
  setMaxListeners(0, patient);
  const settle = (): Promise<void> => new Promise(setImmediate);

  function sendMany(gate: AppendGate, count: number, givenUp: AbortSignal = patient) {
    const sent: Sent[] = [];
    const all = Array.from({ length: count }, (_, index) =>
      gate.run(givenUp, () => new Promise<number>((resolve) => sent.push({ finish: () => resolve(index) }))),
    );
    return { sent, all };
  }

  it('admits fewer appends than the buffer of the call holds, and the next when one is done', async () => {
    const { sent, all } = sendMany(new AppendGate(), 40);
    await settle();
    expect(sent).toHaveLength(15);
    sent[7]?.finish();
    await settle();
    expect(sent).toHaveLength(16);
    for (let done = 0; done < 40; done += 1) {
      sent[done]?.finish();
      await settle();
    }
    await expect(Promise.all(all)).resolves.toEqual(Array.from({ length: 40 }, (_, index) => index));
  });

  it('does not send an append whose caller gave up while it was queued, and passes its slot on', async () => {
    const gate = new AppendGate();
    const first = sendMany(gate, 15);
    const impatient = new AbortController();
    const second = sendMany(gate, 2, impatient.signal);
    const third = sendMany(gate, 1);
    await settle();
    impatient.abort();
    const results = await Promise.allSettled(second.all);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    first.sent[0]?.finish();
    await settle();
    expect(second.sent).toHaveLength(0);
    expect(third.sent).toHaveLength(1);
  });

  it('ends a client only when no append is awaited, and holds back new ones meanwhile', async () => {
    const gate = new AppendGate();
    const impatient = new AbortController();
    const abandoned = sendMany(gate, 1, impatient.signal);
    const awaited = sendMany(gate, 1);
    await settle();
    impatient.abort();

    const order: string[] = [];
    let finishEnding = (): void => undefined;
    const ending = gate.whileQuiet(async () => {
      order.push('ending');
      await new Promise<void>((resolve) => {
        finishEnding = resolve;
      });
      order.push('ended');
    });
    const late = gate.run(patient, async () => void order.push('sent'));
    await settle();
    expect(order).toEqual([]);
    awaited.sent[0]?.finish();
    await settle();
    expect(order).toEqual(['ending']);
    finishEnding();
    await Promise.all([ending, late]);
    expect(order).toEqual(['ending', 'ended', 'sent']);
    abandoned.sent[0]?.finish();
  });

  it('abandons appends that never settle', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    const gate = new AppendGate();
    const impatient = new AbortController();
    setMaxListeners(0, impatient.signal);
    sendMany(gate, 15, impatient.signal).all.forEach((append) => void append.catch(() => undefined));
    const next = sendMany(gate, 1);
    await settle();
    impatient.abort();
    await settle();
    expect(next.sent).toHaveLength(0);
    jest.advanceTimersByTime(30_000);
    await settle();
    expect(next.sent).toHaveLength(1);
    jest.useRealTimers();
  });
});
