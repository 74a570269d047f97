import { SvcError } from '../../sdk/src/index.ts';
import { type CatalogueEntry } from './tool-errors.ts';
import { type WalletConnection } from './wallet-connection.ts';

const ERRORS = 'svc://errors';
const TIMELINE = /^svc:\/\/payment-requests\/([^/]+)\/timeline$/;

export const resources = [
  {
    uri: ERRORS,
    name: 'errors',
    title: 'Error catalogue',
    description: 'Every error code of the payment service: what it means, what to do, and whether a repeat is safe.',
    mimeType: 'application/json',
  },
] as const;

export const resourceTemplates = [
  {
    uriTemplate: 'svc://payment-requests/{request_id}/timeline',
    name: 'timeline',
    title: 'Timeline of a payment request',
    description: 'Every event of a payment request (pr_…), in order: who did what, when, and on what evidence.',
    mimeType: 'application/json',
  },
] as const;

/** The service's own error catalogue, fetched once. Without it errors are still reported, with less advice. */
export class ErrorCatalogue {
  private known: Promise<readonly CatalogueEntry[]> | undefined;

  constructor(private readonly wallet: WalletConnection) {}

  async entries(): Promise<ReadonlyMap<string, CatalogueEntry>> {
    const list = await this.list().catch(() => []);
    return new Map(list.map((entry) => [entry.code, entry]));
  }

  async list(): Promise<readonly CatalogueEntry[]> {
    this.known ??= this.wallet.agent.listErrors() as Promise<readonly CatalogueEntry[]>;
    try {
      return await this.known;
    } catch (error) {
      this.known = undefined;
      throw error;
    }
  }
}

const NO_TIMELINE =
  'only payment requests (pr_…) have a timeline; for a payment under a policy (ap_…) call get_payment with its id';

export async function readResource(uri: string, wallet: WalletConnection, catalogue: ErrorCatalogue) {
  const timeline = TIMELINE.exec(uri)?.[1];
  if (uri === ERRORS) return json(uri, { errors: await catalogue.list() });
  if (timeline !== undefined) return json(uri, { timeline: await timelineOf(decodeURIComponent(timeline), wallet) });
  throw new Error(`unknown resource: ${uri.slice(0, 200)}`);
}

async function timelineOf(id: string, wallet: WalletConnection) {
  const agent = await wallet.connected();
  try {
    return await agent.readTimeline(id);
  } catch (error) {
    // A request may have such an id, too, if the agent chose it.
    const isUnknown = error instanceof SvcError && error.code === 'resource_not_found';
    throw isUnknown && id.startsWith('ap_') ? new Error(NO_TIMELINE) : error;
  }
}

const json = (uri: string, value: object) => ({ uri, mimeType: 'application/json', text: JSON.stringify(value) });
