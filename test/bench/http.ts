import { join } from 'node:path';
import { newId } from '../../src/kernel/ids';
import { createPayment, paymentInput } from '../support/payments';
import { inTurns, type Load, residentMegabytes, swcArguments, type Target, withServer } from './load';
import { creating, prepare, SERVICE, settings } from './payment-requests';
import { inTempFolder } from './stores';

const JSON_TYPE = { 'content-type': 'application/json' };
const device = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ name: 'Bench phone', platform: 'linux' }) };
const strangersPayment = paymentInput({ recipient: { recipientId: newId('rcp'), recipientVersionId: newId('rcv') } });

export type HttpRates = Readonly<{
  nodeEcho: Load;
  echo: Load;
  /** Of a payment request's body. */
  paymentEcho: Load;
  register: Load;
  readDevice: Load;
  create: Load;
  readPayment: Load;
  /** Of the service, after all of it. */
  megabytes: number;
}>;

/** All of them in turns, round after round: a machine that is slower for a while is so for each. */
export const httpRates = (): Promise<HttpRates> =>
  withServer(bare('bare-http.ts'), {}, (node) =>
    withServer(bare('bare-nest.ts'), {}, (nest) =>
      inTempFolder(async (folder) => {
        const scene = await prepare(folder);
        return withServer(SERVICE, settings(folder), async (url, child) => {
          const made = await fetch(`${url}/v1/wallet-devices`, device);
          const own = (await made.json()) as { device: { device_id: string }; device_token: string };
          const authorization = `Device ${own.device.device_id}:${own.device_token}`;
          const payment = (await createPayment({ url }, scene)).body.payment_request.request_id as string;
          const posted = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(strangersPayment) } as const;
          const targets = {
            nodeEcho: target(node, { ...device, method: 'POST' }),
            echo: target(`${nest}/echo`, { ...device, method: 'POST' }),
            paymentEcho: target(`${nest}/payment`, posted),
            register: target(`${url}/v1/wallet-devices`, { ...device, method: 'POST' }),
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
