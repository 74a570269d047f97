import { hkdfSync, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The one secret of the installation. Keys for different uses are derived from it and never used for anything else. */
export class ServiceSecret {
  constructor(private readonly secret: string) {}

  /** 32 bytes for one purpose; knowing one key tells nothing about another. */
  key(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.secret, '', `svc:${purpose}`, 32));
  }
}

/** On the embedded store the secret lives beside the data: generated once, readable by the owner only. */
export function serviceSecretIn(dataDir: string): string {
  mkdirSync(dataDir, { recursive: true });
  const file = join(dataDir, 'service-secret');
  if (!existsSync(file)) generate(file);
  const secret = readFileSync(file, 'utf8').trim();
  if (secret.length < 32) throw new Error(`${file} holds no secret; restore it from a backup`);
  chmodSync(file, 0o600);
  return secret;
}

// Written aside and linked into place: a crash leaves no half secret, and of two starters one secret wins.
function generate(file: string): void {
  const aside = `${file}.${process.pid}`;
  writeFileSync(aside, randomBytes(32).toString('base64url') + '\n', { mode: 0o600, flush: true });
  try {
    linkSync(aside, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}
