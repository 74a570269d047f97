export const HELP = `Shows the events that were set aside because a reactor kept failing at them, and retries them.

  npm run reactions -- <command>

  status    how many events wait for each reactor; the service log names each event and the cause ("set aside")
  retry     makes the instance that does the background work retry all of them now, wherever it runs, and reports the result.
            They are also retried every minute and after a start

  --help    this text

It uses the stores of the service: DATA_DIR, or EVENT_STORE, EVENTSTORE_URL, READ_STORE, MONGODB_URL, SERVICE_SECRET. Run it while the service runs.
Exit codes: 0 nothing waits (any more), 1 something waits, 2 the command or a setting is wrong, 3 the stores cannot be used.`;
