import { linkSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectories } from '../../../../test/support/temp-directory';
import { FilePersonalKeyStore } from './file-personal-key-store';

describe('a key whose destruction was interrupted before a rotation', () => {
  const newDirectory = temporaryDirectories();
  it('is overwritten by the next destruction in its current wrapping', async () => {
    const place = newDirectory();
    const file = join(place, 'mac_1.json');
    const keys = new FilePersonalKeyStore(place);
    await keys.keep('mac_1', 'k1', 'first wrapping');
    // The process died in destroy, right after the second name was given.
    linkSync(file, `${file}.doomed`);
    expect(await keys.rewrap('mac_1', { keyId: 'k1', wrapped: 'first wrapping' }, 'needle')).toBe(true);
    // The blocks of the file, by whatever name.
    const blocks = join(newDirectory(), 'blocks');
    linkSync(file, blocks);
    await new FilePersonalKeyStore(place).destroy('mac_1', '2030-01-01T00:00:00.000Z');
    expect(readFileSync(blocks, 'utf8')).not.toContain('needle');
  });
});
