import { join } from 'node:path';
import { temporaryDirectories } from '../../../test/support/temp-directory';
import * as flushing from '../../kernel/flush-directory';
import { serviceSecretIn } from './secret-file';

jest.mock('../../kernel/flush-directory', () => ({ flushDirectory: jest.fn() }));

describe('the first secret of an installation', () => {
  const newDirectory = temporaryDirectories();
  it('has a durable directory entry before the log is created with it', () => {
    const dataDir = join(newDirectory(), 'data');
    serviceSecretIn(dataDir);
    expect(flushing.flushDirectory).toHaveBeenCalledWith(dataDir);
  });
});
