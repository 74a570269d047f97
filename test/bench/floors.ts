import { type ChildProcess } from 'node:child_process';
import { withServer } from './load';
import { type Aim, post, posting, program } from './posting';
import { inTempFolder } from './stores';

/** The least processor time, in milliseconds, that each of these can take on this machine; see the programs in servers/. */
export type Floors = Readonly<{ http: number; create: number; sent: number; createdPerSecond: number }>;

/** Servers without framework, checks and decisions. Call `measure` in turns with what is compared with them. */
export const withFloors = <T>(work: (measure: (events: number) => Promise<Floors>) => Promise<T>): Promise<T> =>
  inTempFolder((folder) =>
    withServer(program('webhook-receiver.ts'), {}, (receiver) =>
      withServer(program('bare-http.ts'), {}, (http, child) =>
        withServer(program('bare-durable.ts'), { DATA_DIR: folder, RECEIVER: receiver }, (durable, beside) =>
          work((events) => measured(aimsAt({ http, child, durable, beside }), events)),
        ),
      ),
    ),
  );

type Servers = Readonly<{ http: string; child: ChildProcess; durable: string; beside: ChildProcess }>;

const aimsAt = ({ http, child, durable, beside }: Servers) => ({
  http: posting(`${http}/`, child),
  create: posting(`${durable}/`, beside),
  sent: posting(`${durable}/sent`, beside),
});

async function measured(aims: Readonly<Record<'http' | 'create' | 'sent', Aim>>, events: number): Promise<Floors> {
  const http = await post(aims.http, events);
  const create = await post(aims.create, events);
  const sent = await post(aims.sent, events);
  return { http: http.cpu, create: create.cpu, sent: sent.cpu, createdPerSecond: create.perSecond };
}
