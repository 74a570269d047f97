import fc from 'fast-check';
import { forbiddenV4, forbiddenV6, publicAddresses } from '../../../test/support/forbidden-destinations';
import { addressBytes, isForbiddenAddress } from './addresses';

const v4FromBytes = (bytes: Iterable<number>): string => [...bytes].join('.');
const v6FromBytes = (bytes: Uint8Array): string =>
  Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] ?? 0) * 256 + (bytes[2 * i + 1] ?? 0)).toString(16)).join(':');
const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

describe('addresses', () => {
  it.each(forbiddenV4)('forbids %s', (address) => {
    expect(isForbiddenAddress(address)).toBe(true);
  });

  it.each(forbiddenV6)('forbids %s', (address) => {
    expect(isForbiddenAddress(address)).toBe(true);
  });

  it.each(publicAddresses)('lets %s pass', (address) => {
    expect(isForbiddenAddress(address)).toBe(false);
  });

  it.each(['', 'localhost', '127.1', '0x7f000001', '1.2.3.4.5', '1.2.3.256', '::g', '1::2::3', '[::1', ' 8.8.8.8'])(
    'takes %j for no address, and so forbids it',
    (text) => {
      expect(addressBytes(text)).toBeUndefined();
      expect(isForbiddenAddress(text)).toBe(true);
    },
  );

  it('forbids byte strings that are no address', () => {
    expect(isForbiddenAddress(Uint8Array.of(8, 8, 8))).toBe(true);
    expect(isForbiddenAddress(new Uint8Array(0))).toBe(true);
    expect(isForbiddenAddress(new Uint8Array(17).fill(0x20))).toBe(true);
  });

  it('ignores brackets and zones', () => {
    expect(addressBytes('[::1]')).toEqual(addressBytes('::1'));
    expect(addressBytes('fe80::1%eth0')).toEqual(addressBytes('fe80::1'));
  });

  it('reads back every IPv4 and IPv6 address it is shown', () => {
    fc.assert(fc.property(bytesOf(4), (bytes) => expect(addressBytes(v4FromBytes(bytes))).toEqual(bytes)));
    fc.assert(fc.property(bytesOf(16), (bytes) => expect(addressBytes(v6FromBytes(bytes))).toEqual(bytes)));
  });

  it('reads a compressed address as the URL parser does', () => {
    fc.assert(
      fc.property(fc.ipV6(), (text) => {
        const canonical = new URL(`https://[${text}]/`).hostname;
        expect(addressBytes(text)).toEqual(addressBytes(canonical));
        expect(isForbiddenAddress(text)).toBe(isForbiddenAddress(canonical));
      }),
    );
  });

  it('judges a mapped address as the address inside', () => {
    fc.assert(
      fc.property(bytesOf(4), (bytes) => {
        const inner = v4FromBytes(bytes);
        expect(isForbiddenAddress(`::ffff:${inner}`)).toBe(isForbiddenAddress(inner));
      }),
    );
  });

  it('forbids every IPv6 address outside the public space', () => {
    fc.assert(
      fc.property(bytesOf(16), (bytes) => {
        const isMapped = bytes.subarray(0, 12).every((byte, index) => byte === (index < 10 ? 0 : 0xff));
        fc.pre((bytes[0] ?? 0) >> 5 !== 1 && !isMapped);
        expect(isForbiddenAddress(bytes)).toBe(true);
      }),
    );
  });
});
