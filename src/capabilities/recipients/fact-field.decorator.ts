import { type Check } from '../../http/input/checks';
import { Field, FieldRule, OptionalField } from '../../http/input/field.decorator';
import { checkPaymentFacts, type PaymentFactsInput } from '../../networks';

/** A required payment fact. */
export const FactField = (check: Check): PropertyDecorator => both(Field(check), fitsTheOthers(check, true));

/** A payment fact that depends on network and asset. */
export const OptionalFactField = (check: Check): PropertyDecorator =>
  both(OptionalField(check), fitsTheOthers(check, false));

const both =
  (first: PropertyDecorator, second: PropertyDecorator): PropertyDecorator =>
  (target, property) => {
    first(target, property);
    second(target, property);
  };

/**
 * Whether a fact is valid depends on the others, so each is checked along with all of them while the fields are
 * validated: the caller then sees these problems together with those of every other field. A fact that is missing or
 * malformed has been reported by its own check and is not checked twice.
 */
const fitsTheOthers = (check: Check, mandatory: boolean): PropertyDecorator =>
  FieldRule('payment_fact', (value, input, fact) => {
    if (value === undefined ? mandatory : check.problems(value).length > 0) return [];
    const answer = checkPaymentFacts(factsIn(input));
    if (answer.ok) return [];
    return answer.issues.filter(({ field }) => field === fact).map(({ code, message }) => ({ code, message }));
  });

function factsIn(input: object): PaymentFactsInput {
  const given = input as Readonly<Record<string, unknown>>;
  const textIn = (name: string): string | undefined => (typeof given[name] === 'string' ? given[name] : undefined);
  return {
    network: textIn('network') ?? '',
    asset: textIn('asset') ?? '',
    address: textIn('address') ?? '',
    memo: textIn('memo'),
    contract: textIn('contract'),
    issuer: textIn('issuer'),
  };
}
