// The cable is cut below TLS: in the middle of the handshake, between two records, inside one. Until the handshake is
// over nothing was sent; from then on the worker can't know what the gateway could decrypt, and says so.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRawServer, type RawServer, saysAndStalls } from '../support/raw-server.ts';
import type { CutKind, Direction } from './support/cutting-proxy.ts';
import { attempt, attemptAll, offsets, type Seen, shortLimits } from './support/trial.ts';
import { acceptance, gatewayOrderId, jsonOf, wireReply } from './support/wire.ts';

/** Every trial costs two key exchanges, so one byte in so many is tried, and every border of a record around it. */
const stride = { close: 9, reset: 9, stall: 45 };
/** Lengths differ by a byte or two from one handshake to the next: a signature in DER is 70 to 72 bytes long. */
const borderWidth = [-2, -1, 0, 1, 2];

describe.each(['TLSv1.3', 'TLSv1.2'] as const)('a cut below %s', (version) => {
  let gateway: RawServer;
  let whole: Seen;

  beforeAll(async () => {
    const reply = wireReply('content-length', '200 OK', jsonOf(acceptance));
    // A classic key exchange: the post-quantum one would double the handshake and prove no more.
    const tls = { minVersion: version, maxVersion: version, ecdhCurve: 'X25519' };
    gateway = await openRawServer('https', saysAndStalls(reply), '127.0.0.1', tls);
    whole = await attempt({ gateway, scheme: 'https', provable: () => ['accepted'] });
  });

  afterAll(() => gateway.close());

  it('is no cut at all after the whole exchange', () => {
    expect(whole.outcome).toEqual({ kind: 'accepted', gatewayOrderId });
    expect(whole.heard.requests).toBe(1);
  });

  const directions: Direction[] = ['request', 'reply'];
  const kinds: CutKind[] = ['close', 'reset', 'stall'];
  it.each(directions.flatMap((direction) => kinds.map((kind) => ({ direction, kind }))))(
    'in the $direction: $kind',
    async ({ direction, kind }) => {
      const bytes = direction === 'request' ? whole.passedRequest : whole.passedReply;
      const borders = recordBorders(bytes).flatMap((border) => borderWidth.map((by) => border + by));
      const trials = offsets(bytes.length + 2, stride[kind], borders).map((afterBytes) => ({
        gateway,
        scheme: 'https' as const,
        cut: { direction, afterBytes, kind },
        // The whole answer got through, at least as long as the shortest that there can be.
        provable: ({ passedReply }: Seen) =>
          passedReply.length >= whole.passedReply.length - 4 ? ['accepted' as const] : [],
        ...(kind === 'stall' && { limits: { ...shortLimits, gatewayConnectTimeoutMs: 400 } }),
      }));
      const { broken } = await attemptAll(trials, kind === 'stall' ? 60 : 24);
      expect(broken.slice(0, 5)).toEqual([]);
    },
  );
});

/** Where one TLS record ends and the next begins: a header of five bytes, the last two of them the length. */
function recordBorders(bytes: Buffer): number[] {
  const borders: number[] = [];
  for (let at = 0; at + 5 <= bytes.length;) {
    at += 5 + bytes.readUInt16BE(at + 3);
    borders.push(at);
  }
  return borders;
}
