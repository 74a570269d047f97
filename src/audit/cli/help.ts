import { CATEGORIES } from '../../kernel/aggregates';

export const HELP = `Reads the log beside a running service or without one, and changes nothing in it.

  npm run audit -- <command> [options]

  streams [--category <name>] [--since <time>]   every stream, with how many events it has and when
  show <stream | id>                             a stream's events: when, by whom, in which call, because of what
  timeline <payment id> [--deliveries]           the whole life of a payment in words, each line naming its event
  state <stream | id> [--as-of <time>]           a record as it was at a moment, folded from its stream
  export <payment id | --merchant <id> | --all>  canonical JSON lines that check can judge alone
  check <file> [--key <id or public key>]…       judges an export or a proof without any service
  verify [--key <id or public key>]…             replays everything and checks it: invariants, read models, signatures
  forget <account id | e-mail address | -> [--yes]
                                                 destroys the key of a person's address for good: nobody can read it any
                                                 more, in the log or any copy of it. Asks first, unless told --yes; - reads
                                                 who it is from standard input

  --json    one JSON object a line instead of text
  --help    this text

The stores are those of the service: DATA_DIR, or EVENT_STORE, EVENTSTORE_URL, READ_STORE, MONGODB_URL, SERVICE_SECRET.
Times are RFC 3339, such as 2030-01-31T12:00:00Z. Categories: ${[...CATEGORIES].sort().join(', ')}.
Ends with 0 when all is well, 1 when something is wrong or not there, 2 when the command is, or when check had to take the key from
the file itself: name the published key (GET /v1/audit/keys) with --key. 3 when the stores cannot be read.`;
