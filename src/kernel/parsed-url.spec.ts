import { parsedUrl } from './parsed-url';

describe('a URL in a text', () => {
  it('is found however often it is looked for', () => {
    const hosts = new Set<string | undefined>();
    for (let count = 0; count < 20_000; count += 1) hosts.add(parsedUrl('https://bücher.example.test/')?.hostname);
    expect([...hosts]).toEqual(['xn--bcher-kva.example.test']);
  });

  it.each(['https://', 'https:/\\', 'wss://', 'ftp:', ' \thttps://user:secret@'])(
    'has no host beyond what a name can be (%j)',
    (before) => {
      expect(parsedUrl(`${before}${'字'.repeat(30)}/${'x'.repeat(1_000)}?${'y'.repeat(1_000)}`)).toBeDefined();
      expect(parsedUrl(`${before}${'a.'.repeat(126)}a:443/`)).toBeDefined();
      const parsing = jest.spyOn(globalThis, 'URL');
      expect(parsedUrl(`${before}${'字'.repeat(301)}/`)).toBeUndefined();
      expect(parsing).not.toHaveBeenCalled();
      parsing.mockRestore();
    },
  );

  it('may not be there', () => expect(parsedUrl('https://')).toBeUndefined());
});
