import { type Settlement } from '../../../sdk/src/types/payment.ts';
import { type SignedPayment } from './outbox.ts';

/** `way` is undefined if this browser does not have the signed payment: it knows only what was reported. */
export type Seen = Readonly<{
  way: SignedPayment['way'] | undefined;
  /** Whether this wallet has a network server to ask. */
  hasNetwork: boolean;
  settlement: Settlement | null;
  payee: string;
}>;

/** For a payment reported as submitted: claims nothing that this wallet has not seen. */
export function broadcastedWords({ way, hasNetwork }: Seen): string {
  switch (way) {
    case 'network':
      return 'The network has it. Waiting for a ledger…';
    case 'practice':
      return 'As practice: nothing was sent.';
    case 'elsewhere':
    case 'told':
      return hasNetwork
        ? 'You gave its hash. Looking for it on the network…'
        : 'You gave its hash. Nobody has looked for it.';
    case undefined:
      return 'It was reported as handed to the network.';
    default:
      return way satisfies never;
  }
}

/** For a payment reported as confirmed. */
export function paidWords({ way, hasNetwork, settlement, payee }: Seen): string {
  if (way === 'practice') return 'As practice: no money has moved.';
  // The service looks at another server, which may be behind, or on another network: the two must not contradict each other.
  const isMissed = settlement?.verdict === 'not_found';
  const notYet = 'The service has looked, and not found it yet.';
  if (settlement?.verdict === 'matches' || (way === 'network' && !isMissed)) return `${payee} has the money.`;
  if (way === undefined) return 'It was reported as paid.';
  if (way === 'network') return `This wallet’s network server has it in a ledger. ${notYet}`;
  if (!hasNetwork) return `You said that it is in a ledger. ${isMissed ? notYet : 'Nobody has looked.'}`;
  return isMissed
    ? `This wallet’s network server has the transaction you named in a ledger. ${notYet}`
    : 'The transaction you named is in a ledger. This wallet has not checked whether it paid exactly this.';
}

/** For a payment whose request was over before the service learned of it, by `reason`. */
export function withdrawnWords({ way, payee }: Seen, reason: string): Readonly<{ title: string; text: string }> {
  if (way === 'told') {
    return {
      title: 'Too late',
      text: `You gave its hash, but the request was ${reason} by then. If you have paid, do not pay again: talk to ${payee}.`,
    };
  }
  return {
    title: 'Not sent',
    text: `It was signed here, but the request was ${reason} by then. The network never got it.`,
  };
}
