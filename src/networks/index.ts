export { decodeBase58 } from './codecs';
export { checkAmount } from '../kernel/amounts';
export { assetNameIssues } from './assets';
export { type NetworkName, type Rail, networkNames, rails } from './names';
export { type AddressCheck, type MemoRule, type Network, type TokenRule } from './network';
export { type PaymentFacts, type PaymentFactsAnswer, type PaymentFactsInput, checkPaymentFacts } from './payment-facts';
export { type PayableFacts, paymentUri } from './payment-uri';
export { holdsPrivateKey } from './pasted-secrets';
export { isTestnet, networkNamed, networks } from './table';
