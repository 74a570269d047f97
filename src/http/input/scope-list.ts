import { type Check, list, text } from './checks';
import { SCOPES } from '../../kernel/scopes';

const scope = text({
  max: 100,
  pattern: /^[a-z][a-z_]*(\.[a-z][a-z_]*)*$/,
  form: `a scope such as ${SCOPES[0]}`,
  description: `One of: ${SCOPES.join(', ')}`,
  example: SCOPES[0],
});

/** Requested scopes. This checks their form only: a scope that is not allowed gets a refusal of its own. */
export const scopeList: Check = list(scope, 20, 1);

export const withoutRepeats = (scopes: readonly string[]): readonly string[] => [...new Set(scopes)];
