import { describe, expect, it } from 'vitest';
import { accountOf, accountShape } from '../../lib/gateway/signed-request.ts';
import { matchAccount } from '../../lib/payout/order/account.ts';
import { someCredentials } from '../support/fake-credentials.ts';

const at = (baseUrl: string) => accountOf({ ...someCredentials(), baseUrl }, '39915');

describe('the account of an order', () => {
  it('is a digest, and shows neither host nor login', () => {
    expect(at('https://gateway.test')).toMatch(accountShape);
    expect(at('https://gateway.test')).toHaveLength(12);
  });

  it.each(['https://GATEWAY.test', 'https://gateway.test:443', 'https://gateway.test./', 'https://gateway.test/'])(
    'is the same however its host is written: %s',
    (baseUrl) => {
      expect(at(baseUrl)).toBe(at('https://gateway.test'));
    },
  );

  it('is another at another host, port, path, login or endpoint, and in test mode', () => {
    const credentials = someCredentials();
    const others = [
      at('https://gateway.test'),
      at('https://gateway2.test'),
      at('https://gateway.test:8443'),
      accountOf(someCredentials({ profile: { apiPath: '/paynet/api2' } }), '39915'),
      accountOf(someCredentials({ login: 'acme-login-2' }), '39915'),
      accountOf(credentials, '39916'),
      accountOf({ ...credentials, mode: 'test' }, '39915'),
    ];
    expect(new Set(others).size).toBe(others.length);
  });
});

describe('whom to ask about an order', () => {
  const before = someCredentials();
  const account = accountOf(before, '39915');
  const moved = { ...someCredentials({ version: 'v2' }), baseUrl: 'https://new-gateway.test' };
  const order = { account, endpointId: '39915' };

  it('is the present account, if it was sent there', () => {
    expect(matchAccount(order, before)).toEqual({ kind: 'present', credentials: before });
  });

  it('is unknown once the secret has moved to another account', () => {
    expect(matchAccount(order, moved)).toEqual({ kind: 'unknown' });
  });

  it('is the earlier account, where the secret keeps it for inquiries', () => {
    const credentials = { ...moved, earlierAccounts: [before] };
    expect(matchAccount(order, credentials)).toEqual({ kind: 'earlier', credentials: before });
    expect(matchAccount({ ...order, endpointId: '1' }, credentials)).toEqual({ kind: 'unknown' });
  });

  it('is the present account, where the secret says that it is the same one under a new name', () => {
    const credentials = { ...moved, sameAccountAs: [account] };
    expect(matchAccount(order, credentials)).toEqual({ kind: 'present', credentials });
  });

  it('is never the live account for an order of the sandbox, wherever both are', () => {
    const sandbox = accountOf({ ...before, mode: 'test' }, '39915');
    expect(matchAccount({ ...order, account: sandbox }, { ...before, earlierAccounts: [before] })).toEqual({
      kind: 'unknown',
    });
  });
});
