import { CATEGORIES } from '../../kernel/aggregates';

export const HELP = `Reads the event log, with or without a running service, and never changes it.

  npm run audit -- <command> [options]

  streams [--category <name>] [--since <time>]   lists every stream with its number of events and their times
  show <stream | id>                             a stream's events: time, actor, call and cause
  timeline <payment id> [--deliveries]           the whole history of a payment in words, each line with its event
  state <stream | id> [--as-of <time>]           a record as it was at a point in time, rebuilt from its stream
  export <payment id | --merchant <id> | --all>  canonical JSON lines that check can verify offline
  check <file> [--key <id or public key>]…       verifies an export or a proof without the service
  verify [--key <id or public key>]…             replays everything and checks it: invariants, read models, signatures
  forget <account id | e-mail address | -> [--yes]
                                                 destroys the key of a person's address for good: nobody can read the address
                                                 any more, in the log or in any copy of it. Asks first, unless --yes is given;
                                                 - reads the account from standard input

  --json    one JSON object per line instead of text
  --help    this text

It uses the stores of the service: DATA_DIR, or EVENT_STORE, EVENTSTORE_URL, READ_STORE, MONGODB_URL, SERVICE_SECRET.
Times are RFC 3339, such as 2030-01-31T12:00:00Z. Categories: ${[...CATEGORIES].sort().join(', ')}.
Exit codes: 0 all is well, 1 something is wrong or missing, 2 the command is wrong, check had to trust the key in the file
itself (pass the published key, GET /v1/audit/keys, with --key), or the key given to verify has signed nothing, 3 the stores
cannot be read.`;
