import { type Tool } from '../tool.ts';
import { requestPayment } from './asking.ts';
import { connectionStatus, connectWallet } from './connecting.ts';
import { describeTransaction } from './describing.ts';
import { findPayment, getPayment, listPayments, waitForPayment } from './following.ts';
import { listPayees } from './payees.ts';
import { payWithinPolicy } from './paying-within-policy.ts';
import { withdrawPayment } from './withdrawing.ts';

/** The complete list: only tools listed here are offered. */
export const tools: readonly Tool[] = [
  connectWallet,
  connectionStatus,
  listPayees,
  describeTransaction,
  requestPayment,
  getPayment,
  waitForPayment,
  listPayments,
  findPayment,
  withdrawPayment,
  payWithinPolicy,
];
