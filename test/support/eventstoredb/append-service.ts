import { type handleBidiStreamingCall, type handleClientStreamingCall, status } from '@grpc/grpc-js';
import { validate } from 'uuid';
import { AllStreamPosition, Empty, UUID } from '@eventstore/db-client/generated/shared_pb';
import {
  AppendReq,
  AppendResp,
  type BatchAppendReq,
  BatchAppendResp,
} from '@eventstore/db-client/generated/streams_pb';
import { type Committed, type ExpectedRevision, type Log, type Proposed } from './log';
import { type NodeRole } from './node-role';
import {
  appendTooLarge,
  failure,
  handlerThrew,
  identifier,
  nameOf,
  notHandled,
  placeAt,
  timedOut,
  wrongExpectedVersion,
} from './messages';

export const MAX_APPEND_BYTES = 1_048_576;
const MAX_APPEND_BYTES_OF_KURRENTDB = 256 * 1_048_576;
/** How a node refuses while there is no leader, depending on how far it has come with the election. */
const NOT_READY: readonly string[] = ['Server Is Not Ready', 'No leader info available in response'];
/** How long after a malformed append the engine answers it a second time, and how long it waits for its leader. */
const SECOND_ANSWER_AFTER_MS = 2_000;

type ProposedMessage = AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage;

