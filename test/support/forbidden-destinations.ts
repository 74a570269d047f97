/** One address at each end of every forbidden IPv4 network, and a few an attacker would try first. */
export const forbiddenV4 = [
  ['0.0.0.0', '0.255.255.255'],
  ['10.0.0.0', '10.255.255.255'],
  ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.0.0.1', '127.255.255.255'],
  ['169.254.0.0', '169.254.169.254', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'],
  ['192.0.0.0', '192.0.0.255'],
  ['192.0.2.0', '192.0.2.255'],
  ['192.31.196.0', '192.31.196.255'],
  ['192.52.193.0', '192.52.193.255'],
  ['192.88.99.0', '192.88.99.255'],
  ['192.168.0.0', '192.168.255.255'],
  ['192.175.48.0', '192.175.48.255'],
  ['198.18.0.0', '198.19.255.255'],
  ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'],
  ['224.0.0.0', '239.255.255.255'],
  ['240.0.0.0', '255.255.255.255'],
].flat();

export const forbiddenV6 = [
  ['::', '::1', '::7f00:1', '::ffff:ffff'],
  ['::ffff:0.0.0.0', '::ffff:127.0.0.1', '::ffff:10.1.2.3', '::ffff:169.254.169.254'],
  ['::ffff:0:127.0.0.1', '64:ff9b::', '64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b::ffff:ffff'],
  ['64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', '100::', '100::ffff:ffff:ffff:ffff'],
  ['2001::', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2002::', '2002:7f00:1::', '2002:808:808::1'],
  ['2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'fc00::', 'fd00::2', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['fe80::', 'fe80::1', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'fec0::1', 'ff00::', 'ff02::1', 'ffff::1'],
].flat();

/** Just outside the forbidden networks, and well-known public addresses. They are only checked, never connected to. */
export const publicAddresses = [
  ['1.0.0.0', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0'],
  ['169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '191.255.255.255', '192.0.1.0', '192.0.3.0'],
  ['192.31.195.255', '192.31.197.0', '192.52.192.255', '192.52.194.0', '192.88.98.255', '192.88.100.0'],
  ['192.167.255.255', '192.169.0.0', '192.175.47.255', '192.175.49.0', '198.17.255.255', '198.20.0.0'],
  ['198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0', '223.255.255.255', '8.8.8.8', '1.1.1.1'],
  ['::ffff:8.8.8.8', '2001:200::', '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db9::', '2003::', '2000::1'],
  ['2620:4f:7fff:ffff:ffff:ffff:ffff:ffff', '2620:4f:8001::', '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:1000::'],
  ['2606:4700:4700::1111', '2a00:1450:4001::1'],
].flat();

/** Spellings that a URL parser or a socket takes for the same IPv4 address. */
export function spellings(v4: string): string[] {
  const [a, b, c, d] = v4.split('.').map(Number) as [number, number, number, number];
  const whole = a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
  const hex = (value: number): string => `0x${value.toString(16)}`;
  const octal = (value: number): string => `0${value.toString(8)}`;
  const fullWidth = [...v4].map((digit) => (digit === '.' ? '。' : String.fromCodePoint(0xff10 + Number(digit))));
  return [
    v4,
    String(whole),
    hex(whole),
    octal(whole),
    `${hex(a)}.${octal(b)}.${c}.${hex(d)}`,
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${b * 65536 + c * 256 + d}`,
    fullWidth.join(''),
    [...v4].map((character) => `%${character.charCodeAt(0).toString(16)}`).join(''),
    `[::ffff:${v4}]`,
    `[::${v4}]`,
    `[64:ff9b::${v4}]`,
    `[2002:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}::1]`,
  ];
}

export const localNames = [
  ['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'local', 'printer.local', 'a.b.LOCAL', 'internal'],
  ['metadata.google.internal', 'db.internal', 'home.arpa', 'router.home.arpa', 'intranet', 'kubernetes', 'db'],
  ['ｌｏｃａｌｈｏｓｔ', 'loc%61lhost', 'ⓛocalhost', 'printer。local', 'printer.local.'],
].flat();

/** URLs that a checker may read differently than a client. */
export const misleadingUrls = (port: number): string[] => [
  `https://shop.example.test\\@127.0.0.1:${port}/`,
  `https://shop.example.test@127.0.0.1:${port}/`,
  `https://user:secret@shop.example.test:${port}/`,
  `https://@shop.example.test:${port}/`,
  `https://shop.example.test:${port}/#fragment`,
  `https://shop.example.test:${port}/#`,
  `https://127.0.0.1:${port}\t/`,
  `https://127.0.\n0.1:${port}/`,
  ` https://shop.example.test:${port}/`,
  `https://shop.example.test:${port}/ x`,
  `https://shop.example.test:${port}/\u0000`,
  `https://shop.\u200bexample.test:${port}/`,
  `https://\u202eshop.example.test:${port}/`,
  `https:127.0.0.1:${port}/`,
  `https:/127.0.0.1:${port}/`,
  `https:///127.0.0.1:${port}/`,
  `https:\\\\127.0.0.1:${port}\\`,
  `//127.0.0.1:${port}/`,
  `http://shop.example.test:${port}/`,
  `HTTP://127.0.0.1:${port}/`,
  `ftp://127.0.0.1:${port}/`,
  `ws://127.0.0.1:${port}/`,
  `file:///etc/passwd`,
  `gopher://127.0.0.1:${port}/`,
  `data:text/plain,hello`,
  `javascript:0`,
  `https://shop.example.test:0/`,
  `https://shop.example.test:65536/`,
  `https://[::1`,
  `https://[fe80::1%25eth0]:${port}/`,
  `https://shop..example.test:${port}/`,
  `https://.example.test:${port}/`,
  `https://-shop.example.test:${port}/`,
  `https://shop.example.test.:${port}/`,
  `https://${'a'.repeat(64)}.example.test:${port}/`,
  `https://shop.example.test:${port}/${'a'.repeat(2048)}`,
  `https://shop.example.test:${port}/${'ü'.repeat(500)}`,
  `https://`,
  `https://?`,
  '',
];
