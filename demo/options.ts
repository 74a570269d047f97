import { parseArgs } from 'node:util';
import { parsedUrl } from '../src/kernel/parsed-url';

export const USAGE = `npm run demo [-- options]

  --keep            leave everything running at the end, until Ctrl-C
  --url URL         use a service that is already running, started with
                    DNS_SERVERS=127.0.0.1:5300 ALLOW_PRIVATE_NETWORKS=true
  --base-url URL    its BASE_URL, if that is not what --url says
  --outbox FILE     its mail outbox; the default is ./data/outbox.jsonl
  --dns-port PORT   the port on which the demo answers DNS queries; the default is 5300
  --help            this text
`;

export type DemoOptions = Readonly<{
  help: boolean;
  keep: boolean;
  given: Readonly<{ url: string; baseUrl: string; outbox: string; dnsPort: number }> | undefined;
}>;

export function readOptions(args: readonly string[]): DemoOptions {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args: [...args],
    options: { keep: flag, help: flag, url: text, 'base-url': text, outbox: text, 'dns-port': text },
  });
  const { keep, help, url } = values;
  if (url === undefined) return { keep, help, given: undefined };
  if (parsedUrl(url) === undefined) throw new TypeError('--url must be an address such as http://127.0.0.1:8787');
  const dnsPort = Number(values['dns-port'] ?? 5300);
  if (!Number.isInteger(dnsPort) || dnsPort < 1 || dnsPort > 65535) throw new TypeError('--dns-port must be a port');
  const outbox = values.outbox ?? './data/outbox.jsonl';
  const baseUrl = plain(values['base-url'] ?? url);
  return { keep, help, given: { url: plain(url), baseUrl, outbox, dnsPort } };
}

/** As the service spells its own address; assertions must name it exactly. */
const plain = (url: string): string => url.replace(/\/+$/, '');
