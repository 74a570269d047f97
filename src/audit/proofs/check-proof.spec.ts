import { checkConsistency, checkProof, type EventProof, type PaymentProof } from './check-proof';
import { endorsementBytes, signedBytes } from './checkpoint';
import { type Extent } from './extent';
import { type ProvenEvent, veil } from './leaf';
import { checkpointOf, consistencyOf, eventOf, keyFrom, proofOver, shown, signedBy } from './signed-log.fixtures';
import { keyIsPinned, NEVER_PROVEN, unpinned } from './verdict';

const key = keyFrom('a');
const evil = keyFrom('x');
const trusted = { trustedKeys: [key.key_id] };
const OWN = 'payment_request-1';
const keyOf = { connection_id: 'con_1', merchant_id: 'mer_1', idempotency_key: 'k' };
const created = { request_id: 'pr_1', recipient_id: 'rcp_1', ...keyOf };
const own = (version: number, type: string, data: object = { request_id: 'pr_1' }) => eventOf(OWN, version, type, data);

const behind = [
  eventOf('merchant-mer_1', 1, 'MerchantRegistered', {}),
  eventOf('recipient-rcp_1', 1, 'RecipientCreated', {}),
  eventOf('connect_invitation-inv_1', 1, 'ConnectInvitationApproved', {}),
  eventOf('connection-con_1', 1, 'ConnectionCreated', { origin_id: 'inv_1' }),
];
const taken = own(1, 'PaymentRequestKeyTaken', keyOf);
const request = [own(1, 'PaymentRequestCreated', created), own(2, 'PaymentRequestSigned')];
const everyLeaf = (log: readonly ProvenEvent[]) => log.map((_, leaf) => leaf);
const proofOf = (log: readonly ProvenEvent[], about: object = {}) => proofOver(log, everyLeaf(log), key, about);

