import { given } from '../../../test/support/given';
import { type SigningKeyEvent } from '../../events/signing-key.events';
import { publishedKey } from './published-key';

const at = '2026-03-01T00:00:00.000Z';
const key = { id: 'second', publicKey: 'ab'.repeat(32), at };
const published: SigningKeyEvent = {
  type: 'SigningKeyPublished',
  data: { key_id: 'second', alg: 'Ed25519', public_key: 'ab'.repeat(32), published_at: at },
};
const endorsement = { key_id: 'second', public_key: 'ab'.repeat(32), by_key_id: 'first', signature: 'cd'.repeat(64) };

describe('a signing key', () => {
  it('is published once', () => {
    given(publishedKey)()
      .when({ ...key, endorsement: null })
      .then(published);
  });

  it('is published together with what the key before says of it', () => {
    given(publishedKey)()
      .when({ ...key, endorsement })
      .then(published, { type: 'SigningKeyEndorsed', data: { ...endorsement, endorsed_at: at } });
  });

  it('is not endorsed afterwards: a thief of the old key could then endorse any other', () => {
    given(publishedKey)(published)
      .when({ ...key, endorsement })
      .thenNothing();
  });
});
