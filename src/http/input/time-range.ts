import { momentOf } from '../../kernel/rfc3339';
import { FieldRule } from './field.decorator';

/** The end of a range that begins at `start`: reversed, the two select nothing, and an empty answer would hide it. */
export const EndOf = (start: string): PropertyDecorator =>
  FieldRule('end_of_range', (value, input) => {
    const [from, to] = [(input as Readonly<Record<string, unknown>>)[start], value].map(timeOf);
    if (from === undefined || to === undefined || from <= to) return [];
    return [{ code: 'out_of_order', message: `must not be earlier than ${start}` }];
  });

const timeOf = (value: unknown): number | undefined =>
  typeof value === 'string' ? momentOf(value)?.getTime() : undefined;
