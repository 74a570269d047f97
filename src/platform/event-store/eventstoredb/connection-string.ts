const KNOWN_OPTIONS: ReadonlySet<string> = new Set(
  [
    'userCertFile',
    'userKeyFile',
    'maxDiscoverAttempts',
    'connectionName',
    'defaultDeadline',
    'discoveryInterval',
    'gossipTimeout',
    'nodePreference',
    'tls',
    'tlsVerifyCert',
    'tlsCAFile',
    'keepAliveInterval',
    'keepAliveTimeout',
  ].map((option) => option.toLowerCase()),
);

/**
 * For an option it does not know or cannot honour the driver warns on the console and prints the whole URL, password
 * included. Such a URL is a mistake in the configuration anyway, so it is refused here, by the option's name alone.
 */
export function checkConnectionString(url: string): void {
  const query = url.split('?').slice(1).join('&');
  for (const part of query.split('&').filter((text) => text !== '')) {
    const [name = '', value = ''] = part.split('=');
    const option = name.trim().toLowerCase().replace(/[_-]/g, '');
    if (!KNOWN_OPTIONS.has(option)) throw new Error(`EVENTSTORE_URL has an unknown option "${name}"`);
    if (option === 'tlsverifycert' && value.trim() === 'false') {
      throw new Error(
        'EVENTSTORE_URL must not say tlsVerifyCert=false: the certificate is always verified, by tlsCAFile if that is given',
      );
    }
  }
}
