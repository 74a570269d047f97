import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verdictOn } from '../src/audit/cli/check';
import { auditHere } from './support/audit-command';
import { proofOf } from './support/audit';
import { describeOnEachPair } from './support/pairs';
import { createPayment } from './support/payments';
import { temporaryDirectories } from './support/temp-directory';
import { useScene } from './support/use-service';

describeOnEachPair('a file that was altered', (start) => {
  const directory = temporaryDirectories();
  const { service, scene } = useScene({ start });

  it('is rejected if a member occurs twice in a proof', async () => {
    const { body } = await createPayment(service, scene);
    const { body: answer } = await proofOf(service, scene, body['payment_request'].request_id as string);
    const text = JSON.stringify(answer);
    const file = join(directory(), 'proof.json');
    writeFileSync(file, text);
    expect((await verdictOn(file, {})).problems).toEqual([]);
    // A reader of the text sees the first member, but a JSON parser keeps the last.
    const forged = text.replace('"type":"PaymentRequestCreated"', '"type":"PaymentRequestConfirmed",$&');
    expect(forged).not.toBe(text);
    writeFileSync(file, forged);
    expect((await verdictOn(file, {})).ok).toBe(false);
  });

  it('is rejected if it contains something that the proof does not cover', async () => {
    const { body } = await createPayment(service, scene, { idempotency_key: 'beside' });
    const { body: answer } = await proofOf(service, scene, body['payment_request'].request_id as string);
    const file = join(directory(), 'answer.json');
    const holds = async (saved: object): Promise<boolean> => {
      writeFileSync(file, JSON.stringify(saved));
      return (await verdictOn(file, {})).ok;
    };
    expect([await holds(answer), await holds(answer['proof'])]).toEqual([true, true]);
    const { proof } = answer;
    for (const forged of [
      { ...answer, payment_request: { ...body['payment_request'], status: 'confirmed' } },
      { ...answer, consistency: { format: 'svc.consistency.v1', from: {}, to: {}, keys: [], proof: [] } },
      { ...answer, ok: { status: 'confirmed' } },
    ])
      expect(await holds(forged)).toBe(false);
    expect(await holds({ proof })).toBe(true);
  });

  it('is rejected if a byte of an export was changed', async () => {
    const { body } = await createPayment(service, scene, { idempotency_key: 'b', display: { title: 'a\ufffdb' } });
    await proofOf(service, scene, body['payment_request'].request_id as string);
    const { lines } = await auditHere(service.settings, ['export', '--all']);
    const whole = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    const file = join(directory(), 'all.jsonl');
    writeFileSync(file, whole);
    expect((await verdictOn(file, {})).problems).toEqual([]);
    const at = whole.indexOf(Buffer.from('\ufffd'));
    expect(at).toBeGreaterThan(0);
    writeFileSync(file, Buffer.concat([whole.subarray(0, at), Buffer.of(0xff), whole.subarray(at + 3)]));
    expect((await verdictOn(file, {})).ok).toBe(false);
  });
});
