import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory for each test that asks for one, removed afterwards. Its name has a space, as a user's may. */
export function temporaryDirectories(parent: string = tmpdir()): () => string {
  const made: string[] = [];
  afterEach(() => {
    for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
  });
  return () => {
    const directory = mkdtempSync(join(parent, 'svc test-'));
    made.push(directory);
    return directory;
  };
}
