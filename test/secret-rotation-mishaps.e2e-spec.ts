import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RecordedEvent } from '../src/platform/event-store/event-store.port';
import { eventually } from './support/eventually';
import { rotateUntil } from './support/killed-rotation';
import { signUpPendingMerchant } from './support/merchant';
import { eventsOfType } from './support/payments';
import { secretHere } from './support/secret-command';
import { startTestService } from './support/service';
import { temporaryDirectories } from './support/temp-directory';

const secret = (letter: string): string => `only-for-tests-${letter.repeat(40)}`;
const AFTER_THE_CHANGE = { DIE_AFTER_APPEND_TO: 'service_secret-main' };
const directory = temporaryDirectories();

/** The data directory of a stopped service with a generated secret and two personal keys; each test has a copy. */
const original = mkdtempSync(join(tmpdir(), 'svc-mishaps-'));
beforeAll(async () => {
  const service = await startTestService({ dataDir: original });
  for (const email of ['one@example.test', 'two@example.test']) await signUpPendingMerchant(service, { email });
  const isThere = (events: readonly RecordedEvent[]): boolean => events.length > 0;
  await eventually(() => eventsOfType(service, 'SigningKeyPublished'), isThere, 'the audit key');
  await service.stop();
});
afterAll(() => rmSync(original, { recursive: true, force: true }));

function begun(): string {
  const DATA_DIR = directory();
  cpSync(original, DATA_DIR, { recursive: true, preserveTimestamps: true });
  return DATA_DIR;
}

const starts = async (env: Readonly<Record<string, string>>): Promise<void> => (await startTestService({ env })).stop();
const secretFiles = (DATA_DIR: string): readonly string[] =>
  readdirSync(DATA_DIR).filter((name) => name.startsWith('service-secret'));
const keysOf = (DATA_DIR: string): readonly string[] =>
  readdirSync(join(DATA_DIR, 'personal-keys')).filter((name) => /^mac_.*\.json$/.test(name));

describe('a damaged file among the personal keys', () => {
  it.each([
    ['cut off', (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 30))],
    ['no key at all', (file: string) => writeFileSync(file, 'null')],
    ['of a secret that never was', (file: string) => writeFileSync(file, '{"keyId":"pdk_1","wrapped":"9.AAAA"}')],
  ])('(%s) is reported, and does not stop a rotation', async (_, damage) => {
    const DATA_DIR = begun();
    const [name = '', other = ''] = keysOf(DATA_DIR);
    damage(join(DATA_DIR, 'personal-keys', name));
    const left = readFileSync(join(DATA_DIR, 'personal-keys', name), 'utf8');
    const { code, lines, notes } = await secretHere({ DATA_DIR }, ['rotate']);
    expect([code, notes]).toEqual([1, expect.stringContaining(join('personal-keys', name))]);
    expect(notes).not.toContain(other);
    expect(lines.join('\n')).toContain('1 personal keys were rewrapped');
    expect(readFileSync(join(DATA_DIR, 'personal-keys', name), 'utf8')).toBe(left);
    expect(secretFiles(DATA_DIR)).toEqual(['service-secret']);
    const told = await secretHere({ DATA_DIR }, ['status']);
    expect([told.code, told.notes]).toEqual([0, expect.stringContaining(join('personal-keys', name))]);
    const { lines: json } = await secretHere({ DATA_DIR }, ['status', '--json']);
    expect(JSON.parse(json.join(''))).toMatchObject({
      current: 2,
      secrets: [{ personal_keys: 0 }, { personal_keys: 1 }],
      unreadable_keys: [join('personal-keys', name)],
    });
    await starts({ DATA_DIR });
  });

  it('is ignored if it is not a personal key', async () => {
    const DATA_DIR = begun();
    mkdirSync(join(DATA_DIR, 'personal-keys', 'backup.json'));
    writeFileSync(join(DATA_DIR, 'personal-keys', 'notes.json'), 'buy milk');
    mkdirSync(join(DATA_DIR, 'personal-keys', 'lost+found'));
    expect(await secretHere({ DATA_DIR }, ['rotate'])).toMatchObject({ code: 0, notes: '' });
    expect(await secretHere({ DATA_DIR }, ['status'])).toMatchObject({ code: 0, notes: '' });
    await starts({ DATA_DIR });
  });

  it('stops a rotation before anything has changed if it would fail halfway', async () => {
    const DATA_DIR = begun();
    const before = readFileSync(join(DATA_DIR, 'service-secret'), 'utf8');
    mkdirSync(join(DATA_DIR, 'personal-keys', `${keysOf(DATA_DIR)[0]}.new`));
    expect((await secretHere({ DATA_DIR }, ['rotate'])).code).toBe(3);
    expect([secretFiles(DATA_DIR), readFileSync(join(DATA_DIR, 'service-secret'), 'utf8')]).toEqual([
      ['service-secret'],
      before,
    ]);
    await starts({ DATA_DIR });
  });
});

