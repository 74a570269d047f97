import { type Command, textOf } from './command.ts';
import { EXIT, usage } from './exit-codes.ts';
import { forward, isAccepted, receiverFrom, secretFrom } from './forwarding.ts';
import { PRACTICE_TYPES, practiceMessage } from './practice-messages.ts';

export const trigger: Command = {
  name: 'trigger',
  takes: '<type> --forward-to <url> [--secret <whsec_…>] [--json]',
  summary: 'Post a made-up message, signed and marked as practice, to your receiver',
  about: [
    '<type>        such as payment_request.confirmed',
    '--forward-to  the address of your receiver',
    '--secret      sign with this secret; by default a new one is generated and printed',
    '',
    'The message is for the test network, with data.practice true and the header webhook-practice. The service is not',
    'involved. Exit code 0: accepted with 2xx. 1: refused. 3: no answer.',
  ],
  options: { 'forward-to': { type: 'string' }, secret: { type: 'string' }, json: { type: 'boolean' } },
  words: 1,
  async run({ words: [type = ''], values, terminal }) {
    if (!PRACTICE_TYPES.includes(type)) throw usage(`unknown type ${type}; use one of ${PRACTICE_TYPES.join(', ')}`);
    const to = receiverFrom(textOf(values, 'forward-to'));
    const secret = secretFrom(textOf(values, 'secret'));
    const message = { ...practiceMessage(type, new Date()), headers: { 'webhook-practice': 'true' } };
    const asJson = values['json'] === true;
    if (!asJson) terminal.out(`Signing with ${secret}`);
    const forwarded = await forward(to, secret, message, terminal.signal);
    if (asJson) terminal.out(JSON.stringify({ secret, type, id: message.id, ...forwarded }));
    else terminal.out('status' in forwarded ? `${type}: answered ${forwarded.status}` : `${type}: ${forwarded.error}`);
    if ('error' in forwarded) return EXIT.trouble;
    return isAccepted(forwarded) ? EXIT.ok : EXIT.no;
  },
};
