import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAIN_FLOWS } from './pairs';

describe('the main flows', () => {
  it.each([...MAIN_FLOWS])('%s is a suite that runs on both pairs', (name) => {
    expect(readFileSync(join(__dirname, '..', `${name}.e2e-spec.ts`), 'utf8')).toContain('describeOnEachPair(');
  });
});
