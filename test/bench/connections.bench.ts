// What connections cost and save over TLS, by the gateway's own code: looks by a kept connection beside looks by fresh ones,
// and a payment whose handshake goes on while its claim is written beside one that begins it afterwards.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHttpGateway, createHttpInquiries } from '../../lib/gateway/http-gateway.ts';
import type { Evidence, Gateway } from '../../lib/gateway/ports.ts';
import { defaultLimits as limits } from '../../lib/payout/limits.ts';
import { testCertificatePem as ca } from '../local/gateway/support/tls-certificate.ts';
import { type Benchmark, type ContestResult, type Measurement, sideBySide } from './harness.ts';
import { startServers } from './surroundings/start-servers.ts';

/** All benchmarks of this file. */
export const connectionBenchmarks: readonly Benchmark[] = [
  {
    name: 'connections-looks',
    description:
      'a look by a kept connection beside one by a fresh connection, TLS: processor, and time to a gateway 5 ms away',
    run: looks,
  },
  {
    name: 'connections-ahead',
    description:
      'a payment whose handshake goes beside a claim of 20 ms, and one that begins it then: TLS, a gateway 10 ms away',
    run: ahead,
  },
];

const options = { limits, nowMs: () => performance.now(), uptimeMs: () => performance.now(), ca };
const body = 'login=bench&client_orderid=INV-1';
const headers = { 'content-type': 'application/x-www-form-urlencoded' };
const claimMs = 20;

const postTo = (url: string, how: Partial<Parameters<Gateway['post']>[0]> = {}) => ({
  url,
  headers,
  body,
  notAfterMs: Number.POSITIVE_INFINITY,
  ...how,
});

function answered(evidence: Evidence): void {
  assert.equal(evidence.kind, 'answer');
}

async function looks(): Promise<Measurement> {
  const [fresh, kept] = [createHttpGateway(options), createHttpInquiries(options)];
  const contest = async (gatewayAwayMs: number, how: 'cpu' | 'wall', callsPerRound: number): Promise<ContestResult> => {
    const servers = await startServers('instant', { tls: true, gatewayAwayMs });
    const url = `${servers.gatewayUrl}/paynet/api/v4/status/39915`;
    const look = (gateway: Gateway) => async () => answered(await gateway.post(postTo(url)));
    try {
      return await sideBySide({ ours: look(kept), reference: look(fresh), callsPerRound, rounds: 9, clock: how });
    } finally {
      await servers.stop();
    }
  };
  const cpu = await contest(0, 'cpu', 100);
  const near = await contest(0, 'wall', 50);
  const away = await contest(5, 'wall', 10);
  const figures = {
    keptCpuMicroseconds: cpu.oursMicrosecondsPerCall,
    freshCpuMicroseconds: cpu.referenceMicrosecondsPerCall,
    keptCpuBesideFresh: 1 / cpu.ratio,
    keptMs: near.oursMicrosecondsPerCall / 1000,
    freshMs: near.referenceMicrosecondsPerCall / 1000,
    keptTimeBesideFresh: 1 / near.ratio,
    keptAwayMs: away.oursMicrosecondsPerCall / 1000,
    freshAwayMs: away.referenceMicrosecondsPerCall / 1000,
    keptAwayBesideFresh: 1 / away.ratio,
  };
  return {
    figures,
    bounds: [
      { kind: 'most', figure: 'keptCpuBesideFresh', most: 0.5 },
      { kind: 'most', figure: 'keptTimeBesideFresh', most: 0.5 },
      { kind: 'most', figure: 'keptAwayBesideFresh', most: 0.7 },
    ],
  };
}

async function ahead(): Promise<Measurement> {
  const servers = await startServers('instant', { tls: true, gatewayAwayMs: 10 });
  const gateway = createHttpGateway(options);
  const url = `${servers.gatewayUrl}/paynet/api/v4/payout/39915`;
  const afterwards = async () => {
    await sleep(claimMs);
    answered(await gateway.post(postTo(url)));
  };
  const beside = async () => {
    const begun = gateway.connectAhead?.(url);
    assert(begun);
    await sleep(claimMs);
    answered(await gateway.post(postTo(url, { ahead: begun })));
    await begun.close();
  };
  const contest = { ours: beside, reference: afterwards, callsPerRound: 10, rounds: 9, clock: 'wall' } as const;
  const result = await sideBySide(contest).finally(() => servers.stop());
  const figures = {
    aheadMs: result.oursMicrosecondsPerCall / 1000,
    afterwardsMs: result.referenceMicrosecondsPerCall / 1000,
    aheadBesideAfterwards: 1 / result.ratio,
  };
  return { figures, bounds: [{ kind: 'most', figure: 'aheadBesideAfterwards', most: 0.9 }] };
}
