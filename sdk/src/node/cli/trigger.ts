import { type Command, textOf } from './command.ts';
import { EXIT, usage } from './exit-codes.ts';
import { forward, isAccepted, receiverFrom, secretFrom } from './forwarding.ts';
import { PRACTICE_TYPES, practiceMessage } from './practice-messages.ts';

export const trigger: Command = {
  name: 'trigger',
  takes: '<type> --forward-to <url> [--secret <whsec_…>] [--json]',
  summary: 'Post a made-up message, signed and marked as practice, to a receiver of yours',
  about: [
    '<type>        such as payment_request.confirmed',
    '--forward-to  where your receiver listens',
    '--secret      sign with this secret; a new one is made and printed unless told',
    '',
    'On the test network, with data.practice true and the header webhook-practice. The service is not asked and knows',
    'nothing of it. Exit code 0: accepted with 2xx. 1: refused. 3: no answer.',
  ],
  options: { 'forward-to': { type: 'string' }, secret: { type: 'string' }, json: { type: 'boolean' } },
  words: 1,
  async run({ words: [type = ''], values, terminal }) {
    if (!PRACTICE_TYPES.includes(type)) throw usage(`there is no type ${type}; there are ${PRACTICE_TYPES.join(', ')}`);
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