function proposed(message: ProposedMessage): Proposed {
  const id = message.getId()?.getString() ?? '';
  if (!validate(id)) throw handlerThrew('an event id is not a UUID');
  const facts = message.getMetadataMap();
  return {
    id: id.toLowerCase(),
    type: facts.get('type') ?? '',
    contentType: facts.get('content-type') ?? 'application/octet-stream',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

/** Some versions of the engine count the data alone, others everything that they store of an event. */
const bytesOf = ({ data, metadata, type }: Proposed): number => data.length + metadata.length + 2 * type.length;

const tooLarge = (events: readonly Proposed[], limit = MAX_APPEND_BYTES): boolean =>
  events.reduce((sum, event) => sum + bytesOf(event), 0) > limit;

const answerTo = (correlation: string, stream: string): BatchAppendResp =>
  new BatchAppendResp().setCorrelationId(new UUID().setString(correlation)).setStreamIdentifier(identifier(stream));

/** One long-lived call carries the appends of many callers; an error on the call breaks it for all of them. */
export const batchAppend = (
  log: Log,
  role: NodeRole,
  note: () => void,
  now: () => number,
  commitMs: () => number,
): handleBidiStreamingCall<BatchAppendReq, BatchAppendResp> => {
  type Unfinished = { stream: string; expected: ExpectedRevision; events: Proposed[] };
  const limit = role.kind === 'kurrentdb' ? MAX_APPEND_BYTES_OF_KURRENTDB : MAX_APPEND_BYTES;
  const committing = new Set<string>();
  return (call) => {
    const unfinished = new Map<string, Unfinished>();
    let unanswered = 0;
    let refused = 0;

    const receive = (request: BatchAppendReq): void => {
      const correlation = request.getCorrelationId()?.getString() ?? '';
      const options = request.getOptions();
      if (options) {
        const stream = nameOf(options.getStreamIdentifier());
        if (stream === '') throw handlerThrew('the stream has no name');
        // The deadline is a time of the client's clock, and the engine compares it with its own.
        const deadline = options.getDeadline()?.toDate().getTime() ?? Infinity;
        if (deadline <= now()) return void call.write(answerTo(correlation, stream).setError(timedOut()));
        unfinished.set(correlation, { stream, expected: expectedOf(options), events: [] });
      }
      const append = unfinished.get(correlation);
      // What belongs to an append that was already refused is passed over.
      if (!append) return;
      append.events.push(...request.getProposedMessagesList().map(proposed));
      if (!request.getIsFinal()) return;
      unfinished.delete(correlation);
      note();
      const answer = answerTo(correlation, append.stream);
      if (role.appends() === 'unanswered') {
        // Some of them are answered by a node that waited for its leader as long as it waits for anything.
        if ((unanswered += 1) % 2 === 0)
          setTimeout(() => call.write(answer.setError(timedOut())), SECOND_ANSWER_AFTER_MS).unref();
        return;
      }
      if (append.events.some(({ type }) => type === '')) {
        call.write(answer.setError(notHandled('BadRequest')));
        setTimeout(() => call.write(answer.setError(notHandled('Timeout'))), SECOND_ANSWER_AFTER_MS).unref();
        return;
      }
      const [first] = append.events;
      if (role.appends() !== 'written' || first === undefined || commitMs() === 0) {
        return void call.write(complete(answer, append));
      }
      // A repeat of what is not committed yet waits for that in vain, although it does happen.
      const key = `${append.stream} ${append.expected} ${first.id}`;
      const isRepeat = committing.has(key);
      committing.add(key);
      const end = (): void => {
        if (isRepeat) return void call.write(answer.setError(timedOut()));
        committing.delete(key);
        const committed = complete(answer, append);
        if (!call.cancelled) call.write(committed);
      };
      setTimeout(end, isRepeat ? SECOND_ANSWER_AFTER_MS : commitMs()).unref();
    };
    const complete = (answer: BatchAppendResp, { stream, expected, events }: Unfinished): BatchAppendResp => {
      if (tooLarge(events, limit)) return answer.setError(appendTooLarge(limit));
      if (role.appends() === 'not-ready') return answer.setError(notHandled(NOT_READY[(refused += 1) % 2] ?? ''));
      const result = log.append(stream, expected, events);
      return result.kind === 'wrong'
        ? answer.setError(wrongExpectedVersion(expected, result.current))
        : answer.setSuccess(
            new BatchAppendResp.Success()
              .setCurrentRevision(result.revision.toString())
              .setPosition(placeAt(new AllStreamPosition(), result.position)),
          );
    };

    call.on('data', (request: BatchAppendReq) => {
      try {
        receive(request);
      } catch (error) {
        call.emit('error', error);
      }
    });
    call.on('end', () => call.end());
  };
};

/** The older protocol: one call per append. */
export const append = (log: Log): handleClientStreamingCall<AppendReq, AppendResp> => {
  return (call, callback) => {
    const events: Proposed[] = [];
    let options: AppendReq.Options | undefined;
    let refused: unknown;

    call.on('data', (request: AppendReq) => {
      try {
        options ??= request.getOptions();
        const message = request.getProposedMessage();
        if (message) events.push(proposed(message));
      } catch (error) {
        refused ??= error;
      }
    });
    call.on('end', () => {
      const stream = nameOf(options?.getStreamIdentifier());
      if (!options || stream === '') return callback(handlerThrew('the stream has no name'));
      if (refused instanceof Error) return callback(refused);
      if (tooLarge(events)) {
        return callback(
          failure(status.INVALID_ARGUMENT, 'Maximum Append Size Exceeded.', {
            exception: 'maximum-append-size-exceeded',
            'maximum-append-size': MAX_APPEND_BYTES.toString(),
          }),
        );
      }
      const expected = expectedOf(options);
      callback(null, appendAnswer(expected, log.append(stream, expected, events)));
    });
  };
};

function appendAnswer(expected: ExpectedRevision, result: Committed): AppendResp {
  if (result.kind === 'committed') {
    return new AppendResp().setSuccess(
      new AppendResp.Success()
        .setCurrentRevision(result.revision.toString())
        .setPosition(placeAt(new AppendResp.Position(), result.position)),
    );
  }
  const wrong = new AppendResp.WrongExpectedVersion();
  if (result.current === undefined) wrong.setCurrentNoStream(new Empty());
  else wrong.setCurrentRevision(result.current.toString());
  if (typeof expected === 'bigint') wrong.setExpectedRevision(expected.toString());
  else if (expected === 'no_stream') wrong.setExpectedNoStream(new Empty());
  else if (expected === 'stream_exists') wrong.setExpectedStreamExists(new Empty());
  else wrong.setExpectedAny(new Empty());
  return new AppendResp().setWrongExpectedVersion(wrong);
}

function expectedOf(options: AppendReq.Options | BatchAppendReq.Options): ExpectedRevision {
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasStreamExists()) return 'stream_exists';
  if (options instanceof AppendReq.Options) return options.hasRevision() ? BigInt(options.getRevision()) : 'any';
  return options.hasStreamPosition() ? BigInt(options.getStreamPosition()) : 'any';
}
