/** The file cannot be trusted. The message is the one line an operator needs. */
export class StoreCorrupt extends Error {
  constructor(file: string, problem: string) {
    super(`${file}: ${problem}; restore a backup`);
    this.name = 'StoreCorrupt';
  }
}
