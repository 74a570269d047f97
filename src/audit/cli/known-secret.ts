import { type Config } from '../../platform/config';
import { hasSecretFile, serviceSecretIn } from '../../platform/secrets/secret-file';
import { ServiceSecret } from '../../platform/secrets/service-secret';

/** The secret of the installation, if it is available. This never creates one. */
export function knownSecret({ serviceSecret, dataDir }: Config): ServiceSecret | undefined {
  if (serviceSecret !== undefined) return new ServiceSecret(serviceSecret);
  return hasSecretFile(dataDir) ? new ServiceSecret(serviceSecretIn(dataDir)) : undefined;
}
