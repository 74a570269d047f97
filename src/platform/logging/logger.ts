import { type LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger, pino, symbols } from 'pino';
import { type LogLevel } from '../config';

export const LOGGER = Symbol('Logger');

/** Structured lines. Whatever field a credential could travel in is blotted out, wherever it turns up. */
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
    // Lines leave in blocks, at the latest after a quarter of a second and at exit: a system call per line costs more than the line.
    destination ?? pino.destination({ dest: 1, sync: false, minLength: 4_096, periodicFlush: 250 }),
  );

/** A line that was made elsewhere by such a logger, to where this one writes. */
export const passOn = (logger: Logger, line: string): void =>
  void (logger as unknown as Record<symbol, DestinationStream>)[symbols.streamSym]?.write(line);

/** Engine addresses carry passwords, and drivers like to quote them in their messages. */
const CREDENTIAL = /\b(svc_[a-z]{2}_|whsec_)[\w+/=-]+|:\/\/[^\s/@]+@/g;
const blot = (text: string | undefined): string | undefined =>
  text?.replace(CREDENTIAL, (found) => (found.startsWith(':') ? '://[redacted]@' : '[redacted]'));

function withoutSecrets(error: unknown): unknown {
  if (!(error instanceof Error)) return blot(String(error));
  const { name, message, stack, cause } = error;
  return { name, message: blot(message), stack: blot(stack), ...(cause ? { cause: withoutSecrets(cause) } : {}) };
}

/** Nest's own words, through the same log. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.logger.debug({ nest: rest.at(-1) }, String(message));
  }
  warn(message: unknown, ...rest: unknown[]): void {
    this.logger.warn({ nest: rest.at(-1) }, String(message));
  }
  error(message: unknown, ...rest: unknown[]): void {
    // A failed start is told once, by whoever started it.
    const level = rest.at(-1) === 'ExceptionHandler' ? 'debug' : 'error';
    this.logger[level]({ nest: rest.at(-1) }, String(message));
  }
  fatal(message: unknown, ...rest: unknown[]): void {
    this.error(message, ...rest);
  }
}
