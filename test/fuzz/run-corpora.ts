import { type Random } from '../support/seeded';
import { type Case, KINDS, type Kind, type Material, nextCase } from './corpora';
import { problemWith } from './document';
import { exchange } from './raw-http';

export type CorporaReport = Readonly<{
  cases: number;
  byKind: ReadonlyMap<Kind, number>;
  byStatus: ReadonlyMap<number, number>;
  /** Each with everything needed to reproduce it. */
  findings: readonly string[];
}>;

const SHOWN = 300;

/** Sends `cases` hostile requests, a few at a time, and checks every response against the document. */
export async function runCorpora(
  url: string,
  random: Random,
  material: Material,
  { cases, kinds = KINDS, atOnce = 8 }: Readonly<{ cases: number; kinds?: readonly Kind[]; atOnce?: number }>,
): Promise<CorporaReport> {
  const byKind = new Map<Kind, number>();
  const byStatus = new Map<number, number>();
  const findings: string[] = [];
  let sent = 0;

  async function worker(): Promise<void> {
    while (sent < cases) {
      const number = sent;
      sent += 1;
      const kind = kinds[number % kinds.length] as Kind;
      const drawn = nextCase(random, kind, material);
      const answer = await exchange(url, drawn.request);
      byKind.set(kind, (byKind.get(kind) ?? 0) + 1);
      byStatus.set(answer?.status ?? 0, (byStatus.get(answer?.status ?? 0) ?? 0) + 1);
      const problem =
        answer === undefined
          ? drawn.mayBeCut
            ? undefined
            : 'no answer'
          : problemWith(answer, drawn.operation, drawn.request.method);
      if (problem !== undefined)
        findings.push(`${problem}: ${describe(drawn)} → ${answer?.text.slice(0, SHOWN) ?? ''}`);
    }
  }

  await Promise.all(Array.from({ length: atOnce }, worker));
  return { cases, byKind, byStatus, findings };
}

function describe({ kind, request }: Case): string {
  const { method, target, headers, body, bytes } = request;
  const shown = headers.filter(([name]) => !/^(authorization|cookie|x-csrf-token|x-svc-api-key)$/i.test(name));
  return JSON.stringify({
    kind,
    method,
    target: target.slice(0, SHOWN),
    headers: shown.map(([name, value]) => [name, value.slice(0, 60)]).slice(0, 8),
    ...(body ? { body: Buffer.from(body).toString('latin1').slice(0, SHOWN), bytes: body.length } : {}),
    ...(bytes ? { raw: Buffer.from(bytes).toString('latin1').slice(0, SHOWN) } : {}),
  });
}
