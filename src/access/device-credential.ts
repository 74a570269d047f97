import { refuse, refuseInput } from '../kernel/errors';
import { isPlainObject } from '../http/input/checks';
import { type SvcRequest } from '../http/server/request-context';

/** As it was sent: the guard decides whether it is a device id. */
export type DeviceCredential = Readonly<{ deviceId: string; token: string }>;

/** Methods whose requests may have no body. */
export const BODYLESS_METHODS = new Set(['GET', 'HEAD', 'DELETE']);

/** The wallet's two fields, from the header, the body, or (where there may be no body) the query. */
export function deviceCredentialOf(request: SvcRequest): DeviceCredential {
  const sent = [
    fromHeader(request.headers.authorization),
    fromFields(request.body),
    BODYLESS_METHODS.has(request.method) ? fromFields(request.query) : {},
  ];
  const first = sent.find(isWhole);
  if (first === undefined) throw refuse('unauthenticated', { headers: CHALLENGE });
  // Half of a second one counts too: it may name another device than the call would be made for.
  const { deviceId: id, token: secret } = first;
  if (sent.some(({ deviceId = id, token = secret }) => deviceId !== id || token !== secret)) {
    throw refuseInput([
      { code: 'conflict', field: 'device_id', message: 'differs between header, body and query; send it once' },
    ]);
  }
  return first;
}

export const CHALLENGE = { 'WWW-Authenticate': 'Device realm="svc"' };

/** Of one place in the request; each part may be missing. */
type Sent = Readonly<{ deviceId?: string | undefined; token?: string | undefined }>;

const isWhole = (sent: Sent): sent is DeviceCredential => sent.deviceId !== undefined && sent.token !== undefined;

function fromHeader(header: string | undefined): Sent {
  const [, deviceId, token] = /^device\s+([^:\s]+):(\S+)$/i.exec(header ?? '') ?? [];
  return { deviceId, token };
}

function fromFields(fields: unknown): Sent {
  if (!isPlainObject(fields)) return {};
  const { device_id: deviceId, token } = fields;
  // If they were ignored, they could accompany another credential without being compared with it.
  const issues = Object.entries({ device_id: deviceId, token })
    .filter(([, value]) => value !== undefined && typeof value !== 'string')
    .map(([field]) => ({ code: 'wrong_type', field, message: 'must be a string' }));
  if (issues.length > 0) throw refuseInput(issues);
  return { deviceId, token } as Sent;
}
