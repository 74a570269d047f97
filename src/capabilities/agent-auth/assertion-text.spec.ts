import fc from 'fast-check';
import { Refusal } from '../../kernel/errors';
import { parseAssertion } from './assertion-text';

const header = { alg: 'EdDSA', typ: 'agent-assertion+jwt', kid: 'key-1' };
const claims = { aud: 'https://svc.test/v1/agent-auth/token', iat: 1000, exp: 1060, jti: 'one' };

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const jws = (head: unknown, body: unknown, signature = 'c2ln'): string => `${part(head)}.${part(body)}.${signature}`;
const outcome = (text: string): unknown => {
  try {
    return parseAssertion(text);
  } catch (error) {
    return error instanceof Refusal ? error.code : error;
  }
};

const agentId = 'agt_01JZZZZZZZZZZZZZZZZZZZZZZZ';

describe('the text of an assertion', () => {
  it('is read into kid, claims and what was signed', () => {
    const text = jws(header, claims);
    expect(parseAssertion(text)).toEqual({
      kid: 'key-1',
      claims,
      signed: Buffer.from(text.slice(0, -'.c2ln'.length)),
      signature: Buffer.from('sig'),
    });
  });

  it('may name the agent as iss, sub or both alike', () => {
    for (const names of [{ iss: agentId }, { sub: agentId }, { iss: agentId, sub: agentId }]) {
      expect(parseAssertion(jws(header, { ...claims, ...names })).claims.agentId).toBe(agentId);
    }
  });

  it('may hold its one audience in a list, and claims we do not know', () => {
    const read = parseAssertion(jws(header, { ...claims, aud: [claims.aud], nbf: 999, tenant: 'x' })).claims;
    expect(read).toEqual({ ...claims, nbf: 999 });
  });

  const { kid: _kid, ...noKid } = header;
  const { jti: _jti, ...noJti } = claims;
  const strange: Record<string, string> = {
    'no text': '',
    'no JWS': 'hello',
    'two parts': `${part(header)}.${part(claims)}`,
    'four parts': `${jws(header, claims)}.c2ln`,
    'an empty signature': jws(header, claims, ''),
    padding: `${part(header)}.${part(claims)}.c2lnYQ==`,
    'plain base64': jws(header, claims, '+/+/'),
    'a second spelling of the same bytes': jws(header, claims, 'c2lnYR'),
    'white space': ` ${jws(header, claims)}`,
    'a header that is no object': jws([header], claims),
    'a payload that is no object': jws(header, 'claims'),
    'a payload that is null': jws(header, null),
    'a payload that is not UTF-8': `${part(header)}.${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.c2ln`,
    'alg none': jws({ ...header, alg: 'none' }, claims),
    'alg HS256': jws({ ...header, alg: 'HS256' }, claims),
    'alg in other letters': jws({ ...header, alg: 'eddsa' }, claims),
    'no typ': jws({ alg: 'EdDSA', kid: 'key-1' }, claims),
    'another typ': jws({ ...header, typ: 'JWT' }, claims),
    'no kid': jws(noKid, claims),
    'a kid that is no string': jws({ ...header, kid: 1 }, claims),
    'an endless kid': jws({ ...header, kid: 'k'.repeat(129) }, claims),
    crit: jws({ ...header, crit: ['exp'] }, claims),
    b64: jws({ ...header, b64: false }, claims),
    'a key of its own': jws({ ...header, jwk: { kty: 'OKP', crv: 'Ed25519', x: '' } }, claims),
    'an address of keys': jws({ ...header, jku: 'https://keys.example' }, claims),
    'no audience': jws(header, { ...claims, aud: undefined }),
    'two audiences': jws(header, { ...claims, aud: [claims.aud, 'https://other.example'] }),
    'an empty list of audiences': jws(header, { ...claims, aud: [] }),
    'times as text': jws(header, { ...claims, iat: '1000' }),
    'no exp': jws(header, { ...claims, exp: undefined }),
    'nbf as text': jws(header, { ...claims, nbf: 'now' }),
    'exp at iat': jws(header, { ...claims, exp: 1000 }),
    'no jti': jws(header, noJti),
    'an empty jti': jws(header, { ...claims, jti: '' }),
    'a jti of 129 characters': jws(header, { ...claims, jti: 'j'.repeat(129) }),
    'a jti with control characters': jws(header, { ...claims, jti: 'a\u0000b' }),
    'iss and sub that differ': jws(header, { ...claims, iss: agentId, sub: agentId.replace('1', '2') }),
    'an iss that is no string': jws(header, { ...claims, iss: 7 }),
    'an iss that is no agent’s id': jws(header, { ...claims, iss: 'agt_1' }),
    'an endless iss': jws(header, { ...claims, iss: `agt_${'1'.repeat(3000)}` }),
    'an iss of null': jws(header, { ...claims, iss: null }),
  };
  for (const [name, text] of Object.entries(strange)) {
    it(`is refused with ${name}`, () => expect(outcome(text)).toBe('invalid_assertion'));
  }

  it('is refused, never an accident, whatever it is', () => {
    const parts = fc.oneof(fc.string(), fc.jsonValue().map(part), fc.constantFrom(part(header), part(claims)));
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 4 }), (pieces) => {
        const found = outcome(pieces.join('.'));
        expect(typeof found === 'object' ? found : { code: found }).toEqual(
          typeof found === 'object' ? expect.objectContaining({ kid: 'key-1' }) : { code: 'invalid_assertion' },
        );
      }),
    );
  });
});
