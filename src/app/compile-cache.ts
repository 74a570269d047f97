import nodeModule from 'node:module';
import { join } from 'node:path';

/**
 * What Node has compiled is kept beside the build, so that the next start need not compile it again. To be imported before what is
 * large. Older versions of Node have no such thing, and where the folder cannot be written nothing is kept.
 */
const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder: string) => unknown };
enableCompileCache?.(join(__dirname, '..', '..', '.compiled'));
