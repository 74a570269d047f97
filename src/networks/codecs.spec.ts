import { randomBytes } from 'node:crypto';
import { createBase58check } from '@scure/base';
import { sha256 } from '@noble/hashes/sha2';
import { decodeBase58Check, isBase58Check } from './codecs';

describe('the checksum of Base58Check', () => {
  it('is judged as the library judges it', () => {
    const library = createBase58check(sha256);
    for (let time = 0; time < 200; time += 1) {
      const bytes = randomBytes(time % 40);
      if (time % 3 === 0) bytes.fill(0, 0, time % 5);
      const text = library.encode(bytes);
      expect([text, isBase58Check(text)]).toEqual([text, true]);
      const at = time % text.length;
      const changed = `${text.slice(0, at)}${text[at] === 'z' ? 'y' : 'z'}${text.slice(at + 1)}`;
      expect([changed, isBase58Check(changed)]).toEqual([changed, decodeBase58Check(changed) !== undefined]);
    }
    for (const text of ['', '1', '0', 'O', 'abc', '11111']) {
      expect([text, isBase58Check(text)]).toEqual([text, decodeBase58Check(text) !== undefined]);
    }
  });
});
