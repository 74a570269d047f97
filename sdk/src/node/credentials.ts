import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** What a program on someone's machine authenticates with, as named in the file; `SVC_URL` etc. in the environment. */
export type Credentials = Readonly<{
  url?: string;
  agent_id?: string;
  key_id?: string;
  /** base64url of the 32-byte seed. */
  private_key?: string;
  connection_token?: string;
  api_key?: string;
  /** A merchant's bearer session, as `svc login` stores it. */
  session_token?: string;
  /** The audience of assertions, if the service uses a base URL other than `url`. */
  audience?: string;
}>;

const NAMES = [
  'url',
  'agent_id',
  'key_id',
  'private_key',
  'connection_token',
  'api_key',
  'session_token',
  'audience',
] as const;

/** Values that belong to one service: useless at any other, which must not see them. */
const SERVICE_SPECIFIC = ['connection_token', 'api_key', 'session_token', 'audience'] as const;

/** A file without a URL belongs to whichever service it is used with. */
export const isSameService = (one: string | undefined, other: string | undefined): boolean =>
  one === undefined ||
  other === undefined ||
  (URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin);

export type Environment = Readonly<Record<string, string | undefined>>;

/** The file cannot be used as it is; the message says why, but never reveals its contents. */
export class UnusableCredentials extends Error {}

/** Where credentials are stored unless SVC_CREDENTIALS says otherwise: the user's configuration folder. */
export function credentialsPath(env: Environment): string {
  if (env['SVC_CREDENTIALS']) return env['SVC_CREDENTIALS'];
  const folder = env['XDG_CONFIG_HOME'] || env['APPDATA'] || join(homedir(), '.config');
  return join(folder, 'svc', 'credentials.json');
}

/** Keys in a file that others can read are no longer secret, so such a file is refused. */
export class CredentialStore {
  readonly path: string;

  constructor(private readonly env: Environment) {
    this.path = credentialsPath(env);
  }

  /** The environment overrides the file. Read each time, because another conversation may have connected. */
  read(): Credentials {
    return { ...this.inFile(), ...this.given() };
  }

  /** Like `read`, but without the file's service-specific values if the environment names another service. */
  ofService(): Credentials {
    const filed: Record<string, string | undefined> = { ...this.inFile() };
    if (this.isOtherService()) for (const name of SERVICE_SPECIFIC) delete filed[name];
    return { ...filed, ...this.given() };
  }

  /**
   * Stores some values in the file and keeps the others, except those of another service or of another agent's
   * connection. Concurrent readers see the old file or the new one. If the environment names another service than the
   * file, the file is left alone unless `some` has the new URL: one service's values would later be sent to the other.
   */
  keep(some: Credentials): void {
    if (some.url === undefined && this.isOtherService()) return;
    const filed: Record<string, string | undefined> = { ...this.inFile() };
    const isMoved = some.url !== undefined && !isSameService(some.url, filed['url']);
    if (isMoved) for (const name of SERVICE_SPECIFIC) delete filed[name];
    if (some.agent_id !== undefined && some.agent_id !== filed['agent_id']) delete filed['connection_token'];
    this.write({ ...filed, ...some });
  }

  /** Removes one from the file and keeps the rest. */
  forget(name: keyof Credentials): void {
    const { [name]: forgotten, ...rest } = this.inFile();
    if (forgotten !== undefined) this.write(rest);
  }

  private given(): Credentials {
    return Object.fromEntries(
      NAMES.flatMap((name) => {
        const value = this.env[`SVC_${name.toUpperCase()}`];
        return value ? [[name, value] as const] : [];
      }),
    );
  }

  private isOtherService(): boolean {
    return !isSameService(this.given().url, this.inFile().url);
  }

  private write(kept: Credentials): void {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    const draft = `${this.path}.${process.pid}.new`;
    writeFileSync(draft, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
    chmodSync(draft, 0o600);
    renameSync(draft, this.path);
  }

  /** What the file itself holds, whatever the environment says. */
  inFile(): Credentials {
    if (!existsSync(this.path)) return {};
    // Windows has no such modes; its profile folders belong to the user.
    if (process.platform !== 'win32' && (statSync(this.path).mode & 0o777) !== 0o600) {
      throw new UnusableCredentials(
        `${this.path} can be read by others: run chmod 600 on it, and create a new key if someone may have read it.`,
      );
    }
    return parsed(readFileSync(this.path, 'utf8'), this.path);
  }
}

function parsed(text: string, path: string): Credentials {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UnusableCredentials(`${path} is not JSON.`);
  }
  if (typeof value !== 'object' || value === null) throw new UnusableCredentials(`${path} is not a JSON object.`);
  const fields = value as Record<string, unknown>;
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const field = fields[name];
      if (field === undefined || field === null || field === '') return [];
      if (typeof field !== 'string') throw new UnusableCredentials(`${name} in ${path} is not a string.`);
      return [[name, field]];
    }),
  );
}
