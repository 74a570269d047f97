import { type Check } from '../../http/input/checks';
import { Field, FieldRule, OptionalField } from '../../http/input/field.decorator';
import { checkPaymentFacts, type PaymentFactsInput } from '../../networks';

/** A payment fact that must be given. */
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
 * Whether a fact is right depends on the others, so each is judged among all of them while the fields are checked: the
 * caller then hears of these problems together with those of every other field. A fact that is missing or of the wrong
 * form has been reported by its own check and is not judged twice.
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
