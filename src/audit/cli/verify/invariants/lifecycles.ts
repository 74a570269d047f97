import { CATEGORIES } from '../../../../kernel/aggregates';
import { parseStreamName } from '../../../../platform/event-store/stream-name';
import { type EventType } from '../../../../events';
import { type Breach, type Invariant } from '../invariant';
import { LIFECYCLE_STEPS, NOT_THERE, type Step } from './lifecycle-steps';

type Members = Readonly<Record<string, unknown>>;

/** An event of an unknown type is in no stream of its kind, which another invariant says. */
const stepOf = (type: string): Step<Members> | null =>
  Object.hasOwn(LIFECYCLE_STEPS, type) ? (LIFECYCLE_STEPS[type as EventType] as Step<Members> | null) : null;

/** Reads show the last word about something: an ended connection that was resumed, or a version added twice. */
export const lifecycles: Invariant = {
  name: 'lifecycles',
  says: 'everything was created once, before anything happened to it, and nothing happened to it after its end',
  categories: CATEGORIES,
  *breaches(events): Generator<Breach> {
    const { id: whole } = parseStreamName(events[0]?.stream ?? '');
    const states = new Map<string, string>();
    const stateOf = (thing: string): string => states.get(thing) ?? NOT_THERE;
    for (const event of events) {
      const step = stepOf(event.type);
      if (step === null) continue;
      const data = event.data as Members;
      const thing = step.part === undefined ? whole : String(data[step.part]);
      const before = stateOf(thing);
      if (step.whole?.includes(stateOf(whole)) === false)
        yield { event, what: `${whole} was ${stateOf(whole)} before it` };
      if (!step.from.includes(before)) yield { event, what: `${thing} was ${before} before it` };
      states.set(thing, typeof step.to === 'function' ? step.to(data, before) : (step.to ?? before));
    }
  },
};
