import { readFileSync } from 'node:fs';
import { verifyWebhook, WebhookVerificationError } from '../../webhooks.ts';
import { type Command, textOf } from './command.ts';
import { EXIT, trouble, usage } from './exit-codes.ts';
import { keyOf } from './forwarding.ts';
import { wholeNumber } from './numbers.ts';
import { parseRequest } from './raw-request.ts';
import { plain } from './table.ts';

const MAX_TOLERANCE_SECONDS = 100 * 366 * 24 * 3600;

export const verify: Command = {
  name: 'verify',
  takes: '<file> --secret <whsec_…> [--tolerance <seconds>] [--json]',
  summary: 'Verify a webhook that was saved to a file as a raw HTTP request',
  about: [
    '<file>       headers, an empty line, the body exactly as received; - for standard input',
    '--secret     the endpoint’s secret; several, separated by commas, during a rotation',
    '--tolerance  the maximum age in seconds; by default any age is accepted, because a saved message is old',
    '',
    'Exit code 0: genuine. 1: forged. Any other: it could not be determined.',
  ],
  options: { secret: { type: 'string' }, tolerance: { type: 'string' }, json: { type: 'boolean' } },
  words: 1,
  async run({ words: [file = ''], values, terminal }) {
    const given = textOf(values, 'secret');
    if (given === undefined) throw usage('--secret <whsec_…> is missing');
    const secret = given.split(',');
    secret.forEach(keyOf);
    const toleranceSeconds = wholeNumber(textOf(values, 'tolerance'), 'tolerance', MAX_TOLERANCE_SECONDS);
    const { headers, body } = parseRequest(read(file));
    const asJson = values['json'] === true;
    try {
      const checked = await verifyWebhook({ headers, body, secret, toleranceSeconds: toleranceSeconds ?? Infinity });
      const { id, sentAt, message } = checked;
      const sent = sentAt.toISOString();
      terminal.out(
        asJson
          ? JSON.stringify({ genuine: true, id, sent_at: sent, type: message.type })
          : plain(`genuine: ${message.type}, ${id}, sent ${sent}`),
      );
      return EXIT.ok;
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      terminal.out(asJson ? JSON.stringify({ genuine: false, reason: error.message }) : `forged: ${error.message}`);
      return EXIT.no;
    }
  },
};

function read(file: string): Buffer {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    throw trouble(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`);
  }
}
