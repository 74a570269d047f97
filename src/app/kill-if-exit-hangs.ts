import { spawn } from 'node:child_process';

const EXIT_TIMEOUT_MS = 1_000;

/**
 * A process that ends while it writes to LMDB may hang: at exit LMDB waits for its writing thread, which waits for
 * JavaScript that no longer runs. That would turn a failure into an instance that neither answers nor is restarted. By
 * then nothing in this process can end it, so another one watches: it kills this one, or ends as soon as this one has.
 * Killing is safe: a killed process loses nothing that it has acknowledged. Process 1 of a container is the exception:
 * the kernel lets nothing inside kill it, so a container needs an init.
 */
export function killIfExitHangs(areStoresClosed: () => boolean = () => false): void {
  process.once('exit', () => {
    // Not by the code: a start that is given up because of a signal ends with 0, in the middle of its writes.
    if (areStoresClosed()) return;
    const watch = `process.stdin.on('close', () => process.exit()).resume();
      setTimeout(() => process.kill(${process.pid}, 'SIGKILL'), ${EXIT_TIMEOUT_MS});`;
    // Without the settings of this one, which include its secret.
    spawn(process.execPath, ['-e', watch], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, env: {} })
      .on('error', () => undefined)
      .unref();
  });
}
