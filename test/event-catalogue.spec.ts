import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Generator = Readonly<{ catalogue: () => string; target: string }>;

describe('the catalogue of events in the docs', () => {
  const { catalogue, target } = jest.requireActual<Generator>(join(__dirname, '..', 'scripts', 'event-catalogue.js'));
  const text = catalogue();

  it('is what the code says: after a change, npm run docs:events', () => {
    expect(readFileSync(target, 'utf8')).toBe(text);
  });

  it('knows the events', () => {
    for (const name of [
      'PaymentRequestCreated',
      'MerchantAccountAddressSealed',
      'AmountReserved',
      'CheckpointSigned',
    ]) {
      expect(text).toContain(`| \`${name}\` |`);
    }
    expect(text).not.toContain('| undefined');
  });
});
