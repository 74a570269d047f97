import { refusalFor } from './refusal-for';

describe('what is wrong with a submission', () => {
  it.each([
    [['resource_not_found'], 'resource_not_found'],
    [['recipient_version_not_active'], 'recipient_version_not_active'],
    [['IDEMPOTENCY_KEY_MISMATCH'], 'IDEMPOTENCY_KEY_MISMATCH'],
    [['in_the_past'], 'validation_failed'],
    [['recipient_version_not_active', 'in_the_past'], 'validation_failed'],
    [['resource_not_found', 'in_the_past'], 'validation_failed'],
  ])('refuses %j with %s', (found, code) =>
    expect(refusalFor(found.map((each) => ({ code: each, field: 'f', message: 'm' }))).code).toBe(code),
  );
});
