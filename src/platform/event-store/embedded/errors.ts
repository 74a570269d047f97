/** The file cannot be trusted. The message is the one line an operator needs. */
export class StoreCorrupt extends Error {
  constructor(file: string, problem: string) {
    super(`${file}: ${problem}; restore a backup`);
    this.name = 'StoreCorrupt';
  }
}

/** Two processes writing one log would each rely on their own idea of where it ends. */
export class StoreInUse extends Error {
  constructor(directory: string, pid: number) {
    super(`${directory}: in use by process ${pid}; stop it first, only one process may open the event store`);
    this.name = 'StoreInUse';
  }
}
