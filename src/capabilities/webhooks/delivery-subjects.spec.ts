import { type DocumentRef, type ReadModel, type ReadModelStore } from '../../platform/read-model/read-model.port';
import { DeliverySubjects } from './delivery-subjects';
import { newDelivery } from '../../../projections/webhook-deliveries.projection';

const deliveryAbout = (subject_id: string) =>
  newDelivery(
    'whd_1',
    {
      endpoint_id: 'whe_1',
      merchant_id: 'mer_1',
      event_id: 'e',
      event_type: 'payment_request.created',
      subject_id,
      sequence: 1,
      cursor: 1,
    },
    '2030-01-31T12:00:00.000Z',
  );

describe('the names of what deliveries are about', () => {
  it('are read once, since they never change: a request may be 64 KiB long, and a page has 200', async () => {
    const loaded: string[][] = [];
    const load = async (refs: readonly DocumentRef[]) => {
      loaded.push(refs.map(({ id }) => id));
      return refs.map(({ id }) =>
        id === 'pr_late' && loaded.length === 1
          ? undefined
          : { document: { id, request_id: `name of ${id}` }, position: 1n },
      );
    };
    const subjects = new DeliverySubjects({ load } as unknown as ReadModelStore, {} as ReadModel);
    const names = async (...ids: string[]): Promise<string[]> =>
      (await subjects.named(ids.map(deliveryAbout))).map(({ subject_id }) => subject_id);

    expect(await names('pr_1', 'pr_late')).toEqual(['name of pr_1', 'pr_late']);
    expect(await names('pr_1', 'pr_late', 'pr_2')).toEqual(['name of pr_1', 'name of pr_late', 'name of pr_2']);
    expect(await names('pr_2', 'pr_1')).toEqual(['name of pr_2', 'name of pr_1']);
    expect(loaded).toEqual([
      ['pr_1', 'pr_late'],
      ['pr_late', 'pr_2'],
    ]);
  });
});
