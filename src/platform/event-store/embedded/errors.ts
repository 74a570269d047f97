import { join } from 'node:path';

/** The file cannot be trusted. The message is the one line an operator needs. */
export class StoreCorrupt extends Error {
  constructor(file: string, problem: string) {
    super(`${file}: ${problem}; restore a backup`);
    this.name = 'StoreCorrupt';
  }
}

/** Two processes that write to one store would each rely on their own view of its contents. */
export class StoreInUse extends Error {
  constructor(directory: string, pid: number, { isElsewhere = false, isAssumed = false } = {}) {
    const holder = `process ${pid}${isElsewhere ? ' of another pid namespace' : ''}`;
    const unless = isAssumed ? `; if that is gone, remove ${join(directory, 'lock')}` : '';
    super(`${directory}: in use by ${holder}; stop it first, only one process may write to it${unless}`);
    this.name = 'StoreInUse';
  }
}
