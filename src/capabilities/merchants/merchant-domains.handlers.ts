import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandContext } from '../../platform/event-store/event-codec';
import { CommandRunner } from '../../platform/event-store/run-command';
import { addSeconds, CLOCK, type Clock, timestamp } from '../../kernel/clock';
import { refuse } from '../../kernel/errors';
import { newId } from '../../kernel/ids';
import { CHALLENGE_SECONDS, newChallenge } from './challenge';
import { DomainNames, type Proven } from './domain-names';
import { DomainProver } from './domain-prover';
import { type Made } from '../../http/input/keyed-draft';
import { type MadeUnderKey } from '../../kernel/made-under-key';
import { domainOf, hasExpired, merchant, type MerchantDomain, registeredUnder } from './merchant';
import { type DomainMethod } from '../../events/merchant.events';
import { type DomainId, idFor, type MerchantId } from '../../kernel/aggregates';

/** Registers a normalized name and returns the id of its record. */
export class RegisterDomain extends Command<Made<DomainId>> {
  constructor(
    readonly merchantId: MerchantId,
    readonly domain: string,
    readonly method: DomainMethod,
    readonly under: MadeUnderKey | undefined,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(RegisterDomain)
export class RegisterDomainHandler implements ICommandHandler<RegisterDomain> {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ merchantId, domain, method, under, context }: RegisterDomain): Promise<Made<DomainId>> {
    const now = this.clock.now();
    const command = {
      kind: 'register-domain',
      merchantId,
      domainId: under ? idFor.underKey('dom', merchantId, under.idempotency_key) : newId('dom'),
      domain,
      method,
      challenge: newChallenge(),
      at: timestamp(now),
      expiresAt: timestamp(addSeconds(now, CHALLENGE_SECONDS)),
      under,
    } as const;
    const { state, events } = await this.commands.run(merchant, merchantId, command, context);
    const registered = registeredUnder(state, under) ?? state.domains.find((one) => one.domain === domain);
    if (registered === undefined) throw new Error(`${merchantId} lost a domain it just registered`);
    return { id: registered.domainId, replayed: events.length === 0 };
  }
}

/** Looks for the published challenge and, if it is there, verifies the domain. */
export class VerifyDomain extends Command<void> {
  constructor(
    readonly merchantId: MerchantId,
    readonly domainId: DomainId,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(VerifyDomain)
export class VerifyDomainHandler implements ICommandHandler<VerifyDomain> {
  constructor(
    private readonly commands: CommandRunner,
    private readonly names: DomainNames,
    private readonly prover: DomainProver,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ merchantId, domainId, context }: VerifyDomain): Promise<void> {
    const { state } = await this.commands.fold(merchant, merchantId);
    const known = domainOf(state, domainId);
    const location = await this.found(known);
    const proven = await this.proven(merchantId, known, location, context);
    await this.names.settle(proven, context);
    if (known.status !== 'verified' || (await this.names.see(proven, location, context))) return;
    // While we looked, another merchant has proven the name: with what was found, this turns it round.
    await this.names.settle(await this.proven(merchantId, known, location, context), context);
  }

  /** The proof as the merchant's stream has it; of a verified domain that is the one that is there. */
  private async proven(
    merchantId: MerchantId,
    { challenge, domainId }: MerchantDomain,
    location: string,
    context: CommandContext,
  ): Promise<Proven> {
    const at = timestamp(this.clock.now());
    const command = { kind: 'verify-domain', merchantId, domainId, challenge, location, at } as const;
    const { state } = await this.commands.run(merchant, merchantId, command, context);
    const { domain, proofVersion } = domainOf(state, domainId);
    return { domain, holder: { merchant_id: merchantId, domain_id: domainId, proof_version: proofVersion }, at };
  }

  /** Where the challenge is published; refuses if it is not, or has expired. */
  private async found(domain: MerchantDomain): Promise<string> {
    if (hasExpired(domain, timestamp(this.clock.now()))) throw refuse('challenge_expired');
    const proof = await this.prover.prove(domain);
    if (proof.proven) return proof.location;
    const { expected, found, reason } = proof;
    throw refuse('domain_proof_failed', { details: { expected, found, reason } });
  }
}

export class GiveUpDomain extends Command<void> {
  constructor(
    readonly merchantId: MerchantId,
    readonly domainId: DomainId,
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(GiveUpDomain)
export class GiveUpDomainHandler implements ICommandHandler<GiveUpDomain> {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ merchantId, domainId, context }: GiveUpDomain): Promise<void> {
    const command = { kind: 'give-up-domain', merchantId, domainId, at: timestamp(this.clock.now()) } as const;
    await this.commands.run(merchant, merchantId, command, context);
  }
}
