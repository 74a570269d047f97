import { assertNever } from '../../kernel/assert-never';
import { type Decider } from '../../kernel/decider';
import { refuse } from '../../kernel/errors';
import { type EmailLinkEvent } from '../../events/email-link.events';
import { type AccountId, type GrantId, type LinkId } from '../../kernel/aggregates';

export type EmailLinkCommand = Readonly<
  | { kind: 'issue'; linkId: LinkId; accountId: AccountId; tokenHash: string; at: string; expiresAt: string }
  | { kind: 'spend'; linkId: LinkId; grantId: GrantId; at: string }
>;

export type EmailLinkState = Readonly<
  | { status: 'unknown' }
  | { status: 'issued'; accountId: AccountId; tokenHash: string; expiresAt: string }
  | { status: 'spent'; grantId: GrantId }
>;

/** The link in a mail: following it proves that the mail was read. It works once. */
export const emailLink: Decider<EmailLinkState, EmailLinkCommand, EmailLinkEvent> = {
  category: 'email_link',
  initial: { status: 'unknown' },

  decide(command, state) {
    switch (command.kind) {
      case 'issue': {
        if (state.status !== 'unknown') return [];
        const { linkId, accountId, tokenHash, at, expiresAt } = command;
        return [
          {
            type: 'EmailLinkIssued',
            data: {
              link_id: linkId,
              account_id: accountId,
              token_hash: tokenHash,
              issued_at: at,
              expires_at: expiresAt,
            },
          },
        ];
      }
      case 'spend': {
        const { linkId, grantId, at } = command;
        if (state.status === 'spent' && state.grantId === grantId) return [];
        if (state.status !== 'issued' || at >= state.expiresAt) throw refuse('invalid_grant');
        return [
          {
            type: 'EmailLinkSpent',
            data: { link_id: linkId, account_id: state.accountId, grant_id: grantId, spent_at: at },
          },
        ];
      }
      default:
        return assertNever(command);
    }
  },

  evolve(_state, event) {
    switch (event.type) {
      case 'EmailLinkIssued': {
        const { account_id: accountId, token_hash: tokenHash, expires_at: expiresAt } = event.data;
        return { status: 'issued', accountId, tokenHash, expiresAt };
      }
      case 'EmailLinkSpent':
        return { status: 'spent', grantId: event.data.grant_id };
      default:
        return assertNever(event);
    }
  },
};
