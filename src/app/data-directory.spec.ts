import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectories } from '../../test/support/temp-directory';
import { networkNames } from '../networks';
import { readConfig } from '../platform/config';
import { prepareDataDirectory } from './data-directory';

const NOBODY = 65_534;

describe('a data directory that was restored by another user', () => {
  const directory = temporaryDirectories();
  const prepare = (dataDir: string): void => {
    const config = readConfig({ DATA_DIR: dataDir }, networkNames);
    // Permissions do not keep root out.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(NOBODY);
    try {
      prepareDataDirectory(config);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  };
  const restored = (): Readonly<{ dataDir: string; keys: string; file: string }> => {
    const dataDir = directory();
    const keys = join(dataDir, 'personal-keys');
    mkdirSync(keys);
    const file = join(keys, 'mac_1.json');
    writeFileSync(file, '{}');
    for (const place of [dataDir, keys]) chmodSync(place, 0o777);
    chmodSync(file, 0o666);
    return { dataDir, keys, file };
  };

  it('can be used if everything in it can', () => {
    const { dataDir, keys } = restored();
    prepare(dataDir);
    expect(readdirSync(keys)).toEqual(['mac_1.json']);
  });

  it.each(['keys', 'file'] as const)(
    'is refused if the personal keys are out of reach (%s): nobody could sign in',
    (what) => {
      const made = restored();
      chmodSync(made[what], 0o000);
      expect(() => prepare(made.dataDir)).toThrow(/DATA_DIR .* cannot be used: EACCES.*personal-keys/);
      chmodSync(made[what], 0o700);
    },
  );
});
