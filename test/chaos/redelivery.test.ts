// A message over a cable that is cut: the message comes again and again, as SQS would bring it, and the gateway
// hears of the order once at the most.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpGateway } from '../../lib/gateway/http-gateway.ts';
import { runJobs } from '../../lib/payout/submit/run-jobs.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { openRawServer, type RawServer, saysAndStalls } from '../support/raw-server.ts';
import { aRecord, redelivered } from '../support/records.ts';
import { aWorld } from '../support/world.ts';
import { type Cut, startCuttingProxy } from './support/cutting-proxy.ts';
import { offsets, patientLimits } from './support/trial.ts';
import { acceptance, formOf, orderId, wireReply } from './support/wire.ts';
import { lengthOf } from '../support/long-proof.ts';

const reply = wireReply('content-length', '200 OK', formOf(acceptance));
/** A stall ends soon. A slow connection on a busy machine is none: the order would be sent again. */
const silentLimits = { ...patientLimits, gatewayHeadersTimeoutMs: 150, gatewayBodyTimeoutMs: 150 };
let gateway: RawServer;
let requestLength: number;

beforeAll(async () => {
  gateway = await openRawServer('http', saysAndStalls(reply));
  requestLength = (await livesOf()).requestLength;
});

afterAll(() => gateway.close());

/** Delivers one message four times over a cable with this cut, each after the lease of the last; tells what was heard. */
async function livesOf(cut?: Cut) {
  const proxy = await startCuttingProxy(gateway.port);
  const cable = proxy.begin(cut);
  const credentials = { ...someCredentials(), baseUrl: `http://127.0.0.1:${proxy.port}` };
  const world = aWorld({ merchants: { 'acme-eu': credentials } });
  const limits = cut?.kind === 'stall' ? silentLimits : patientLimits;
  const ports = { ...world.ports, gateway: createHttpGateway({ limits, ...world.clock }) };
  let record = aRecord(aPayoutJob({ orderId }));
  for (let delivery = 0; delivery < 4; delivery += 1) {
    await runJobs([record], world.clock.nowMs() + limits.functionTimeoutMs, ports);
    world.clock.advance(limits.leaseMs + 1);
    record = redelivered(record);
  }
  await proxy.close();
  return {
    requestLength: cable.passed('request').length,
    connections: cable.connections(),
    requests: gateway.heardFrom(cable.upstreamPorts()).requests,
    states: [...new Set(world.results.taken.map(({ status }) => status))],
  };
}

describe('a message that comes again after a cut', () => {
  it.each(['close', 'reset', 'stall'] as const)('in request or reply (%s) is not sent again', async (kind) => {
    const stride = kind === 'stall' ? 100 : lengthOf({ short: 67, long: 20 });
    // The cut before the first byte is left to the trials of one POST: it may prove that nothing was sent.
    const cuts: Cut[] = [
      ...offsets(requestLength, stride).flatMap((afterBytes) => ({ direction: 'request', afterBytes, kind }) as const),
      ...offsets(reply.length - 1, stride).map((afterBytes) => ({ direction: 'reply', afterBytes, kind }) as const),
    ].filter(({ direction, afterBytes }) => direction === 'reply' || afterBytes > 0);
    const lives = await Promise.all(cuts.map(async (cut) => ({ cut, ...(await livesOf(cut)) })));
    const wrong = lives.filter(({ cut, requestLength, connections, requests, states }) => {
      // Signatures differ in length by a few percent signs, so a cut near the end may lie beyond it.
      const isCut = cut.direction === 'reply' || requestLength >= cut.afterBytes;
      return connections !== 1 || requests > 1 || states.join() !== (isCut ? 'held' : 'accepted');
    });
    expect(wrong.slice(0, 5)).toEqual([]);
  });
});
