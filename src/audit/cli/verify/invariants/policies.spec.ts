import { optedIn, proposed, reserved } from '../../../../capabilities/agent-payments/policy-budget.fixtures';
import { payment } from '../../../../capabilities/agent-payments/agent-payment.fixtures';
import { type RecordedEvent } from '../../../../platform/event-store/event-store.port';
import { type Log } from '../invariant';
import { policyCaps } from './policies';

describe('what verify says of amounts reserved under a policy', () => {
  const { recipient_id: id, recipient_version_id: version } = payment;
  const agreed = { ...optedIn, data: { ...optedIn.data, payees: { [id]: version }, activations: { [id]: 1 } } };
  const said = async (recipient_activations?: number): Promise<readonly string[]> => {
    const changes = recipient_activations === undefined ? {} : { recipient_activations };
    const events = [proposed, agreed, reserved(changes)] as unknown as readonly RecordedEvent[];
    const found: string[] = [];
    for await (const { what } of policyCaps.breaches(events, {} as Log)) found.push(what);
    return found;
  };

  it('finds a payee that was replaced since the opt-in and came back', async () => {
    expect(await said(1)).toEqual([]);
    expect(await said(3)).toEqual([`${id} had changed since the person agreed to it`]);
  });

  it('takes a reservation from before this was written down as it is', async () => {
    expect(await said()).toEqual([]);
  });
});
