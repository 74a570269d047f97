import nodeModule from 'node:module';
import { join } from 'node:path';
import { keepCompiled } from './compile-cache-before-node-22';

/**
 * Keeps what Node has compiled beside the build, so that the next start need not compile it again. Import this before
 * anything large. Nothing is kept if the folder is not writable.
 */
const { enableCompileCache = keepCompiled } = nodeModule as { enableCompileCache?: (folder: string) => unknown };
enableCompileCache(join(__dirname, '..', '..', '.compiled'));
