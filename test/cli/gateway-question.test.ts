// What a person's command asks of a gateway goes the way of a payment: verified whatever the environment says, through the route
// of the secret, within a time and a length.
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { askGatewayFor, createGatewayBalances } from '../../lib/cli/gateway-question.ts';
import { defaultLimits } from '../../lib/payout/limits.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { gatewayCertificate, privateAuthorityPem } from '../support/private-authority.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const limits = { ...defaultLimits, gatewayConnectTimeoutMs: 2_000, gatewayTotalTimeoutMs: 2_000 };
const balance = '/balance/acme';
const at = (baseUrl: string, route?: { ca?: string }) => ({
  ...someCredentials(),
  baseUrl,
  ...(route && { route }),
});

describe('a gateway whose certificate nobody vouches for', () => {
  const own = { key: gatewayCertificate.keyPem, cert: gatewayCertificate.certificatePem };

  it('is asked nothing, whatever NODE_TLS_REJECT_UNAUTHORIZED says', async () => {
    const asked: string[] = [];
    const server = createHttpsServer(
      own,
      (request, response) => void (asked.push(request.url ?? ''), response.end('[]')),
    );
    const url = `https://127.0.0.1:${await listening(server as unknown as Server)}`;
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      expect(await askGatewayFor(balance, at(url), limits)).toMatchObject({ kind: 'none' });
      expect(await createGatewayBalances(limits).of(at(url))).toMatchObject({ kind: 'unknown' });
    } finally {
      if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
    }
    expect(asked).toEqual([]);
    // And by the private authority of its secret, as payments are.
    expect(await askGatewayFor(balance, at(url, { ca: privateAuthorityPem }), limits)).toEqual({
      kind: 'answered',
      text: '[]',
    });
    expect(asked).toEqual(['/balance/acme']);
  });
});

describe('an answer', () => {
  const from = async (
    answer: (write: (text: string) => boolean, end: () => void) => void,
    status = 200,
    headers = {},
  ) => {
    const server = createServer((_, response) => {
      response.writeHead(status, headers);
      answer(
        (text) => response.write(text),
        () => response.end(),
      );
    });
    return at(`http://127.0.0.1:${await listening(server)}`);
  };

  it('without end is cut at the limit', async () => {
    const endless = await from((write) => {
      const more = () => {
        while (write('x'.repeat(65_536)));
        setImmediate(more);
      };
      more();
    });
    const word = await askGatewayFor(balance, endless, { ...limits, gatewayReplyLimitBytes: 1_000_000 });
    expect(word).toEqual({ kind: 'none', why: expect.stringContaining('longer than 1000000 bytes') });
  });

  it('that sends elsewhere is not followed', async () => {
    const word = await askGatewayFor(
      balance,
      await from((_, end) => end(), 302, { location: 'http://127.0.0.1:1/' }),
      limits,
    );
    expect(word).toEqual({ kind: 'none', why: 'it answered 302' });
  });
});
