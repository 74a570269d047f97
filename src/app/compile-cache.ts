import nodeModule from 'node:module';
import { join } from 'node:path';

/**
 * Keeps what Node has compiled beside the build, so that the next start need not compile it again. Import this before
 * anything large. Older versions of Node lack this, and nothing is kept if the folder is not writable.
 */
const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder: string) => unknown };
enableCompileCache?.(join(__dirname, '..', '..', '.compiled'));
