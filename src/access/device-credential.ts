import { refuse, refuseInput } from '../kernel/errors';
import { isPlainObject } from '../http/input/checks';
import { type SvcRequest } from '../http/server/request-context';

/** As it was sent: the guard decides whether it is a device id. */
export type DeviceCredential = Readonly<{ deviceId: string; token: string }>;

/** Methods whose requests may have no body. */
export const BODYLESS_METHODS = new Set(['GET', 'HEAD', 'DELETE']);

/** The wallet's two fields, from the header, the body, or (where there may be no body) the query. */
export function deviceCredentialOf(request: SvcRequest): DeviceCredential {
  const found = [
    fromHeader(request.headers.authorization),
    fromFields(request.body),
    BODYLESS_METHODS.has(request.method) ? fromFields(request.query) : undefined,
  ].filter((credential) => credential !== undefined);
  const [first] = found;
  if (first === undefined) throw refuse('unauthenticated', { headers: CHALLENGE });
  if (found.some(({ deviceId, token }) => deviceId !== first.deviceId || token !== first.token)) {
    throw refuseInput([
      { code: 'conflict', field: 'device_id', message: 'differs between header, body and query; send it once' },
    ]);
  }
  return first;
}

export const CHALLENGE = { 'WWW-Authenticate': 'Device realm="svc"' };

function fromHeader(header: string | undefined): DeviceCredential | undefined {
  const [, deviceId, token] = /^device\s+([^:\s]+):(\S+)$/i.exec(header ?? '') ?? [];
  return deviceId !== undefined && token !== undefined ? { deviceId, token } : undefined;
}

function fromFields(fields: unknown): DeviceCredential | undefined {
  if (!isPlainObject(fields)) return undefined;
  const { device_id: deviceId, token } = fields;
  // If they were ignored, they could accompany another credential without being compared with it.
  const issues = Object.entries({ device_id: deviceId, token })
    .filter(([, value]) => value !== undefined && typeof value !== 'string')
    .map(([field]) => ({ code: 'wrong_type', field, message: 'must be a string' }));
  if (issues.length > 0) throw refuseInput(issues);
  return typeof deviceId === 'string' && typeof token === 'string' ? { deviceId, token } : undefined;
}
