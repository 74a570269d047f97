/**
 * Loaded before everything else: loading the program takes a second, and a signal without a handler ends the process as
 * if it had failed.
 */
let stop = (): void => process.exit(0);
let asked = false;

function onSignal(): void {
  if (asked) return;
  asked = true;
  stop();
}

process.on('SIGTERM', onSignal);
process.on('SIGINT', onSignal);
// For retrying what was set aside. The service handles it while it runs; at other times it must not end the process.
process.on('SIGUSR2', () => undefined);

/** Sets what a stop signal does; it runs once, however many signals arrive. */
export const onStopSignal = (action: () => void): void => {
  stop = action;
};
