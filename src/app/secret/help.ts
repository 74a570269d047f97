export const HELP = `Replaces the service secret, or shows what depends on which secret.

  npm run secret -- <command> [options]

  rotate            replaces SERVICE_SECRET with a new secret. Stop every instance first: it refuses to run while one is running.
                    The new secret is read from NEW_SERVICE_SECRET; if the service keeps its secret in DATA_DIR and none is
                    given, a new one is generated there. If it is killed, run the same command again to finish.
  status [--json]   shows which secret the log uses, and how many connections, webhook endpoints and personal keys depend
                    on each; with --json also their ids. Works with or without a running service.

  --help    this text

It uses the stores of the service: DATA_DIR, or EVENT_STORE, EVENTSTORE_URL, READ_STORE, MONGODB_URL. It never prints a secret.
Exit codes: 0 all is well, 1 a personal key could not be opened, 2 the command or a setting is wrong, 3 the stores cannot be used.`;
