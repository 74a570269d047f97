import nodeModule from 'node:module';
import { join } from 'node:path';

/** Missing from Node 20 and from the types for it. */
const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder: string) => unknown };

/**
 * Keeps what Node has compiled beside the build, so that the next start need not compile it again. Import this before
 * anything large. Nothing is kept if the folder is not writable.
 */
enableCompileCache?.(join(__dirname, '..', '..', '.compiled'));
