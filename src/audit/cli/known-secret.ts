import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config } from '../../platform/config';
import { ServiceSecret, serviceSecretIn } from '../../platform/secrets/service-secret';

/** The secret of the installation, where it is at hand. An auditor's program never makes one. */
export function knownSecret({ serviceSecret, dataDir }: Config): ServiceSecret | undefined {
  if (serviceSecret !== undefined) return new ServiceSecret(serviceSecret);
  return existsSync(join(dataDir, 'service-secret')) ? new ServiceSecret(serviceSecretIn(dataDir)) : undefined;
}
