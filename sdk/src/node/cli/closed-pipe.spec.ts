import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

it('a forged message stays forged when the reader of the output has gone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-'));
  const [svc, file] = [join(folder, 'svc.mjs'), join(folder, 'forged.txt')];
  execFileSync('node_modules/.bin/rolldown', [
    'sdk/src/node/cli/main.ts',
    '--platform',
    'node',
    '--format',
    'esm',
    '-o',
    svc,
  ]);
  writeFileSync(file, 'webhook-id: a\nwebhook-timestamp: 1700000000\nwebhook-signature: v1,AAAA\n\n{}');
  const script = `set -o pipefail; "${process.execPath}" "${svc}" verify "${file}" --secret whsec_AAAA | true`;
  expect(spawnSync('bash', ['-c', script]).status).toBe(1);
});
