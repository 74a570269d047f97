import { setMaxListeners } from 'node:events';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { merchantDomains, type MerchantDomainDocument } from '../../../projections/merchants.projection';
import { CommandRunner } from '../../platform/event-store/run-command';
import { DueSweepers } from '../../platform/reacting/due-sweepers';
import { CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { newId } from '../../kernel/ids';
import { DomainNames } from './domain-names';
import { DomainProver } from './domain-prover';
import { merchant } from './merchant';

/** Once a week the service looks by itself whether a verified domain's challenge is still published. */
@Injectable()
export class LookAgain implements OnModuleInit {
  constructor(
    private readonly sweepers: DueSweepers,
    private readonly commands: CommandRunner,
    private readonly names: DomainNames,
    private readonly prover: DomainProver,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.sweepers.add({
      name: 'domain proofs',
      collection: merchantDomains,
      index: 'due',
      equals: [true],
      dueAt: ({ look_at }) => look_at ?? '',
      run: (document, signal) => this.look(document, signal),
    });
  }

  private async look({ id, merchant_id: merchantId }: MerchantDomainDocument, signal: AbortSignal): Promise<void> {
    const { state } = await this.commands.fold(merchant, merchantId);
    const domain = state.domains.find(({ domainId }) => domainId === id);
    if (domain?.status !== 'verified') return;
    const proof = await until(signal, this.prover.prove(domain));
    if (proof === undefined) return;
    const holder = { merchant_id: merchantId, domain_id: id, proof_version: domain.proofVersion };
    const proven = { domain: domain.domain, holder, at: timestamp(this.clock.now()) };
    const context = { requestId: newId('req'), actor: { kind: 'service', id: 'domain-proofs' } };
    if (proof.proven) await this.names.see(proven, proof.location, context);
    else await this.names.miss(proven, proof.reason);
  }
}

/** A name server that does not answer must not hold up a stop. */
async function until<Result>(signal: AbortSignal, result: Promise<Result>): Promise<Result | undefined> {
  // Many names may be looked up at once.
  setMaxListeners(0, signal);
  let stop: () => void = () => undefined;
  const stopped = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
  return Promise.race([result, stopped]).finally(() => signal.removeEventListener('abort', stop));
}
