import { Inject, Injectable } from '@nestjs/common';
import { agents, type SigningKeyDocument, signingKeys } from '../../../projections/agents.projection';
import { CommandRunner } from '../../platform/event-store/run-command';
import { type ErrorCode } from '../../kernel/error-catalogue';
import { type PageCursor, READ_MODEL, type ReadModel } from '../../platform/read-model/read-model.port';
import { verifySignature } from '../../platform/secrets/ed25519';
import { type ParsedAssertion } from './assertion-text';
import { merchantIsActive, objectionTo, signingAgent } from './signing-agent';

export type Signer = Readonly<{
  agentId: string;
  merchantId: string;
  credentialId: string;
  credentialExpiresAt: string;
  /** Why it may not come in, if it may not. */
  objection: ErrorCode | undefined;
}>;

type Candidate = Pick<SigningKeyDocument, 'id' | 'agent_id' | 'public_key'>;

const PAGE = 50;
/** A kid may be everybody's favourite; trying all their keys for a stranger's signature would be too kind to strangers. */
const MAX_CANDIDATES = 250;
/** Tried where there is no such kid, so that both answers take the same time; what comes of it is not looked at. */
const NOBODYS_KEY = 'PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw';

/** Finds whose key made a signature. The read model proposes, the log decides. */
@Injectable()
export class Signers {
  constructor(
    private readonly commands: CommandRunner,
    @Inject(READ_MODEL) private readonly readModel: ReadModel,
  ) {}

  /**
   * A key may have been another credential's before: the one that may come in is preferred, then the latest. Undefined
   * if no proven key of this kid verifies.
   */
  async whoSigned({ kid, claims, signed, signature }: ParsedAssertion, now: Date): Promise<Signer | undefined> {
    let tried = 0;
    let found: Signer | undefined;
    for await (const candidates of this.candidates(kid, claims.agentId)) {
      for (const candidate of candidates) {
        tried += 1;
        if (!verifySignature(candidate.public_key, signed, signature)) continue;
        found = (await this.signer(candidate, now)) ?? found;
        if (found !== undefined && found.objection === undefined) return found;
      }
      if (tried >= MAX_CANDIDATES) break;
    }
    if (tried === 0) verifySignature(NOBODYS_KEY, signed, signature);
    return found;
  }

  private async *candidates(kid: string, agentId: string | undefined): AsyncGenerator<readonly Candidate[]> {
    if (agentId !== undefined) {
      const agent = await this.readModel.get(agents, agentId);
      const keys = (agent?.credentials ?? []).filter((key) => key.kid === kid && key.activated_at !== null);
      yield keys.map(({ credential_id, public_key }) => ({ id: credential_id, agent_id: agentId, public_key }));
      return;
    }
    let after: PageCursor | null | undefined;
    while (after !== null) {
      const page = await this.readModel.find(signingKeys, 'by_kid', [kid, true], { limit: PAGE, after });
      yield page.documents;
      after = page.next;
    }
  }

  private async signer({ id, agent_id: agentId, public_key }: Candidate, now: Date): Promise<Signer | undefined> {
    const { state: agent } = await this.commands.fold(signingAgent, agentId);
    const credential = agent?.credentials.get(id);
    if (agent === null || credential?.publicKey !== public_key) return undefined;
    const { state: merchantActive } = await this.commands.fold(merchantIsActive, agent.merchantId);
    return {
      agentId,
      merchantId: agent.merchantId,
      credentialId: id,
      credentialExpiresAt: credential.expiresAt,
      objection: objectionTo(credential, agent, merchantActive, now),
    };
  }
}
