import { resolve, sep } from 'node:path';
import { type Config, ConfigError } from '../platform/config';
import { unusable } from './data-directory';

/** Names the setting in errors that only appear when it is used. Any other error is returned as it is. */
export function startRefusal(error: unknown, config: Config): unknown {
  if (!(error instanceof Error) || error instanceof ConfigError) return error;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (syscall === 'listen' || syscall === 'getaddrinfo') return listenRefusal(code, config) ?? error;
  const isInside = path !== undefined && `${resolve(path)}${sep}`.startsWith(`${resolve(config.dataDir)}${sep}`);
  return isInside ? unusable(config.dataDir, error) : error;
}

function listenRefusal(code: string | undefined, { host, port }: Config): ConfigError | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return new ConfigError(`PORT ${port} is in use by another program on ${host}`);
    case 'EACCES':
      return new ConfigError(`PORT ${port} may not be used by this user`);
    case 'EADDRNOTAVAIL':
    case 'EINVAL':
      return new ConfigError(`HOST ${host} is not an address of this machine`);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new ConfigError(`HOST ${host} does not resolve to an address`);
    default:
      return undefined;
  }
}
