import { completeThresholds, firstWithPast, policiesWithPast, questionOf, simulationWords } from './simulation.ts';

const limits = {
  single_tx_limit: '5',
  cumulative_limit: '50.5',
  valid_from: '2026-05-01T10:00:00.000Z',
  valid_until: '2026-06-01T10:00:00.000Z',
  allowlist: ['rcp_1'],
};
const answer = (intents: number, refused = 0) => ({
  intents,
  permitted: intents - refused,
  refused,
  differences: [],
});
const difference = (permitted: boolean) => ({
  idempotency_key: null,
  payment_id: 'ap_1',
  amount: '1',
  permitted,
  was_permitted: !permitted,
  triggered_thresholds: [],
});

describe('limits that are tried before they are saved', () => {
  it('are asked about when all of them are there', () => {
    expect(completeThresholds(limits)).toEqual(limits);
    expect(completeThresholds({ ...limits, single_tx_limit: '0.0000001' })).toBeDefined();
  });

  it.each([
    { single_tx_limit: '' },
    { single_tx_limit: '0.00' },
    { cumulative_limit: '5,5' },
    { cumulative_limit: '-5' },
    { valid_from: '' },
    { valid_until: limits.valid_from },
    { allowlist: [] },
  ])('are not asked about with %j', (missing) => {
    expect(completeThresholds({ ...limits, ...missing })).toBeUndefined();
  });

  it('are asked about for thirty days, as if their window had begun before', () => {
    const question = questionOf(limits, Date.parse('2026-05-31T00:00:00.000Z'));
    expect(question).toEqual({ ...limits, valid_from: '2000-01-01T00:00:00.000Z', from: '2026-05-01T00:00:00.000Z' });
  });

  it('are tried on the policy itself, then on those before it, the newest first', () => {
    const about = { connection_id: 'con_1', network: 'stellar_testnet', asset: 'XLM' };
    const known = [
      { ...about, id: 'pol_1', created_at: '2026-01-01' },
      { ...about, id: 'pol_2', created_at: '2026-02-01' },
      { ...about, id: 'pol_other_asset', asset: 'USDC', created_at: '2026-03-01' },
      { ...about, id: 'pol_other_agent', connection_id: 'con_2', created_at: '2026-03-01' },
      { ...about, id: 'pol_3', created_at: '2026-03-01' },
    ];
    expect(policiesWithPast(known, about)).toEqual(['pol_3', 'pol_2', 'pol_1']);
    expect(policiesWithPast(known, known[0] ?? about)).toEqual(['pol_1', 'pol_3', 'pol_2']);
  });

  it('use the first policy that ever judged a payment', async () => {
    const answers = { pol_1: answer(0), pol_2: answer(7, 2), pol_3: answer(9) };
    const simulate = (id: string) => Promise.resolve(answers[id as keyof typeof answers]);
    expect(await firstWithPast(['pol_1', 'pol_2', 'pol_3'], simulate)).toMatchObject({ policyId: 'pol_2', intents: 7 });
    expect(await firstWithPast(['pol_1'], simulate)).toBeNull();
  });

  it('are answered with exact counts', () => {
    expect(simulationWords(answer(214, 3), 'you')).toEqual({
      sentence: 'With these limits, 3 of 214 payments last month would have waited for you.',
      change: 'Every decision would have been the same.',
    });
    const changed = { ...answer(1), differences: [difference(false), difference(true), difference(false)] };
    expect(simulationWords(changed, 'the person')).toEqual({
      sentence: 'With these limits, 0 of 1 payment last month would have waited for the person.',
      change: '2 that went through would have waited; 1 that waited would have gone through.',
    });
  });
});
