import { parsedUrl } from './parsed-url';

describe('a URL in a text', () => {
  it('is found however often it is looked for', () => {
    const hosts = new Set<string | undefined>();
    for (let count = 0; count < 20_000; count += 1) hosts.add(parsedUrl('https://bücher.example.test/')?.hostname);
    expect([...hosts]).toEqual(['xn--bcher-kva.example.test']);
  });

  it('may not be there', () => expect(parsedUrl('https://')).toBeUndefined());
});
