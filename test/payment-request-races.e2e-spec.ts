import fc from 'fast-check';
import { newId } from '../src/kernel/ids';
import { AT_ONCE, figure } from './support/figures';
import { type Answer } from './support/http';
import { connectAnotherWallet, createPayment, eventsOfType, type PaymentScene, refusal } from './support/payments';
import { useScene } from './support/use-service';

type Named = Readonly<{ key?: string | undefined; id?: string | undefined; amount?: string; by?: PaymentScene }>;

describe('concurrent creates', () => {
  let other: PaymentScene;

  const { service, scene } = useScene();
  beforeAll(async () => {
    other = await connectAnotherWallet(service, scene);
  });

  const create = ({ key, id, amount = '1', by = scene }: Named): Promise<Answer> =>
    createPayment(
      service,
      by,
      { payment: { amount }, ...(id === undefined ? {} : { request_id: id }) },
      key === undefined ? {} : { 'x-idempotency-key': key },
    );
  const createdEvents = async (): Promise<number> => (await eventsOfType(service, 'PaymentRequestCreated')).length;

  it.each([
    ['one key', () => ({ key: 'storm' })],
    ['one id', () => ({ id: 'storm' })],
    ['one key and many ids', (index: number) => ({ key: 'storm-2', id: `storm-2-${index % 7}` })],
    ['many keys and one id', (index: number) => ({ key: `storm-3-${index % 7}`, id: 'storm-3' })],
  ])(
    `are one payment: ${AT_ONCE} with %s`,
    async (_, nameOf: (index: number) => Named) => {
      const before = await createdEvents();
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, (__, index) => create(nameOf(index))));
      const made = (await createdEvents()) - before;
      const equal = new Set(answers.map(({ text }) => text)).size;
      figure({ promise: 'one key at once', tried: answers.length, lost: equal - 1, doubled: made - 1 });
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(AT_ONCE - 1);
      expect(equal).toBe(1);
      expect(made).toBe(1);
    },
    120_000,
  );

  it('never duplicate a payment, in whatever order and however many run at once', async () => {
    const name = (prefix: string) => fc.constantFrom(undefined, `${prefix}1`, `${prefix}2`);
    const oneCall = fc.record({
      key: name('k'),
      id: name('r'),
      amount: fc.constantFrom('1', '1', '1', '2'),
      mine: fc.constantFrom(true, true, true, false),
      wait: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(oneCall, { minLength: 2, maxLength: 14 }), async (calls) => {
        const run = newId('req').slice(-12);
        const named = (text: string | undefined) => (text === undefined ? undefined : `${text}-${run}`);
        const pending: Promise<unknown>[] = [];
        const answered: {
          key: string | undefined;
          id: string | undefined;
          amount: string;
          mine: boolean;
          answer: Answer;
        }[] = [];
        for (const { key, id, amount, mine, wait } of calls) {
          const call = { key: named(key), id: named(id), amount };
          const done = create({ ...call, by: mine ? scene : other }).then((answer) =>
            answered.push({ ...call, mine, answer }),
          );
          pending.push(done);
          if (wait) await done;
        }
        await Promise.all(pending);
        const good = answered.filter(({ answer }) => answer.status < 300);
        const idOf = ({ answer }: { answer: Answer }) => answer.body.payment_request.request_id as string;
        const idsWhere = (keep: (each: (typeof good)[number]) => boolean) => new Set(good.filter(keep).map(idOf)).size;

        for (const mine of [true, false]) {
          for (const key of [named('k1'), named('k2')]) {
            expect(idsWhere((each) => each.mine === mine && each.key === key)).toBeLessThanOrEqual(1);
          }
        }
        for (const each of good) {
          if (each.key === undefined && each.id !== undefined) expect(idOf(each)).toBe(each.id);
          expect(each.answer.body.payment_request.payment.amount).toBe(each.amount);
          expect(each.answer.body.payment_request.connection_id).toBe(
            (each.mine ? scene : other).connection.connectionId,
          );
        }
        const refused = answered.filter(({ answer }) => answer.status >= 300).map(({ answer }) => refusal(answer));
        expect(
          refused.filter(([, code]) => !['IDEMPOTENCY_KEY_REUSED', 'request_id_unavailable'].includes(code)),
        ).toEqual([]);

        const ids = new Set(good.map(idOf));
        const created = (await eventsOfType(service, 'PaymentRequestCreated')).filter(({ data }) =>
          ids.has((data as { request_id: string }).request_id),
        );
        expect(created).toHaveLength(ids.size);
        expect(answered.filter(({ answer }) => answer.status === 201)).toHaveLength(ids.size);
      }),
      { numRuns: 25 },
    );
  }, 120_000);
});
