import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectories } from '../../test/support/temp-directory';
import { networkNames } from '../networks';
import { readConfig } from '../platform/config';
import { prepareDataDirectory } from './data-directory';

/** Permissions do not keep root out, so a test that runs as root takes the rights of another user for a moment. */
const IS_ROOT = process.geteuid?.() === 0;
const NOBODY = 65_534;

describe('a data directory that was restored by another user', () => {
  // The directory set for temporary files may be closed to other users.
  const directory = temporaryDirectories(IS_ROOT ? '/tmp' : undefined);
  const prepare = (dataDir: string): void => {
    const config = readConfig({ DATA_DIR: dataDir }, networkNames);
    if (IS_ROOT) process.seteuid?.(NOBODY);
    try {
      prepareDataDirectory(config);
    } finally {
      if (IS_ROOT) process.seteuid?.(0);
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
