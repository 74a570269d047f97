import { EVENT_STORE, type EventStore, LOG_START } from '../../src/platform/event-store/event-store.port';
import { type IdPrefix, newId } from '../../src/kernel/ids';
import { type Answer, call } from '../support/http';
import { type Column } from './credentials';
import { expectedAt } from './expected';
import { type Outcome, type Parts, type Row } from './row';
import { agentSurfaceRows } from './rows-agent-surface';
import { accessRows } from './rows-access';
import { auditRows } from './rows-audit';
import { merchantRows } from './rows-merchant';
import { endingRows, walletRows } from './rows-wallet';
import { idsOf } from './tenant';
import { type World } from './world';

export const rows: Readonly<Record<string, Row>> = {
  ...accessRows,
  ...merchantRows,
  ...walletRows,
  ...agentSurfaceRows,
  ...auditRows,
  ...endingRows,
};

type Sent = Readonly<{
  headers: Readonly<Record<string, string>>;
  parts: Parts;
  fields?: Column['fields'];
  requestId?: string;
}>;

export const send = (
  world: World,
  route: string,
  { headers, parts, fields, requestId = 'walls' }: Sent,
): Promise<Answer> => {
  const [method = '', pattern = ''] = route.split(' ');
  const path = pattern.replace(/\{(\w+)\}/g, (_, name: string) => parts.path?.[name] ?? '');
  const inQuery = ['GET', 'DELETE'].includes(method);
  const query = new URLSearchParams({ ...(inQuery ? fields : {}), ...parts.query }).toString();
  const body = inQuery ? undefined : { ...fields, ...parts.body };
  return call(`${world.service.url}${path}${query && `?${query}`}`, {
    method,
    headers: { 'x-request-id': requestId, ...headers },
    ...(body === undefined ? {} : { body }),
  });
};

export const outcomeOf = ({ status, body }: Answer): Outcome => body.error?.code ?? status;

/** Everything in a response that a caller can see, except the date. */
export const bytesOf = ({ status, headers, text }: Answer): string =>
  JSON.stringify([status, [...headers].filter(([name]) => name !== 'date'), text]);

/** The same call with ids that do not exist. */
export const aboutNothing = (parts: Parts): Parts => ({
  ...parts,
  path: Object.fromEntries(Object.entries(parts.path ?? {}).map(([name, id]) => [name, likeNothing(id)])),
});

export const likeNothing = (id: string): string => newId(id.slice(0, id.indexOf('_')) as IdPrefix);

export type RowReport = Readonly<{ cells: number; problems: string[]; refused: ReadonlyMap<string, string> }>;

/** Everything wrong in one row; no problems if every cell is as it must be. */
export async function tryRow(world: World, route: string, row: Row, columns: readonly Column[]): Promise<RowReport> {
  const make = async (): Promise<Parts> => (await row.parts?.(world)) ?? {};
  const shared = await make();
  const ours = [...idsOf(world.us), ...Object.values(shared.path ?? {})];
  const problems: string[] = [];
  const refused = new Map<string, string>();
  const [wrong] = row.wall === 'open' ? ((await row.wrongBodies?.(world)) ?? []) : [];
  for (const column of columns) {
    const cell = `${route} with ${column.name}`;
    const requestId = newId('req');
    const complain = (what: string): void => void problems.push(`${cell}: ${what}`);
    // Where the body alone decides, no header credential makes up for a wrong one in the body.
    const instead = column.transport === 'none' ? undefined : wrong;
    const expected = instead?.outcome ?? expectedAt(row, column, route);
    const succeeds = typeof expected === 'number';
    const holder = succeeds ? await row.holder?.(world) : undefined;
    const sent = { ...(holder ?? { ...column, parts: instead ?? (succeeds ? await make() : shared) }), requestId };
    const answer = await send(world, route, sent);
    const found = outcomeOf(answer);
    if (found !== expected) complain(`expected ${expected}, got ${found}`);
    if (!succeeds) refused.set(requestId, cell);
    if (!succeeds || isStrangers(row, column)) {
      if (ours.some((id) => answer.text.includes(id))) complain('the answer names something of ours');
    }
    if (expected !== 'resource_not_found') continue;
    const other = await send(world, route, { ...sent, parts: aboutNothing(shared) });
    if (bytesOf(other) !== bytesOf(answer)) complain('another’s thing is not answered like a thing that is not');
  }
  return { cells: columns.length, problems, refused };
}

/** A stranger gets a successful response, and the call itself does not refer to anything of ours. */
const isStrangers = (row: Row, { standing }: Column): boolean =>
  standing === 'stranger' && row.wall !== 'open' && row.stranger === undefined && !row.holder;

/** Usage records are written for refused calls too; any other event would be an effect. */
const USAGE_EVENTS = ['ApiKeyUsed'];

/** What refused calls left in the log; empty if all is well. */
export async function effectsOf({ service }: World, refused: ReadonlyMap<string, string>): Promise<string[]> {
  const store = service.app.get<EventStore>(EVENT_STORE);
  const effects: string[] = [];
  for (let position = LOG_START; ;) {
    const page = await store.readAll(position, 1000);
    const last = page.at(-1);
    if (last === undefined) return effects;
    for (const { type, metadata } of page) {
      const cell = refused.get(metadata.request_id);
      if (cell !== undefined && !USAGE_EVENTS.includes(type)) effects.push(`${cell}: left ${type} in the log`);
    }
    position = last.position;
  }
}