describe('a proof that a trusted key has signed', () => {
  const log = [...behind, ...request];

  it('holds if it shows all of one request and what that depends on', () => {
    const { ok, problems } = checkProof(proofOf(log), trusted);
    expect([ok, problems]).toEqual([true, []]);
  });

  it('holds for a request from a pairing, under a key that had been taken, and with one event withheld', () => {
    const paired = [
      eventOf('pairing_session-prs_1', 1, 'PairingSessionApproved', {}),
      eventOf('connection-con_1', 1, 'ConnectionCreated', { origin_id: 'prs_1' }),
      taken,
      own(2, 'PaymentRequestCreated', created),
    ];
    const { ok, proven, problems } = checkProof(proofOf(paired, { version: 3, withheld: [3] }), trusted);
    expect([ok, problems]).toEqual([true, []]);
    expect(proven.join(' ')).toContain('3 event(s) of its own, without a gap from the first, 1 of them not shown');
  });

  it.each<[string, PaymentProof]>([
    ['an event of the request is missing in the middle', proofOf([...request, own(4, 'PaymentRequestConfirmed')])],
    ['an event of the request is missing at the end', proofOf(log, { version: 3 })],
    ['it begins after the creation', proofOf([own(2, 'PaymentRequestSigned')], { withheld: [1], version: 2 })],
    ['nothing of the request is shown', proofOf(behind)],
    ['its first event is withheld', proofOf([own(2, 'PaymentRequestCreated', created)], { withheld: [1], version: 2 })],
    [
      'something precedes the creation',
      proofOf([own(1, 'PaymentRequestSigned'), own(2, 'PaymentRequestCreated', created)]),
    ],
    [
      'the creation is of another request',
      proofOf([own(1, 'PaymentRequestCreated', { ...created, request_id: 'pr_2' })]),
    ],
    [
      'all of it is about another request',
      proofOf([
        own(1, 'PaymentRequestCreated', { ...created, request_id: 'pr_2' }),
        own(2, 'PaymentRequestSigned', { request_id: 'pr_2' }),
      ]),
    ],
    [
      'one event is about another request',
      proofOf([...request, own(3, 'PaymentRequestConfirmed', { request_id: 'pr_2' })]),
    ],
    [
      'the key that was taken is another',
      proofOf([{ ...taken, data: { ...keyOf, idempotency_key: 'other' } }, own(2, 'PaymentRequestCreated', created)]),
    ],
    ['another connection is shown', proofOf([...request, eventOf('connection-con_2', 1, 'ConnectionCreated', {})])],
    ['another recipient is shown', proofOf([...request, eventOf('recipient-rcp_2', 1, 'RecipientCreated', {})])],
    [
      'another invitation is shown',
      proofOf([...log, eventOf('connect_invitation-inv_2', 1, 'ConnectInvitationApproved', {})]),
    ],
    [
      'a session passes for the invitation',
      proofOf([...log, eventOf('pairing_session-inv_1', 1, 'PairingSessionApproved', {})]),
    ],
    [
      'an invitation is named by another connection',
      proofOf([
        ...request,
        eventOf('connection-con_2', 1, 'ConnectionCreated', { origin_id: 'inv_1' }),
        ...behind.slice(2, 3),
      ]),
    ],
    [
      'the stream is not of a request',
      proofOver([eventOf('merchant-mer_1', 1, 'PaymentRequestCreated', created)], [0], key, {
        stream: 'merchant-mer_1',
        version: 1,
      }),
    ],
    ['an event that belongs to it is not shown', proofOver(log, [3, 4, 5], key, { leaves: [2, 3, 4, 5] })],
    ['an event is shown that does not belong to it', proofOver(log, [3, 4, 5], key, { leaves: [4, 5] })],
    [
      'a stream runs backwards',
      proofOf([...request, eventOf('merchant-mer_1', 2, 'B', {}), eventOf('merchant-mer_1', 1, 'A', {})]),
    ],
    ['an event is shown twice', proofOver(log, [4, 5, 5], key, { version: 2 })],
    ['an event comes before an earlier one', proofOver(log, [5, 4], key)],
    ['events stand out of the order of the log', proofOver(log, [3, 2, 4, 5], key)],
  ])('does not hold if %s', (_, proof) => {
    const verdict = checkProof(proof, trusted);
    expect([verdict.ok, verdict.problems.length > 0]).toEqual([false, true]);
  });

  it('says what remains open: the key unless it was named, what came later, and what is veiled', () => {
    const hidden = own(1, 'PaymentRequestCreated', { ...created, device_id: 'dev_1', token_hash: 'h' });
    const shownTo = (event: ProvenEvent): PaymentProof => {
      const proof = proofOf([event]);
      return { ...proof, events: proof.events.map((one) => ({ ...one, event: veil(one.event, () => false) })) };
    };
    const after = expect.stringContaining('That nothing was added about pr_1 after') as string;
    const [plainly, veiled] = [checkProof(proofOf(log), trusted), checkProof(shownTo(hidden), trusted)];
    expect(plainly.notProven).toEqual([after, ...NEVER_PROVEN]);
    const words = 'What the 2 veiled members contain: their digests are proven, not shown.';
    expect([veiled.problems, veiled.notProven]).toEqual([[], [after, words, ...NEVER_PROVEN]]);
    expect(checkProof(proofOf(log)).notProven).toEqual([...unpinned(false, key.key_id), ...plainly.notProven]);
    expect(plainly.proven).toEqual([
      keyIsPinned(true, key.key_id),
      expect.stringContaining('Each of the 6 events shown was in the log'),
      expect.stringMatching(/2 event\(s\) of its own, without a gap from the first\.$/),
    ]);
  });

  it.each<[string, (proof: PaymentProof) => object | undefined]>([
    ['in an event', ({ events }) => events[4]?.event.data],
    ['beside an event', ({ events }) => events[4]],
    ['around the data', ({ events }) => events[4]?.event],
    ['in the checkpoint', ({ checkpoint }) => checkpoint],
    ['in the statement', ({ extent }) => extent],
    ['in the file', (proof) => proof],
    ['in a key', ({ keys }) => keys[0]],
  ])('does not hold once something was added %s', (_, partOf) => {
    const copy = structuredClone(proofOf(log));
    Object.assign(partOf(copy) ?? {}, { paid: true });
    expect(copy).not.toEqual(proofOf(log));
    expect(checkProof(copy, trusted).ok).toBe(false);
  });

  it('names each problem', () => {
    const problems = (proof: PaymentProof) => checkProof(proof, trusted).problems;
    expect(problems(proofOf(log, { version: 4 }))).toEqual([3, 4].map((at) => `event ${at} of ${OWN} is missing`));
    expect(problems(proofOver(log, [4, 5], key, { leaves: [0, 1, 4, 5] }))).toEqual([
      '2 event(s) that belong to it are missing',
    ]);
    expect(problems(proofOver(log, [4, 5], key, { leaves: [4] }))).toEqual([`event 2 of ${OWN} does not belong to it`]);
  });
});

