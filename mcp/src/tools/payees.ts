import { z } from 'zod';
import { type AgentClient, type PayableRecipient } from '../../../sdk/src/index.ts';
import { tool } from '../tool.ts';
import { text } from './fields.ts';
import { ToolError } from '../tool-errors.ts';

const PAGE_SIZE = 200;
const MAX_PAGES = 25;

/** Everyone who can be paid; a merchant has tens of them, not thousands. */
export async function allPayees(agent: AgentClient): Promise<readonly PayableRecipient[]> {
  const found: PayableRecipient[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { payees, next_cursor } = await agent.listPayees({ limit: PAGE_SIZE, ...(cursor ? { cursor } : {}) });
    found.push(...payees);
    if (next_cursor === null) break;
    cursor = next_cursor;
  }
  return found;
}

export async function payeeNamed(agent: AgentClient, payeeId: string): Promise<PayableRecipient> {
  const found = (await allPayees(agent)).find(({ recipient_id }) => recipient_id === payeeId);
  if (found) return found;
  throw new ToolError({
    code: 'payee_not_found',
    message: `No payee has the id ${payeeId.slice(0, 160)}.`,
    what_to_do:
      'Call list_payees and use a payee_id from its result. Do not make one up, and do not ask the person for an address.',
    safe_to_repeat: false,
  });
}

export const listPayees = tool({
  name: 'list_payees',
  title: 'List payees',
  description:
    'Lists who can be paid: payee_id, name, network, asset and the proven domain. Addresses are never shown; the wallet shows them to the person. ' +
    'Call it before request_payment to get a payee_id.',
  input: z.strictObject({
    query: text(200)
      .or(z.literal(''))
      .optional()
      .describe('Only payees whose name, domain, asset or network contains this text.'),
  }),
  output: z.object({
    payees: z.array(
      z.object({
        payee_id: z.string(),
        recipient_id: z.string(),
        recipient_version_id: z.string(),
        name: z.string(),
        network: z.string(),
        asset: z.string(),
        domain: z.string(),
      }),
    ),
  }),
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  async run({ query }, { wallet }) {
    const wanted = query?.trim().toLowerCase() ?? '';
    const payees = (await allPayees(await wallet.connected()))
      .filter(({ name, domain, asset, network }) =>
        [name, domain, asset, network].some((text) => text.toLowerCase().includes(wanted)),
      )
      .map(({ recipient_id, recipient_version_id, name, network, asset, domain }) => ({
        payee_id: recipient_id,
        recipient_id,
        recipient_version_id,
        name,
        network,
        asset,
        domain,
      }));
    return { structured: { payees } };
  },
});
