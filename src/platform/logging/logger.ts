import { type LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino, symbols } from 'pino';
import { type LogLevel } from '../config';

export const LOGGER = Symbol('Logger');

/** Structured lines. Fields that may hold a credential are redacted, at the top level and one level below. */
export const createLogger = (level: LogLevel, destination?: DestinationStream): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: withoutSecrets },
      redact: {
        paths: ['token', 'secret', 'authorization', 'cookie', '*.token', '*.secret', '*.authorization', '*.cookie'],
        censor: '[redacted]',
      },
    },
    destination ?? standardOutput(),
  );

const FLUSH_AFTER_MS = 250;
/** At exit, how often lines are tried again for a reader that has paused, every 100 ms. */
const LAST_TRIES = 5;

/**
 * Lines are flushed in blocks, at the latest after 250 ms and at exit: a system call costs more than a line. There is a
 * timer only while lines wait: the library's own `periodicFlush` would wake an idle process to write nothing.
 */
function standardOutput(): DestinationStream {
  let tries = Infinity;
  const isWorthRetrying = (): boolean => (tries -= 1) > 0;
  const output = pino.destination({ dest: 1, sync: false, minLength: 4_096, retryEAGAIN: isWorthRetrying });
  const flushSync = output.flushSync.bind(output);
  output.flushSync = () => {
    tries = LAST_TRIES;
    try {
      flushSync();
    } catch {
      // Nobody reads the log any more, and a process that exits has nobody else to tell.
    } finally {
      tries = Infinity;
    }
  };
  const write = output.write.bind(output);
  let timer: NodeJS.Timeout | undefined;
  let isDue = false;
  // One listener for all: a reader that stops reading holds up one write for as long as it likes.
  output.on('drain', () => {
    if (!isDue) return;
    isDue = false;
    output.flush();
  });
  const flush = (): void => {
    timer = undefined;
    // Does nothing if a write is in progress: when that ends, the second flush writes the rest.
    isDue = true;
    output.flush();
  };
  output.write = (line) => {
    const hasRoom = write(line);
    timer ??= setTimeout(flush, FLUSH_AFTER_MS).unref();
    return hasRoom;
  };
  output.once('close', () => clearTimeout(timer));
  return output;
}

/** Writes a line that a logger in another thread produced to this logger's destination. */
export const passOn = (logger: Logger, line: string): void =>
  void (logger as unknown as Record<symbol, DestinationStream>)[symbols.streamSym]?.write(line);

/** Engine URLs carry passwords, and drivers tend to quote them in their messages. */
const CREDENTIAL = /\b(svc_[a-z]{2}_|whsec_)[\w+/=-]+|:\/\/[^\s/@]+@/g;
const redact = (text: string | undefined): string | undefined =>
  text?.replace(CREDENTIAL, (found) => (found.startsWith(':') ? '://[redacted]@' : '[redacted]'));

function withoutSecrets(error: unknown): unknown {
  if (!(error instanceof Error)) return redact(String(error));
  const { name, message, stack, cause } = error;
  return { name, message: redact(message), stack: redact(stack), ...(cause ? { cause: withoutSecrets(cause) } : {}) };
}

/** Nest's own messages, through the same log. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.logger.debug({ nest: rest.at(-1) }, String(message));
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.logger.warn({ nest: rest.at(-1) }, String(message));
  }
  error(message: unknown, ...rest: unknown[]): void {
    // A failed start is logged once, by the code that started the app.
    const level = rest.at(-1) === 'ExceptionHandler' ? 'debug' : 'error';
    this.logger[level]({ nest: rest.at(-1) }, String(message));
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.error(message, ...rest);
  }
}
