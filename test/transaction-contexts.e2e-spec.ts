import { type Answer, call } from './support/http';
import { describeOnEachPair } from './support/pairs';
import { connectAnotherWallet, createPayment, issues, readPayment, refusal, setPaymentScene } from './support/payments';
import { useScene } from './support/use-service';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describeOnEachPair('transaction contexts', (start) => {
  let numbers = 0;

  const { service, dns, scene } = useScene({ start });

  const contexts = (): string => `${service.url}/v1/transaction-contexts`;
  const describeIt = (body: object, { headers } = scene): Promise<Answer> => call(contexts(), { headers, body });
  const read = (id: string, { headers }: { headers: Readonly<Record<string, string>> } = scene): Promise<Answer> =>
    call(`${contexts()}/${id}`, { headers });
  const aTransaction = (): string => `order-${(numbers += 1)}`;

  const full = {
    title: 'Order 17',
    summary: 'Two coffees and a cake',
    items: [
      { label: 'Coffee', value: '2 × 3.20', secret: 'dropped' },
      { label: 'Ship to', value: 'Table 4' },
    ],
    reference_url: 'https://shop.example/orders/17?x=1',
    metadata: { table: 4, 'a.b': { $c: [true, null] } },
  };

  it('are described, described again, and read as last described', async () => {
    const transaction_id = aTransaction();
    const first = await describeIt({ transaction_id, ...full, unknown: 1 });
    expect([first.status, first.body]).toEqual([
      201,
      {
        ok: true,
        transaction_context: {
          transaction_id,
          connection_id: scene.connection.connectionId,
          revision: 1,
          ...full,
          items: full.items.map(({ label, value }) => ({ label, value })),
          created_at: expect.stringMatching(TIME),
          updated_at: expect.stringMatching(TIME),
          version: 1,
        },
      },
    ]);
    expect((await read(transaction_id)).body).toEqual(first.body);

    const same = await describeIt({ transaction_id, ...full, metadata: { 'a.b': { $c: [true, null] }, table: 4 } });
    expect([same.status, same.body]).toEqual([200, first.body]);

    const second = await describeIt({ transaction_id, title: 'Order 17, paid' });
    expect([second.status, second.body.transaction_context]).toEqual([
      201,
      {
        transaction_id,
        connection_id: scene.connection.connectionId,
        revision: 2,
        title: 'Order 17, paid',
        items: [],
        created_at: first.body.transaction_context.created_at,
        updated_at: expect.stringMatching(TIME),
        version: 2,
      },
    ]);
    expect((await read(transaction_id)).body).toEqual(second.body);
  });

  it('get an id if none is given', async () => {
    const { body } = await describeIt({ title: 'Something' });
    const id = body.transaction_context.transaction_id as string;
    expect(id).toMatch(/^txn_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect((await read(id)).body).toEqual(body);
    expect((await describeIt({ transaction_id: id, title: 'Else' })).body.transaction_context.revision).toBe(2);
  });

  it('count every revision of many concurrent ones', async () => {
    const transaction_id = aTransaction();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => describeIt({ transaction_id, title: `Version ${index % 10}` })),
    );
    const revisions = answers
      .filter(({ status }) => status === 201)
      .map(({ body }) => body.transaction_context.revision as number);
    expect((await read(transaction_id)).body.transaction_context.revision).toBeGreaterThanOrEqual(10);
    expect(Math.max(...revisions)).toBeLessThanOrEqual(20);
  });

  it('belong to their connection', async () => {
    const transaction_id = aTransaction();
    await describeIt({ transaction_id, title: 'Mine' });
    const other = await connectAnotherWallet(service, scene);
    const same = { headers: { ...other.headers, 'x-request-id': 'same' } };
    const [theirs, nothing] = [await read(transaction_id, same), await read('order-unknown', same)];
    expect([refusal(theirs), theirs.text]).toEqual([[404, 'resource_not_found'], nothing.text]);
    const own = await describeIt({ transaction_id, title: 'Theirs' }, other);
    expect(own.body.transaction_context).toMatchObject({ revision: 1, title: 'Theirs' });
    expect((await read(transaction_id)).body.transaction_context.title).toBe('Mine');
  });

  it('are shown to the wallet with the request they belong to', async () => {
    const transaction_id = aTransaction();
    const { body: told } = await describeIt({ transaction_id, ...full });
    const { body } = await createPayment(service, scene, { transaction_id });
    const id = body.payment_request.request_id as string;
    const { body: seen } = await readPayment(service, scene.device, id);
    expect(seen).toMatchObject({ payment_request: body.payment_request, ...told });
    const { body: read } = await readPayment(service, scene, id);
    expect(read.payment_request).toEqual(body.payment_request);
    expect(read.transaction_context).toBeUndefined();
  });

  it('are pinned by the request: the wallet sees the revision of that time, and that there is a newer one', async () => {
    const transaction_id = aTransaction();
    const { body: told } = await describeIt({ transaction_id, ...full });
    const before = (await createPayment(service, scene, { transaction_id })).body.payment_request.request_id as string;
    for (const title of ['Second', 'Third']) await describeIt({ transaction_id, title });
    const { body: newest } = await describeIt({ transaction_id, title: 'Fourth' });
    const after = (await createPayment(service, scene, { transaction_id })).body.payment_request.request_id as string;
    const seen = async (id: string) => (await readPayment(service, scene.device, id)).body;
    const [older, newer] = [await seen(before), await seen(after)];
    expect(older.transaction_context).toEqual({ ...told.transaction_context, newer_revision: 4 });
    expect(newer.transaction_context).toEqual(newest.transaction_context);
    expect([older.newer_revision, newer.newer_revision]).toEqual([4, undefined]);
  });

  it('that come after the request do not belong to it: none is shown, only that there is one', async () => {
    const transaction_id = aTransaction();
    const { body } = await createPayment(service, scene, { transaction_id });
    const id = body.payment_request.request_id as string;
    const seen = async () => {
      const { transaction_context, newer_revision } = (await readPayment(service, scene.device, id)).body;
      return { transaction_context, newer_revision };
    };
    expect(await seen()).toEqual({});
    await describeIt({ transaction_id, title: 'First' });
    expect(await seen()).toEqual({ newer_revision: 1 });
    await describeIt({ transaction_id, title: 'Second' });
    expect(await seen()).toEqual({ newer_revision: 2 });
  });

  it.each(['order 17/é', '50 % off?', '注文#1', '%2F', 'x'.repeat(160)])('may have the id %j', async (name) => {
    const told = await describeIt({ transaction_id: name, title: 'Named' });
    expect([told.status, told.body.transaction_context.transaction_id]).toEqual([201, name]);
    expect((await read(encodeURIComponent(name))).body).toEqual(told.body);
    const { status, body } = await createPayment(service, scene, { transaction_id: name });
    expect([status, body.payment_request.transaction_id]).toEqual([201, name]);
    const id = body.payment_request.request_id as string;
    const { body: seen } = await readPayment(service, scene.device, id);
    expect(seen).toMatchObject({ payment_request: body.payment_request, ...told.body });
  });

  it('keep line breaks and tabs in fields that people write at length', async () => {
    const lines = 'Ship to:\n\tTable 4\r\n';
    const { body } = await describeIt({
      title: 'Lines',
      summary: lines,
      items: [{ label: 'Address', value: lines }],
      metadata: { note: lines },
    });
    expect(body.transaction_context).toMatchObject({
      summary: lines,
      items: [{ label: 'Address', value: lines }],
      metadata: { note: lines },
    });
    const oneLine = await describeIt({ title: 'a\nb', items: [{ label: 'a\tb', value: 'v' }] });
    expect(issues(oneLine).sort()).toEqual([
      ['unreadable_text', 'items.0.label'],
      ['unreadable_text', 'title'],
    ]);
  });

  it('are refused with every problem', async () => {
    const answer = await describeIt({
      transaction_id: '..',
      title: '',
      summary: 'x'.repeat(2001),
      items: [{ label: 'x'.repeat(121), value: 1 }, { value: 'v' }],
      reference_url: 'http://shop.example',
      metadata: { list: [{ walletAddress: 'G…' }], memo: '', fine: 1 },
    });
    expect([refusal(answer), issues(answer).sort()]).toEqual([
      [400, 'validation_failed'],
      [
        ['malformed', 'reference_url'],
        ['malformed', 'transaction_id'],
        ['override_not_accepted', 'metadata.list.0.walletAddress'],
        ['override_not_accepted', 'metadata.memo'],
        ['required', 'items.1.label'],
        ['too_long', 'items.0.label'],
        ['too_long', 'summary'],
        ['too_short', 'title'],
        ['wrong_type', 'items.0.value'],
      ],
    ]);
    const other = 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN';
    const misleading = await describeIt({
      title: `Order 1017, to ${other}`,
      summary: 'web+stellar:tx?xdr=AAAA',
      items: [
        { label: 'Table', value: '4' },
        { label: 'New address', value: other },
      ],
      reference_url: `https://shop.example/${other}`,
      metadata: { note: [other], memo: other },
    });
    expect(issues(misleading).sort()).toEqual([
      ['override_not_accepted', 'items.1.value'],
      ['override_not_accepted', 'metadata.memo'],
      ['override_not_accepted', 'metadata.note.0'],
      ['override_not_accepted', 'reference_url'],
      ['override_not_accepted', 'summary'],
      ['override_not_accepted', 'title'],
    ]);
    const many = { title: 't', items: Array.from({ length: 51 }, () => ({ label: 'l', value: 'v' })) };
    expect(issues(await describeIt(many))).toEqual([['too_long', 'items']]);
    expect((await describeIt({ ...many, items: many.items.slice(1) })).status).toBe(201);
  });

  it.each([
    'https://a.example\\@evil.example/',
    'https://user:pass@shop.example/',
    'javascript:alert(1)',
    '//shop.example',
    'shop',
    'https://',
    // A browser would turn these into URLs; the API document promises that they begin with https://.
    'HTTPS://shop.example',
    'https:shop.example',
    'https:///shop.example',
  ])('refuse a link to %s', async (reference_url) => {
    expect(issues(await describeIt({ title: 't', reference_url }))).toEqual([['malformed', 'reference_url']]);
  });

  it('need their scopes, and are not available to wallets', async () => {
    const other = await setPaymentScene(service, dns, { scopes: ['payment.requests.read'] });
    const [written, seen] = [await describeIt({ title: 't' }, other), await read('x', other)];
    expect([refusal(written), written.body.error.details.required_scope]).toEqual([
      [403, 'insufficient_scope'],
      'transaction_contexts.create',
    ]);
    expect([refusal(seen), seen.body.error.details.required_scope]).toEqual([
      [403, 'insufficient_scope'],
      'transaction_contexts.read',
    ]);
    expect(refusal(await read('x', scene.device))).toEqual([401, 'unauthenticated']);
  });
});
