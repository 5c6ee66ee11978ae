// The cable is cut at every byte of the request. From its first byte on the gateway may carry the order out, and only
// doubt is true; before it, "not sent" is true as well.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRawServer, type RawServer, saysAndStalls } from '../support/raw-server.ts';
import type { CutKind } from './support/cutting-proxy.ts';
import { attempt, attemptAll, offsets, shortLimits } from './support/trial.ts';
import { acceptance, formOf, gatewayOrderId, wireReply } from './support/wire.ts';

let gateway: RawServer;
let requestLength: number;

beforeAll(async () => {
  const reply = wireReply('content-length', '200 OK', formOf(acceptance));
  gateway = await openRawServer('http', saysAndStalls(reply));
  const whole = await attempt({ gateway, provable: () => ['accepted'] });
  requestLength = whole.passedRequest.length;
});

afterAll(() => gateway.close());

const trialsOf = (kind: CutKind, stride: number) =>
  offsets(requestLength, stride).map((afterBytes) => ({
    gateway,
    cut: { direction: 'request', afterBytes, kind } as const,
    ...(kind === 'stall' && { limits: shortLimits }),
  }));

describe('a cut in the request', () => {
  it.each(['close', 'reset', 'stall'] as const)(
    '%s at every byte leaves doubt, and nothing is sent twice',
    async (kind) => {
      const { tried, broken } = await attemptAll(trialsOf(kind, 1), kind === 'stall' ? 100 : 32);
      expect(broken.slice(0, 5)).toEqual([]);
      expect(tried).toBe(requestLength + 1);
    },
  );

  it('is no cut at all after the whole exchange', async () => {
    const { outcome, broken } = await attempt({ gateway, provable: () => ['accepted'] });
    expect(broken).toEqual([]);
    expect(outcome).toEqual({ kind: 'accepted', gatewayOrderId });
  });

  it('the gateway has read the whole order only where the whole request got through', async () => {
    const close = (afterBytes: number) =>
      attempt({ gateway, cut: { direction: 'request', afterBytes, kind: 'close' } });
    expect((await close(requestLength - 1)).heard.requests).toBe(0);
    expect(await close(requestLength)).toMatchObject({ heard: { requests: 1 }, outcome: { kind: 'in-doubt' } });
  });
});