describe('a proof of which a part is signed by a key that nobody trusts', () => {
  const log = [...behind, ...request];

  it.each([
    ['the statement of what belongs to it', proofOver(log, everyLeaf(log), key, {}, evil)],
    ['the checkpoint', proofOver(log, everyLeaf(log), evil, {}, key)],
    ['everything', proofOver(log, everyLeaf(log), evil)],
  ])('does not hold: %s', (_, proof) => {
    expect(checkProof(proof, trusted).problems).toEqual([
      `key ${evil.key_id} is not one of those you trust, and none of them has endorsed it`,
    ]);
    expect(checkProof(proof).ok).toBe(true);
  });

  it('holds once a trusted key has endorsed it, and says so', () => {
    const about = { ...shown(evil), by_key_id: key.key_id };
    const one = { ...about, by_public_key: key.public_key, signature: signedBy(key, endorsementBytes(about)) };
    const { ok, proven } = checkProof({ ...proofOver(log, everyLeaf(log), evil), endorsements: [one] }, trusted);
    expect([ok, proven[0]]).toEqual([true, expect.stringContaining('which succeeds a key you named')]);
  });
});

describe('a proof whose statement of what belongs to it', () => {
  const log = [...behind, ...request, own(3, 'PaymentRequestRejected')];
  const proof = proofOver(log, everyLeaf(log), key);
  const shorter = { ...proof, events: proof.events.slice(0, -1) };
  const short = { version: 2, leaves: [0, 1, 2, 3, 4, 5] };
  const { signature, ...said } = proof.extent as Extent;
  const saying = (about: object): PaymentProof => ({ ...shorter, extent: { ...said, signature, ...short, ...about } });

  it.each<[string, PaymentProof]>([
    ['was shortened', saying({})],
    ['was signed for something else', saying({ signature: proof.checkpoint.signature })],
    ['has no signature', saying({ signature: '' })],
    ['has no signature in lower case', { ...proof, extent: { ...said, signature: signature.toUpperCase() } }],
    ['names a key that is not there', { ...proof, extent: { ...said, signature, key_id: evil.key_id } }],
    ['is missing', { ...proof, extent: undefined as never }],
  ])('%s does not hold', (_, forged) => {
    expect([checkProof(proof).ok, checkProof(forged).ok, checkProof(forged, trusted).ok]).toEqual([true, false, false]);
  });
});

describe('a hostile file', () => {
  it('is reported at once, however long the request is said to be', () => {
    const proof = proofOf(request, { version: Number.MAX_SAFE_INTEGER });
    expect(checkProof(proof, trusted).ok).toBe(false);
  });

  it('is reported without a search through all of it for each event', () => {
    const proof = proofOf(request);
    const events = Array.from({ length: 500 }, () => proof.events[0] as EventProof);
    const extent = { ...(proof.extent as Extent), leaves: Array.from({ length: 500 }, (_, leaf) => leaf + 9) };
    const search = jest.spyOn(Array.prototype, 'includes');
    const { problems } = checkProof({ ...proof, events, extent }, trusted);
    const searched = search.mock.contexts.reduce<number>((sum, list) => sum + (list as readonly unknown[]).length, 0);
    search.mockRestore();
    expect(problems).toContain('500 event(s) that belong to it are missing');
    // What remains are the few names that each object may have.
    expect(searched / 500).toBeLessThan(100);
  });

  it.each([null, '0', [], false, -0.5, 1.5, 2 ** 60])('is reported at once if the size of a log is %j', (size) => {
    const to = checkpointOf(request, key);
    const about = { ...to, tree_size: size as number };
    const strange = { ...about, signature: signedBy(key, signedBytes(about)) };
    const proof = ['0'.repeat(64)];
    expect(checkConsistency(consistencyOf(strange, to, key, proof), trusted).ok).toBe(false);
    expect(checkConsistency(consistencyOf(to, strange, key, proof), trusted).ok).toBe(false);
  });
});
