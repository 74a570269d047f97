import { TESTNET_FACTS } from './agents';
import { type Answer, call } from './http';
import { type SignedUpMerchant } from './merchant';
import { type TestService } from './service';

export type Created = Readonly<{ id: string; versionId: string; version: number }>;

/** A merchant's recipient calls, against one service. */
export const recipientsOf = ({ url }: TestService, { headers, domainId }: SignedUpMerchant) => {
  const all = `${url}/v1/recipients`;
  const create = (changes: object = {}): Promise<Answer> =>
    call(all, { headers, body: { name: 'Example Shop', ...TESTNET_FACTS, ...changes } });
  const created = async (changes: object = {}): Promise<Created> => {
    const { body } = await create(changes);
    const { recipient_id: id, version } = body.recipient as { recipient_id: string; version: number };
    return { id, versionId: body.recipient_version.recipient_version_id as string, version };
  };
  const list = (query: string): Promise<Answer> => call(`${all}?${query}`, { headers });
  const read = (id: string): Promise<Answer> => call(`${all}/${id}`, { headers });
  const addVersion = (id: string, body: object): Promise<Answer> => call(`${all}/${id}/versions`, { headers, body });
  const verify = ({ id, versionId, version }: Created, changes: object = {}): Promise<Answer> =>
    call(`${all}/${id}/verify`, {
      headers,
      body: { recipient_version_id: versionId, type: 'domain_proof', source_id: domainId, version, ...changes },
    });
  const activate = ({ id, versionId }: Created, body: object): Promise<Answer> =>
    call(`${all}/${id}/versions/${versionId}/activate`, { headers, body });
  const retire = ({ id, versionId, version }: Created, changes: object = {}): Promise<Answer> =>
    call(`${all}/${id}/versions/${versionId}/retire`, { headers, body: { version, ...changes } });
  /** What activation needs after a verification. */
  const evidenceIn = ({ body }: Answer) => ({
    evidence_id: body.evidence.evidence_id as string,
    evidence_digest: body.evidence.evidence_digest as string,
    version: body.recipient.version as number,
  });
  return { all, create, created, list, read, addVersion, verify, activate, retire, evidenceIn };
};
