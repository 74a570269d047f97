import { startDnsResponder } from '../test/support/dns-responder';

const USAGE = 'npm run demo:dns -- HOST:PORT NAME VALUE';

/** A DNS server with a single TXT record, for domain proofs on one machine. */
async function main(): Promise<void> {
  const [server = '', name, value] = process.argv.slice(2);
  const [, port] = /^127\.0\.0\.1:(\d{1,5})$/.exec(server) ?? [];
  if (port === undefined || !name || !value) throw new TypeError(`usage: ${USAGE} (on 127.0.0.1)`);
  await startDnsResponder({ [name]: { TXT: [value] } }, Number(port));
  process.stdout.write(`answers TXT ${name} on ${server}, until Ctrl-C\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
