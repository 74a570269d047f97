import { type Check, list, text } from './checks';
import { type Issue } from '../../kernel/errors';
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

/** Requested scopes that the agent is not allowed, each at its position; undefined is one that could not be read. */
export const scopesBeyond = (
  requested: readonly (string | undefined)[],
  allowed: readonly string[],
): readonly Issue[] =>
  requested.flatMap((one, at) =>
    one === undefined || allowed.includes(one)
      ? []
      : [
          {
            code: 'scope_not_allowed',
            field: `requested_scopes.${at}`,
            message: 'is not among the agent’s allowed scopes',
          },
        ],
  );
