export const HELP = `Replaces the secret of the service, or says what stands on which.

  npm run secret -- <command> [options]

  rotate            puts a new secret in the place of SERVICE_SECRET. Stop every instance first: it refuses beside a running one.
                    The new one is read from NEW_SERVICE_SECRET; where the service keeps its secret in DATA_DIR and none is
                    given, a new one is made there. Killed at any moment, it is finished by the same command again.
  status [--json]   which secret the log goes on with, and how many connections, webhook endpoints and personal keys stand
                    on which; with --json also their ids. Beside a running service or without one.

  --help    this text

The stores are those of the service: DATA_DIR, or EVENT_STORE, EVENTSTORE_URL, READ_STORE, MONGODB_URL. No secret is ever printed.
Ends with 0 when all is well, 1 when a personal key could not be opened, 2 when the command or a setting is wrong, 3 when
the stores cannot be used.`;
