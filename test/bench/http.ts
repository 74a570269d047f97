import { join } from 'node:path';
import { newId } from '../../src/kernel/ids';
import { createPayment, paymentInput } from '../support/payments';
import { prepareScene } from '../support/prepared-scene';
import { inTurns, type Load, residentMegabytes, swcArguments, type Target, withServer } from './load';
import { creating, SERVICE, settings } from './payment-requests';
import { inTempFolder } from './stores';

const JSON_TYPE = { 'content-type': 'application/json' };
const postOf = (body: object) => ({ method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) }) as const;
const device = postOf({ name: 'Bench phone', platform: 'linux' });
const strangersPayment = paymentInput({ recipient: { recipientId: newId('rcp'), recipientVersionId: newId('rcv') } });

export type HttpRates = Readonly<{
  nodeEcho: Load;
  echo: Load;
  /** The echo of a payment request's body. */
  paymentEcho: Load;
  register: Load;
  readDevice: Load;
  create: Load;
  readPayment: Load;
  /** The service's memory after the whole run. */
  megabytes: number;
}>;

/** All of them in turns, round after round, so that a temporarily slow machine affects each alike. */
export const httpRates = (): Promise<HttpRates> =>
  withServer(bare('bare-http.ts'), {}, (node) =>
    withServer(bare('bare-nest.ts'), {}, (nest) =>
      inTempFolder(async (folder) => {
        const scene = await prepareScene(folder);
        return withServer(SERVICE, settings(folder), async (url, child) => {
          const made = await fetch(`${url}/v1/wallet-devices`, device);
          const own = (await made.json()) as { device: { device_id: string }; device_token: string };
          const authorization = `Device ${own.device.device_id}:${own.device_token}`;
          const payment = (await createPayment({ url }, scene)).body.payment_request.request_id as string;
          const targets = {
            nodeEcho: target(node, device),
            echo: target(`${nest}/echo`, device),
            paymentEcho: target(`${nest}/payment`, postOf(strangersPayment)),
            register: target(`${url}/v1/wallet-devices`, device),
            readDevice: target(`${url}/v1/wallet-devices/${own.device.device_id}`, { headers: { authorization } }),
            create: creating(url, scene),
            readPayment: target(`${url}/v1/payment-requests/${payment}`, { headers: scene.headers }),
          };
          return { ...(await inTurns(targets)), megabytes: residentMegabytes(child) };
        });
      }),
    ),
  );

const bare = (file: string): readonly string[] => [...swcArguments, join(__dirname, 'servers', file)];

const target = (url: string, options: Target['options']): Target => ({ url, options });