describe('a rotation from the secret in the data directory to a given one, killed after the change', () => {
  const NEW_SERVICE_SECRET = secret('n');

  it('is reported by status, refused with any other secret without a trace, and completed with the same one', async () => {
    const DATA_DIR = begun();
    const given = { DATA_DIR, NEW_SERVICE_SECRET };
    expect(await rotateUntil(AFTER_THE_CHANGE, given)).toBeNull();
    for (const env of [{ DATA_DIR }, { DATA_DIR, NEW_SERVICE_SECRET: secret('m') }, { DATA_DIR }]) {
      const { code, lines, notes } = await secretHere(env, ['rotate']);
      expect([code, lines, notes]).toEqual([2, [], expect.stringContaining('the same NEW_SERVICE_SECRET')]);
      expect(secretFiles(DATA_DIR)).toEqual(['service-secret']);
      const told = await secretHere({ DATA_DIR }, ['status']);
      expect([told.code, told.notes]).toEqual([
        0,
        expect.stringMatching(/^a rotation was interrupted: .*same NEW_SERVICE_SECRET/),
      ]);
    }
    expect(await secretHere(given, ['rotate'])).toMatchObject({ code: 0, notes: '' });
    expect(secretFiles(DATA_DIR)).toEqual([]);
    const env = { DATA_DIR, SERVICE_SECRET: NEW_SERVICE_SECRET };
    expect(await secretHere(env, ['status'])).toMatchObject({ code: 0, notes: '' });
    await starts(env);
  });

  it('is completed even if a generated next secret was left behind', async () => {
    const DATA_DIR = begun();
    expect(await rotateUntil(AFTER_THE_CHANGE, { DATA_DIR, NEW_SERVICE_SECRET })).toBeNull();
    writeFileSync(join(DATA_DIR, 'service-secret.next'), secret('x'));
    expect((await secretHere({ DATA_DIR }, ['status'])).notes).toContain('the same NEW_SERVICE_SECRET');
    expect((await secretHere({ DATA_DIR }, ['rotate'])).code).toBe(2);
    expect((await secretHere({ DATA_DIR, NEW_SERVICE_SECRET }, ['rotate'])).code).toBe(0);
    expect(secretFiles(DATA_DIR)).toEqual([]);
    await starts({ DATA_DIR, SERVICE_SECRET: NEW_SERVICE_SECRET });
  });

  it('is reported by status even if the previous secret was given too', async () => {
    const DATA_DIR = directory();
    const env = { DATA_DIR, SERVICE_SECRET: secret('a') };
    await starts(env);
    expect(await rotateUntil(AFTER_THE_CHANGE, { ...env, NEW_SERVICE_SECRET })).toBeNull();
    const told = await secretHere(env, ['status']);
    expect([told.code, told.notes]).toEqual([0, expect.stringContaining('the same NEW_SERVICE_SECRET')]);
    expect((await secretHere({ ...env, NEW_SERVICE_SECRET }, ['rotate'])).code).toBe(0);
    await starts({ DATA_DIR, SERVICE_SECRET: NEW_SERVICE_SECRET });
  });
});

describe('a rotation to a generated secret', () => {
  it('killed after the change can only be completed without a given secret', async () => {
    const DATA_DIR = begun();
    expect(await rotateUntil(AFTER_THE_CHANGE, { DATA_DIR })).toBeNull();
    const refused = await secretHere({ DATA_DIR, NEW_SERVICE_SECRET: secret('n') }, ['rotate']);
    expect([refused.code, refused.notes]).toEqual([2, expect.stringContaining('finish it first')]);
    expect((await secretHere({ DATA_DIR }, ['status'])).notes).toContain('npm run secret -- rotate finishes it');
    expect(await secretHere({ DATA_DIR }, ['rotate'])).toMatchObject({ code: 0, notes: '' });
    expect(secretFiles(DATA_DIR)).toEqual(['service-secret']);
    await starts({ DATA_DIR });
  });

  it('killed before the change may still become one to a given secret', async () => {
    const DATA_DIR = begun();
    writeFileSync(join(DATA_DIR, 'service-secret.next'), secret('x'));
    expect((await secretHere({ DATA_DIR }, ['status'])).notes).toContain('npm run secret -- rotate finishes it');
    expect((await secretHere({ DATA_DIR, NEW_SERVICE_SECRET: secret('n') }, ['rotate'])).code).toBe(0);
    expect(secretFiles(DATA_DIR)).toEqual([]);
    await starts({ DATA_DIR, SERVICE_SECRET: secret('n') });
  });

  it('leaves nothing behind if the current secret is not the log’s', async () => {
    const DATA_DIR = begun();
    writeFileSync(join(DATA_DIR, 'service-secret'), secret('x'));
    expect((await secretHere({ DATA_DIR }, ['rotate'])).code).toBe(2);
    expect(secretFiles(DATA_DIR)).toEqual(['service-secret']);
  });

  it('is refused with the current secret: nothing would be replaced', async () => {
    const DATA_DIR = begun();
    const NEW_SERVICE_SECRET = readFileSync(join(DATA_DIR, 'service-secret'), 'utf8').trim();
    const { code, notes } = await secretHere({ DATA_DIR, NEW_SERVICE_SECRET }, ['rotate']);
    expect([code, notes]).toEqual([2, expect.stringContaining('choose another')]);
    expect(secretFiles(DATA_DIR)).toEqual(['service-secret']);
  });

  it('is refused to anyone but the owner of the files', async () => {
    const DATA_DIR = begun();
    const getuid = process.getuid;
    // Without user ids there is nothing to refuse.
    if (getuid === undefined) return;
    const spy = jest.spyOn(process as Required<NodeJS.Process>, 'getuid').mockReturnValue(getuid() + 1);
    try {
      const { code, lines, notes } = await secretHere({ DATA_DIR }, ['rotate']);
      expect([code, lines, notes]).toEqual([2, [], expect.stringMatching(/^[^\n]* run this as that user$/)]);
    } finally {
      spy.mockRestore();
    }
    expect(secretFiles(DATA_DIR)).toEqual(['service-secret']);
  });
});
