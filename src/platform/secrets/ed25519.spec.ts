import { createHash, createPublicKey, verify } from 'node:crypto';
import fc from 'fast-check';
import nacl from 'tweetnacl';
import { decodeSignature, isSoundPublicKey, normalisePublicKey, verifySignature } from './ed25519';
import { encode, L, nonCanonicalSmallOrderEncodings, P, smallOrderEncodings } from './ed25519.fixtures';

const message = Buffer.from('pay nobody');
const IDENTITY = Buffer.from('01'.padEnd(64, '0'), 'hex');
const FORGED = Buffer.concat([IDENTITY, Buffer.alloc(32)]);

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
const nodeAlone = (publicKey: Uint8Array, signature: Uint8Array): boolean =>
  verify(
    null,
    message,
    createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x: text(publicKey) } }),
    signature,
  );

describe('Ed25519 signatures', () => {
  it('are accepted from tweetnacl, over any message', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.uint8Array({ maxLength: 200 }), (seed, bytes) => {
        const { publicKey, secretKey } = nacl.sign.keyPair.fromSeed(seed);
        const signature = nacl.sign.detached(bytes, secretKey);
        return isSoundPublicKey(text(publicKey)) && verifySignature(text(publicKey), bytes, signature);
      }),
      { numRuns: 5 },
    );
  });

  it('are accepted for the first test vector of RFC 8032', () => {
    const key = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex');
    const signature = Buffer.from(
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
      'hex',
    );
    expect(verifySignature(text(key), Buffer.alloc(0), signature)).toBe(true);
  });

  it('fail when any bit of message, signature or key is another', () => {
    const { publicKey, secretKey } = nacl.sign.keyPair.fromSeed(Buffer.alloc(32, 7));
    const signature = nacl.sign.detached(message, secretKey);
    const flipped = (bytes: Uint8Array, bit: number): Buffer => {
      const copy = Buffer.from(bytes);
      copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      return copy;
    };
    const verdicts = [
      ...Array.from({ length: 80 }, (_, bit) => verifySignature(text(publicKey), flipped(message, bit), signature)),
      ...Array.from({ length: 512 }, (_, bit) => verifySignature(text(publicKey), message, flipped(signature, bit))),
      ...Array.from({ length: 256 }, (_, bit) => verifySignature(text(flipped(publicKey, bit)), message, signature)),
    ];
    expect(verdicts.filter(Boolean)).toEqual([]);
  });

  it('are refused with S at or above the group order, which would be a second signature of the same message', () => {
    const { publicKey, secretKey } = nacl.sign.keyPair.fromSeed(Buffer.alloc(32, 9));
    const signature = Buffer.from(nacl.sign.detached(message, secretKey));
    const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`);
    const doubled = Buffer.concat([signature.subarray(0, 32), encode(s + L, 0n)]);
    expect(verifySignature(text(publicKey), message, signature)).toBe(true);
    expect(verifySignature(text(publicKey), message, doubled)).toBe(false);
  });

  it('of a length other than 64 bytes are refused without an error', () => {
    const { publicKey } = nacl.sign.keyPair.fromSeed(Buffer.alloc(32, 1));
    for (const length of [0, 32, 63, 65]) {
      expect(verifySignature(text(publicKey), message, Buffer.alloc(length, 1))).toBe(false);
    }
  });
});

describe('forgeries that need no private key', () => {
  it('work against node:crypto alone, or this suite guards nothing', () => {
    expect(nodeAlone(IDENTITY, FORGED)).toBe(true);
    expect(nodeAlone(encode(1n + P, 0n), FORGED)).toBe(true);
  });

  it('know eight small-order points', () => {
    expect(new Set(smallOrderEncodings.map((point) => point.toString('hex'))).size).toBe(8);
    expect(nonCanonicalSmallOrderEncodings).toHaveLength(6);
  });

  it('fail: no small-order key in any spelling is sound', () => {
    for (const point of [...smallOrderEncodings, ...nonCanonicalSmallOrderEncodings]) {
      expect([point.toString('hex'), isSoundPublicKey(text(point))]).toEqual([point.toString('hex'), false]);
      expect(verifySignature(text(point), message, FORGED)).toBe(false);
    }
  });

  it('fail: no small-order R in any spelling verifies, whatever the key', () => {
    for (const key of [...smallOrderEncodings, ...nonCanonicalSmallOrderEncodings]) {
      for (const r of [...smallOrderEncodings, ...nonCanonicalSmallOrderEncodings]) {
        expect(verifySignature(text(key), message, Buffer.concat([r, Buffer.alloc(32)]))).toBe(false);
      }
    }
  });

  it('fail with a sound key too: the holder itself cannot use a small-order R', () => {
    // With R the identity and k = H(R, A, M), S = k·a verifies: the holder of a can make it, so only R gives it away.
    const forged = smallOrderRSignature(Buffer.alloc(32, 5));
    expect(nodeAlone(forged.publicKey, forged.signature)).toBe(true);
    expect(isSoundPublicKey(text(forged.publicKey))).toBe(true);
    expect(verifySignature(text(forged.publicKey), message, forged.signature)).toBe(false);
  });

  it('fail: no y at or above the prime is sound, whatever it stands for', () => {
    for (let y = P; y < 2n ** 255n; y += 1n) {
      expect([isSoundPublicKey(text(encode(y, 0n))), isSoundPublicKey(text(encode(y, 1n)))]).toEqual([false, false]);
    }
  });
});

describe('key and signature texts', () => {
  const bytes = Buffer.from('fbff'.repeat(16), 'hex');

  it('are taken as base64url or base64, padded or not, and kept in one spelling', () => {
    const kept = bytes.toString('base64url');
    for (const spelling of [kept, `${kept}=`, bytes.toString('base64'), bytes.toString('base64').slice(0, -1)]) {
      expect(normalisePublicKey(spelling)).toBe(kept);
    }
    const signature = Buffer.alloc(64, 0xfb);
    expect(decodeSignature(signature.toString('base64'))).toEqual(signature);
    expect(decodeSignature(signature.toString('base64url'))).toEqual(signature);
  });

  it('are refused in any other form', () => {
    const base64 = bytes.toString('base64');
    const strange = [
      '',
      bytes.toString('hex'),
      Buffer.alloc(31).toString('base64url'),
      Buffer.alloc(33).toString('base64url'),
      ` ${base64}`,
      `${base64}\n`,
      `${base64}=`,
      `${base64.slice(0, -1)}==`,
      base64.replace('+', '-'),
      // The last character's two spare bits set: another text for the same bytes.
      `${Buffer.alloc(32).toString('base64url').slice(0, -1)}B`,
    ];
    expect(strange.map(normalisePublicKey)).toEqual(strange.map(() => undefined));
  });
});

function smallOrderRSignature(seed: Buffer): { publicKey: Buffer; signature: Buffer } {
  const sha512 = (...parts: Uint8Array[]): Buffer => createHash('sha512').update(Buffer.concat(parts)).digest();
  const number = (little: Uint8Array): bigint => BigInt(`0x${Buffer.from(little).reverse().toString('hex')}`);
  const publicKey = Buffer.from(nacl.sign.keyPair.fromSeed(seed).publicKey);
  const clamped = sha512(seed).subarray(0, 32);
  clamped[0] = (clamped[0] ?? 0) & 248;
  clamped[31] = ((clamped[31] ?? 0) & 127) | 64;
  const k = number(sha512(IDENTITY, publicKey, message)) % L;
  return { publicKey, signature: Buffer.concat([IDENTITY, encode((k * number(clamped)) % L, 0n)]) };
}
