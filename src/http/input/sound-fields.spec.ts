import { MAX_ISSUES } from './issue-paths';
import { soundFields } from './sound-fields';

const wrong = (...fields: readonly string[]) =>
  fields.map((field) => ({ code: 'invalid', field, message: 'is wrong' }));

describe('fields with nothing wrong', () => {
  it.each([
    ['amount', ['expires_at'], true],
    ['amount', ['amount'], false],
    ['payment.amount', ['payment'], false],
    ['expires_at', ['expires_at.3'], false],
    ['amount', ['amount_minor'], true],
    ['amount_minor', ['amount'], true],
  ])('%s is judged beside %j', (field, fields, isSound) => {
    expect(soundFields(wrong(...fields))(field)).toBe(isSound);
  });

  it('are none if the list of problems is full: more may have been left out', () => {
    const full = wrong(...Array.from({ length: MAX_ISSUES }, (_, at) => `metadata.${at}`));
    expect(soundFields(full)('expires_at')).toBe(false);
    expect(soundFields(full.slice(1))('expires_at')).toBe(true);
  });
});
