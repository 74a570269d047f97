export const HELP = `Says what was set aside because it kept failing, and has it tried again.

  npm run reactions -- <command>

  status    how many events wait for which reactor; the log of the service names each with the cause ("set aside")
  retry     has the instance that does the background work try all of them now, wherever it runs, and says what became of it.
            They are tried every minute anyhow, and after a start

  --help    this text

The stores are those of the service: DATA_DIR, or EVENT_STORE, EVENTSTORE_URL, READ_STORE, MONGODB_URL, SERVICE_SECRET. Run it beside the service.
Ends with 0 when nothing waits (any more), 1 when something does, 2 when the command or a setting is wrong, 3 when the stores cannot
be used.`;
