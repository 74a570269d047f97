import { type MerchantEvent } from '../../events/merchant.events';

const merchantId = 'mer_01JZZZZZZZZZZZZZZZZZZZZZZZ';
const at = '2030-01-01T00:00:00.000Z';
export const expiresAt = '2030-01-08T00:00:00.000Z';
const location = '_svc-challenge.shop.example.com';

export const register = {
  kind: 'register-domain',
  merchantId,
  domainId: 'dom_1',
  domain: 'shop.example.com',
  method: 'dns',
  challenge: 'c1',
  at,
  expiresAt,
} as const;
export const registerAgain = { ...register, domainId: 'dom_2', challenge: 'c2' } as const;
export const verify = {
  kind: 'verify-domain',
  merchantId,
  domainId: 'dom_1',
  challenge: 'c1',
  location,
  at: '2030-01-07T23:59:59.999Z',
} as const;

export const created: MerchantEvent = {
  type: 'MerchantCreated',
  data: { merchant_id: merchantId, account_id: 'mac_1', name: 'Shop', created_at: at },
};
export const registered = {
  type: 'MerchantDomainRegistered',
  data: {
    merchant_id: merchantId,
    domain_id: 'dom_1',
    domain: 'shop.example.com',
    method: 'dns',
    challenge: 'c1',
    registered_at: at,
    challenge_expires_at: expiresAt,
  },
} as const satisfies MerchantEvent;
export const verified = {
  type: 'MerchantDomainVerified',
  data: {
    merchant_id: merchantId,
    domain_id: 'dom_1',
    domain: 'shop.example.com',
    method: 'dns',
    location,
    verified_at: verify.at,
    in_feed: true,
  },
} as const satisfies MerchantEvent;
export const activated: MerchantEvent = {
  type: 'MerchantActivated',
  data: { merchant_id: merchantId, domain_id: 'dom_1', activated_at: verify.at },
};
export const laterOn = '2030-03-01T00:00:00.000Z';
export const superseded = {
  type: 'MerchantDomainSuperseded',
  data: {
    merchant_id: merchantId,
    domain_id: 'dom_1',
    domain: 'shop.example.com',
    proof_version: 3,
    superseded_at: laterOn,
  },
} as const satisfies MerchantEvent;
export const supersede = {
  kind: 'supersede-domain',
  merchantId,
  domainId: 'dom_1',
  proofVersion: 3,
  at: laterOn,
} as const;
export const givenUp = {
  type: 'MerchantDomainGivenUp',
  data: { merchant_id: merchantId, domain_id: 'dom_1', domain: 'shop.example.com', given_up_at: laterOn },
} as const satisfies MerchantEvent;
export const giveUp = { kind: 'give-up-domain', merchantId, domainId: 'dom_1', at: laterOn } as const;
export const rename = { kind: 'rename', merchantId, version: 1, name: 'Shop & Sons', at } as const;
export const renamed: MerchantEvent = {
  type: 'MerchantRenamed',
  data: { merchant_id: merchantId, name: 'Shop & Sons', renamed_at: at },
};
