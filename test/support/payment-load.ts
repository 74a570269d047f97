import { newId } from '../../src/kernel/ids';
import { pause } from '../../src/kernel/pause';
import { type Answer } from './http';
import { type Instances } from './instances';
import { createPayment, type PaymentScene, reportPayment } from './payments';

const HASH = 'a'.repeat(64);
const STEPS = [
  { status: 'signed' },
  { status: 'broadcasted', transaction_hash: HASH },
  { status: 'confirmed', transaction_hash: HASH },
] as const;

export type PaymentLoad = Readonly<{
  /** How many requests have completed all steps. */
  done: () => number;
  /** Starts no more; resolves with all ids when those in progress are done. */
  stop(): Promise<readonly string[]>;
}>;

/**
 * Takes payment requests through all steps, each on whichever instance answers, repeated with the same key or status
 * until one does: the behaviour of careful clients while instances come and go. Each worker pauses between requests.
 */
export function startPaymentLoad(
  instances: Instances,
  scene: PaymentScene,
  workers: number,
  pauseMs: number,
): PaymentLoad {
  const ids: string[] = [];
  let stopping = false;
  const work = async (): Promise<void> => {
    while (!stopping) {
      ids.push(await payOnce(instances, scene));
      await pause(pauseMs);
    }
  };
  const working = Promise.all(Array.from({ length: workers }, work));
  return {
    done: () => ids.length,
    stop: async () => {
      stopping = true;
      await working;
      return ids;
    },
  };
}

async function payOnce(instances: Instances, scene: PaymentScene): Promise<string> {
  const key = { 'idempotency-key': newId('req') };
  const created = await instances.insist((instance) => createPayment(instance, scene, {}, key));
  const id = idIn(created, 200, 201);
  for (const step of STEPS) idIn(await instances.insist((instance) => reportPayment(instance, scene, id, step)), 200);
  return id;
}

function idIn({ status, body, text }: Answer, ...wanted: readonly number[]): string {
  if (!wanted.includes(status)) throw new Error(`expected ${wanted.join(' or ')}, got ${status}: ${text}`);
  return body.payment_request.request_id as string;
}
