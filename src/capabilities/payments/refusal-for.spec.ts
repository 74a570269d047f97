import { refusalFor } from './refusal-for';

describe('what is wrong with a submission', () => {
  it.each([
    [['resource_not_found'], 'resource_not_found'],
    [['recipient_version_not_active'], 'recipient_version_not_active'],
    [['in_the_past'], 'validation_failed'],
    [['recipient_version_not_active', 'in_the_past'], 'validation_failed'],
    [['resource_not_found', 'in_the_past'], 'validation_failed'],
  ])('refuses %j with %s', (found, code) =>
    expect(refusalFor(found.map((each) => ({ code: each, field: 'f', message: 'm' }))).code).toBe(code),
  );

  it.each([
    [[], 'IDEMPOTENCY_KEY_MISMATCH'],
    [['idempotency_key'], 'IDEMPOTENCY_KEY_MISMATCH'],
    [['idempotency-key', 'x-idempotency-key'], 'IDEMPOTENCY_KEY_MISMATCH'],
    [['idempotency_key', 'payment.amount'], 'validation_failed'],
  ])('tells keys that differ by their own code, if all else that is wrong is with %j: %s', (fields, code) => {
    const others = fields.map((field) => ({ code: 'malformed', field, message: 'm' }));
    const differ = { code: 'IDEMPOTENCY_KEY_MISMATCH', field: 'idempotency_key', message: 'm' };
    const refusal = refusalFor([...others, differ]);
    expect([refusal.code, refusal.issues]).toEqual([code, [...others, differ]]);
  });
});
