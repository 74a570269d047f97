/**
 * Loaded before everything else: loading the program takes a second, and a signal that finds nobody listening ends the process
 * as if it had failed.
 */
let stop = (): void => process.exit(0);
let asked = false;

function heard(): void {
  if (asked) return;
  asked = true;
  stop();
}

process.on('SIGTERM', heard);
process.on('SIGINT', heard);
// To try again what was set aside: heard by the service while it runs, and no reason to end before or after that.
process.on('SIGUSR2', () => undefined);

/** What a signal to stop means from now on; it is done once, however many come. */
export const onStopSignal = (action: () => void): void => {
  stop = action;
};
