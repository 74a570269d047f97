import { MAX_UNSENT_BYTES, UnreadResponses } from '../src/http/server/unread-responses';
import { call } from './support/http';
import { createPayment, refusal } from './support/payments';
import { useScene } from './support/use-service';

const METADATA = { note: '\u6f22'.repeat(20_000) };

/** Many callers may ask while there is room for the answer to each of them, but not for all of them together. */
describe('an answer that would exceed the limit of unread bytes', () => {
  const { service, scene } = useScene();

  const page = () => call(`${service.url}/v1/payment-requests?limit=200`, scene);
  const whileUnread = (bytes: number) => jest.spyOn(UnreadResponses.prototype, 'bytes').mockReturnValue(bytes);

  beforeAll(async () => {
    for (let made = 0; made < 3; made += 1) await createPayment(service, scene, { metadata: METADATA });
  });
  afterEach(() => jest.restoreAllMocks());

  it('is refused when it is ready, if it is a page, which can be requested again', async () => {
    // By its characters it would fit.
    const { text } = await page();
    expect(text.length).toBeLessThan(Buffer.byteLength(text) - 100_000);
    whileUnread(MAX_UNSENT_BYTES - text.length);
    expect(refusal(await page())).toEqual([503, 'overloaded']);
    whileUnread(MAX_UNSENT_BYTES - Buffer.byteLength(text));
    expect((await page()).status).toBe(200);
  });

  it('is sent if it is about a single thing', async () => {
    whileUnread(MAX_UNSENT_BYTES);
    expect((await call(`${service.url}/v1/connections/current`, scene)).status).toBe(200);
  });
});
