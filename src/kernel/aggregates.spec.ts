import {
  AGGREGATES,
  CATEGORIES,
  categoryOfId,
  categoryOfOrigin,
  idFor,
  isCategory,
  isIdIn,
  isOwnedByMerchant,
} from './aggregates';
import { derivedId, newId } from './ids';

describe('the registry of aggregates', () => {
  it('finds an aggregate by the prefix of its ids, and for a shared prefix the owner of the id', () => {
    for (const category of CATEGORIES) {
      const { prefix, ...more } = AGGREGATES[category];
      if (prefix === null) continue;
      expect(categoryOfId(newId(prefix))).toBe('beside' in more ? more.beside : category);
    }
    expect(categoryOfId('order-17')).toBeUndefined();
    expect(categoryOfId('__proto__')).toBeUndefined();
  });

  it('recognises an id of a category by its whole form', () => {
    const id = newId('con');
    expect(isIdIn('connection', id)).toBe(true);
    for (const other of [undefined, '', 'con_', id.slice(0, -1), `${id}0`, id.toLowerCase(), newId('agt'), ` ${id}`]) {
      expect(isIdIn('connection', other)).toBe(false);
    }
  });

  it('contains no other category', () => {
    expect(isCategory('connection')).toBe(true);
    expect(isCategory('toString')).toBe(false);
    expect(isOwnedByMerchant('toString')).toBe(false);
    expect([isOwnedByMerchant('recipient'), isOwnedByMerchant('wallet_device')]).toEqual([true, false]);
  });

  it('tells an invitation from a pairing session by what a connection came from', () => {
    expect(categoryOfOrigin(newId('prs'))).toBe('pairing_session');
    expect(categoryOfOrigin(newId('inv'))).toBe('connect_invitation');
  });

  it('derives the ids that are on disk', () => {
    expect(idFor.requestOfKey('con_1', 'order-1')).toBe(derivedId('pr', 'con_1', 'key', 'order-1'));
    expect(idFor.requestOfName('mer_1', 'order-1')).toBe(derivedId('pr', 'mer_1', 'id', 'order-1'));
    expect(idFor.paymentIntent('dev_1', 'rcp_1', '2.5')).toBe(derivedId('pr', 'dev_1', 'intent', 'rcp_1', '2.5'));
    expect(idFor.transactionContext('con_1', 'tx')).toBe(derivedId('txn', 'con_1', 'transaction', 'tx'));
    expect(idFor.paymentOfKey('mer_1', 'k')).toBe(derivedId('ap', 'mer_1', 'key', 'k'));
    expect(idFor.paymentOfConnectionKey('con_1', 'k')).toBe(derivedId('ap', 'con_1', 'key', 'k'));
    expect(idFor.endpoint('mer_1', 2, 0)).toBe(derivedId('whe', 'mer_1', '2', '0'));
    expect(idFor.delivery('whe_1', 'evt_1')).toBe(derivedId('whd', 'whe_1', 'evt_1'));
    expect(idFor.assertion('crd_1', 'jti')).toBe(derivedId('ast', 'crd_1', 'jti'));
    expect(idFor.credentialKey('K1')).toBe(derivedId('cpk', 'K1'));
    expect(idFor.connectionFrom('inv_1')).toBe(derivedId('con', 'inv_1'));
    expect(idFor.settlementClaim('stellar_testnet', 'ab')).toBe('stellar_testnet_ab');
    expect(idFor.merchantOf('grt_1')).toBe(derivedId('mer', 'grt_1'));
  });
});
