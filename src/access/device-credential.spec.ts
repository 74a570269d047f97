import { type SvcRequest } from '../http/server/request-context';
import { deviceCredentialOf } from './device-credential';

const OWN = { device_id: 'dev_1', token: 'svc_dt_1' };
const HEADER = 'Device dev_1:svc_dt_1';
type Sent = Readonly<{ method?: string; authorization?: string; body?: object; query?: object }>;
const read = ({ method = 'POST', authorization, body = {}, query = {} }: Sent): string => {
  try {
    const { deviceId, token } = deviceCredentialOf({ method, headers: { authorization }, body, query } as SvcRequest);
    return `${deviceId} ${token}`;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('a wallet’s two fields', () => {
  it.each<Sent>([
    { authorization: HEADER },
    { authorization: HEADER.replace('Device', 'device') },
    { body: OWN },
    { authorization: HEADER, body: OWN },
    ...['GET', 'HEAD', 'DELETE'].map((method) => ({ method, query: OWN })),
  ])('are read from %j', (sent) => expect(read(sent)).toBe('dev_1 svc_dt_1'));

  // A query is kept in histories and logs of proxies: it is read only where there is no other place.
  it.each<Sent>([
    ...['POST', 'PATCH', 'PUT'].map((method) => ({ method, query: OWN })),
    { authorization: `${HEADER} more` },
    { authorization: `Basic ${HEADER}` },
    { authorization: 'Device dev_1' },
    { body: { device_id: 'dev_1' } },
    { body: { device_id: 'dev_1' }, method: 'GET', query: { token: 'svc_dt_1' } },
  ])('are not read from %j', (sent) => expect(read(sent)).toBe('unauthenticated'));

  it.each<Sent>([
    { authorization: HEADER, body: { device_id: 'dev_2' } },
    { authorization: HEADER, body: { token: 'svc_dt_2' } },
    { method: 'DELETE', body: OWN, query: { ...OWN, token: 'svc_dt_2' } },
    { authorization: HEADER, body: { device_id: ['dev_1'], token: 'svc_dt_1' } },
    { authorization: HEADER, body: { token: null } },
  ])('are refused if another place says something else: %j', (sent) => expect(read(sent)).toBe('validation_failed'));

  it('name the field when they differ', () => {
    const torn = { method: 'POST', headers: { authorization: HEADER }, body: { device_id: 'dev_2' }, query: {} };
    expect(() => deviceCredentialOf(torn as unknown as SvcRequest)).toThrow(
      expect.objectContaining({ field: 'device_id', issues: [expect.objectContaining({ code: 'conflict' })] }),
    );
  });
});
