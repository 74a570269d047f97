import { Injectable, type OnModuleInit } from '@nestjs/common';
import { reactorTo } from '../../platform/reacting/reactor';
import { Reactors } from '../../platform/reacting/reactors';
import { PolicySlots } from './policy-slots';

/** Completes what a call left half done when its process died: a policy not yet replaced, or one not yet in force. */
@Injectable()
export class FinishPolicySlots implements OnModuleInit {
  constructor(
    private readonly reactors: Reactors,
    private readonly slots: PolicySlots,
  ) {}

  onModuleInit(): void {
    this.reactors.add(
      reactorTo<'policy_slot'>('finish-policy-slots', {
        PolicySlotTaken: ({ data, metadata }) => {
          const { request_id: requestId, actor, event_id: causationId } = metadata;
          return this.slots.finish(data, { requestId, actor, causationId });
        },
      }),
    );
  }
}
