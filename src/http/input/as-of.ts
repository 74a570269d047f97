import { dateTime } from './checks';
import { OptionalField } from './field.decorator';

/** The query of reads that can look back. */
export class AsOfInput {
  @OptionalField(dateTime('Shows the record as it was at this time'))
  as_of?: string;
}
