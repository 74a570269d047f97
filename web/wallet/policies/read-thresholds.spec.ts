import { chosenInstead, thresholdsIn } from './read-thresholds.ts';

const proposed = {
  single_tx_limit: '5',
  cumulative_limit: '50.5',
  valid_from: '2026-01-01T10:00:31.250Z',
  valid_until: '2026-02-01T10:00:59.999Z',
  allowlist: ['rcp_1', 'rcp_2'],
};

function form(values: Readonly<Record<string, string | readonly string[]>>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(values)) {
    for (const one of [value].flat()) data.append(name, one);
  }
  return data;
}

describe('the thresholds of a form', () => {
  it('are what was typed and chosen', () => {
    const typed = {
      single_tx_limit: ' 5 ',
      cumulative_limit: '50',
      valid_from: '',
      valid_until: '',
      allowlist: ['a', 'b'],
    };
    expect(thresholdsIn(form(typed))).toEqual({ single_tx_limit: '5', cumulative_limit: '50', allowlist: ['a', 'b'] });
    expect(thresholdsIn(form({ allowlist: 'a\nb, c' })).allowlist).toEqual(['a', 'b', 'c']);
  });

  it('name nothing when the proposal is taken as it is, though fields have no seconds', () => {
    const { valid_from, valid_until } = proposed;
    const chosen = {
      ...proposed,
      valid_from: valid_from.replace(':31.250', ':00.000'),
      valid_until: valid_until.replace(':59.999', ':00.000'),
    };
    expect(chosenInstead(proposed, proposed, { ...chosen, allowlist: ['rcp_2', 'rcp_1'] })).toEqual({});
  });

  it('name what was changed, and that alone', () => {
    const chosen = {
      ...proposed,
      cumulative_limit: '20',
      valid_until: '2026-01-15T10:00:00.000Z',
      allowlist: ['rcp_1'],
    };
    expect(chosenInstead(proposed, proposed, chosen)).toEqual({
      cumulative_limit: '20',
      valid_until: '2026-01-15T10:00:00.000Z',
      allowlist: ['rcp_1'],
    });
  });

  it('may go back up to the proposal, to its very second', () => {
    const now = { ...proposed, valid_until: '2026-01-15T10:00:00.000Z', single_tx_limit: '2' };
    const chosen = { ...now, valid_until: '2026-02-01T10:00:00.000Z', single_tx_limit: '5' };
    expect(chosenInstead(now, proposed, chosen)).toEqual({ single_tx_limit: '5', valid_until: proposed.valid_until });
  });
});
