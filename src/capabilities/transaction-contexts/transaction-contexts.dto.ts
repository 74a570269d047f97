import { type Check, dateTime, integer, type JsonSchema, list, named, object, text } from '../../http/input/checks';
import { Field, OptionalField } from '../../http/input/field.decorator';
import { KeyedInput } from '../../http/input/keyed-draft';
import { freeFormWithoutPayee } from '../../http/input/free-form';
import { type ContextContent } from './transaction-context';
import { type TransactionContextItem } from '../../events/transaction-context.events';
import { parsedUrl } from '../../kernel/parsed-url';
import { transactionId } from '../../http/input/transaction-id';

const MAX_ITEMS = 50;
const item = object({ label: text({ max: 120 }), value: text({ max: 500, lines: true }) });
const title = text({ max: 200, description: 'What the payment is for', example: 'Order 1017' });
const summary = text({ max: 2000, lines: true });
const ownName = transactionId('Chosen by the caller; sending the same one again adds a revision. Generated if absent');

/** A link a person can open safely: https, and no user or password that could disguise the host. */
const httpsUrl: Check = {
  problems: (value) => {
    const problems = text({ max: 2048 }).problems(value);
    if (problems.length > 0) return problems;
    const url = parsedUrl(value as string);
    const isSpelledOut = /^https:\/\/[^/\s\\][^\s\\]*$/.test(value as string);
    const fit = isSpelledOut && url?.username === '' && url.password === '';
    return fit ? [] : [{ code: 'malformed', message: 'must begin with https:// and have no user or password' }];
  },
  schema: { type: 'string', format: 'uri', maxLength: 2048, pattern: '^https://' },
};

export class CreateTransactionContextInput extends KeyedInput {
  @OptionalField(ownName)
  transaction_id?: string;

  @Field(title)
  title!: string;

  @OptionalField(summary)
  summary?: string;

  @OptionalField(list(item, MAX_ITEMS))
  items?: readonly TransactionContextItem[];

  @OptionalField(httpsUrl)
  reference_url?: string;

  @OptionalField(freeFormWithoutPayee('Whatever the caller wants back; never who is paid'))
  metadata?: Readonly<Record<string, unknown>>;
}

/** The part of the input that is stored: the known fields, and the two fields of each item. */
export const contentOf = (input: CreateTransactionContextInput): ContextContent => ({
  title: input.title,
  summary: input.summary ?? null,
  items: (input.items ?? []).map(({ label, value }) => ({ label, value })),
  reference_url: input.reference_url ?? null,
  metadata: input.metadata ?? null,
});

export const transactionContextSchema: JsonSchema = named(
  'TransactionContext',
  object(
    {
      transaction_id: ownName,
      connection_id: text({ max: 160 }),
      revision: integer(1, Number.MAX_SAFE_INTEGER, 'Counts the revisions'),
      title,
      summary,
      items: list(item, MAX_ITEMS),
      reference_url: httpsUrl,
      metadata: { problems: () => [], schema: { type: 'object', additionalProperties: true } },
      created_at: dateTime('Of the first revision'),
      updated_at: dateTime('Of this revision'),
      version: integer(1, Number.MAX_SAFE_INTEGER),
    },
    ['summary', 'reference_url', 'metadata'],
  ).schema,
);
