import fc from 'fast-check';
import { parseExactDomain } from './domain-names';

const problemOf = (input: string): string | undefined => {
  const parsed = parseExactDomain(input);
  return parsed.ok ? undefined : parsed.problem;
};

describe('exact domain names', () => {
  it.each([
    ['shop.example.com', 'shop.example.com'],
    ['Shop.EXAMPLE.com', 'shop.example.com'],
    ['example.test', 'example.test'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
    ['faß.de', 'xn--fa-hia.de'],
    ['shop。example。com', 'shop.example.com'],
    ['ｓｈｏｐ.example.com', 'shop.example.com'],
    ['example.co.uk', 'example.co.uk'],
    ['someone.github.io', 'someone.github.io'],
    ['a--b.example.com', 'a--b.example.com'],
    ['1.example.com', '1.example.com'],
    [`${'a'.repeat(63)}.example.com`, `${'a'.repeat(63)}.example.com`],
  ])('%s is kept as %s', (input, domain) => {
    expect(parseExactDomain(input)).toEqual({ ok: true, domain });
  });

  it.each([
    ['', 'must not be empty'],
    ['*.example.com', 'must be an exact name without a wildcard'],
    ['＊.example.com', 'may contain letters, digits and inner hyphens only'],
    ['shop.example.com:443', 'must be a bare name without a port'],
    ['https://shop.example.com', 'must be a bare name without scheme, path or query'],
    ['shop.example.com/path', 'must be a bare name without scheme, path or query'],
    ['shop.example.com?x', 'must be a bare name without scheme, path or query'],
    ['user@example.com', 'must be a bare name without a user'],
    ['shop%2eexample.com', 'must not be percent-encoded'],
    [' shop.example.com', 'must not contain spaces, control or invisible characters'],
    ['shop.example.com\n', 'must not contain spaces, control or invisible characters'],
    ['shop\u200b.example.com', 'must not contain spaces, control or invisible characters'],
    ['shop\u00ad.example.com', 'must not contain spaces, control or invisible characters'],
    ['\ud800.example.com', 'must not contain spaces, control or invisible characters'],
    ['127.0.0.1', 'must be a name, not an address'],
    ['2130706433', 'must be a name, not an address'],
    ['0x7f.1', 'must be a name, not an address'],
    ['①②⑦.0.0.1', 'must be a name, not an address'],
    ['[::1]', 'must be a name, not an address'],
    ['::1', 'must be a bare name without a port'],
    ['shop.example.com.', 'must not end with a dot'],
    ['shop.example.com。', 'must not end with a dot'],
    ['shop..example.com', 'must not contain an empty label'],
    ['.example.com', 'must not contain an empty label'],
    ['localhost', 'must have at least two labels'],
    ['com', 'must have at least two labels'],
    ['co.uk', 'must not be a public suffix'],
    ['github.io', 'must not be a public suffix'],
    ['s3.amazonaws.com', 'must not be a public suffix'],
    ['anything.ck', 'must not be a public suffix'],
    ['-shop.example.com', 'may contain letters, digits and inner hyphens only'],
    ['shop-.example.com', 'may contain letters, digits and inner hyphens only'],
    ['my_shop.example.com', 'may contain letters, digits and inner hyphens only'],
    ['_svc-challenge.example.com', 'may contain letters, digits and inner hyphens only'],
    ['xn--a.example.com', 'must be a valid host name'],
    ['xn--.example.com', 'must be a valid host name'],
    ['example.1', 'must be a valid host name'],
    [`${'a'.repeat(64)}.example.com`, 'must not contain a label longer than 63 characters'],
    [`${'a.'.repeat(125)}test`, 'must be at most 253 characters long'],
    [`${'ü.'.repeat(90)}test`, 'must be at most 253 characters long'],
  ])('%j is refused: %s', (input, problem) => {
    expect(problemOf(input)).toBe(problem);
  });

  it('may be 253 characters long and no longer', () => {
    const longest = `${'a.'.repeat(124)}.test`.replace('..', '.').padStart(253, 'b');
    expect(longest).toHaveLength(253);
    expect(parseExactDomain(longest)).toEqual({ ok: true, domain: longest });
    expect(problemOf(`b${longest}`)).toBeDefined();
  });

  it('have one canonical spelling, which is left unchanged', () => {
    fc.assert(
      fc.property(fc.domain(), (name) => {
        const parsed = parseExactDomain(name);
        fc.pre(parsed.ok);
        expect(parseExactDomain(parsed.domain)).toEqual(parsed);
        expect(parseExactDomain(name.toUpperCase())).toEqual(parsed);
        // No other part of a URL can hide in it.
        expect(new URL(`https://${parsed.domain}/`).host).toBe(parsed.domain);
      }),
    );
  });

  it('are plain ASCII names of at least two labels, whatever was given', () => {
    const label = fc.string({
      unit: fc.oneof(
        fc.constantFrom('a', 'Z', '-', '0', 'ü', 'ß', '.'),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(fc.array(label, { maxLength: 6 }), (labels) => {
        const parsed = parseExactDomain([...labels, 'example', 'com'].join('.'));
        if (!parsed.ok) return;
        expect(parsed.domain).toMatch(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]+$/);
        expect(parsed.domain.length).toBeLessThanOrEqual(253);
      }),
      { numRuns: 1000 },
    );
  });
});
