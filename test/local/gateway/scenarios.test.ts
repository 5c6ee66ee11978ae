// The two published tables: markers in order ids, and fault schedules.
import { describe, expect, it } from 'vitest';
import { faultSchedules } from '../../../lib/local/gateway/fault-schedules.ts';
import { scenarioByOrderId, scenarioMarkers } from '../../../lib/local/gateway/scenario-markers.ts';
import { plainApproval } from '../../../lib/local/gateway/scenario.ts';
import type { ScenarioFunction, ScenarioRequest } from '../../../lib/local/gateway/scenario.ts';
import { formFields, postPayout } from './support/client.ts';
import { aClock, aGateway } from './support/story.ts';

function aSend(orderId: string, changes: Partial<ScenarioRequest> = {}): ScenarioRequest {
  return { operation: 'payout', login: 'acme', endpointId: '1', orderId, sendNumber: 1, receivedAtMs: 0, ...changes };
}

/** The kinds of fault that a schedule gives to the first sends of a thousand orders, with their counts. */
function faultCounts(scenario: ScenarioFunction): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (let index = 0; index < 1_000; index += 1) {
    const { fault } = scenario(aSend(`INV-${index}`));
    const label = fault.kind === 'none' ? 'none' : `${fault.kind} ${fault.when}`;
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}

describe('markers', () => {
  it.each(['INV-1', 'INV-1.', 'INV-1.no-such-marker', 'INV-1.constructor', 'decline', 'INV.decline.1', ''])(
    'order id %j asks for nothing and is approved',
    (orderId) => {
      expect(scenarioByOrderId(aSend(orderId))).toBe(plainApproval);
    },
  );

  it('are read after the last dot', () => {
    expect(scenarioByOrderId(aSend('2026.11.decline')).life).toEqual([{ status: 'declined', afterMs: 2_000 }]);
  });

  it('each have a one-line description and a life in the order of time', () => {
    for (const [name, { description, sends }] of Object.entries(scenarioMarkers)) {
      expect(name).toMatch(/^[a-z0-9-]+$/);
      expect(description).toMatch(/^[^\n]{5,100}$/);
      for (const { life } of sends) expect(life).toEqual(life.toSorted((a, b) => a.afterMs - b.afterMs));
    }
  });

  it('strike the first send only where they are faults', async () => {
    const gateway = await aGateway();
    expect(await postPayout(gateway, 'INV-1.rate-limited-once')).toMatchObject({ status: 429 });
    expect(formFields(await postPayout(gateway, 'INV-1.rate-limited-once'))).toMatchObject({ type: 'async-response' });
    expect(await postPayout(gateway, 'INV-2.rate-limited')).toMatchObject({ status: 429 });
    expect(await postPayout(gateway, 'INV-2.rate-limited')).toMatchObject({ status: 429 });
  });

  it('count sends of each login by itself, and only authentic ones', async () => {
    const gateway = await aGateway();
    await postPayout(gateway, 'INV-1.http-500-before', { controlKey: 'wrong' });
    expect(await postPayout(gateway, 'INV-1.http-500-before')).toMatchObject({ status: 500 });
    expect(gateway.orders()).toEqual([]);
  });
});

describe('fault schedules', () => {
  const nowMs = (): number => 0;

  it('are these, each with its one line', () => {
    expect(Object.entries(faultSchedules).map(([name, { description }]) => `${name}: ${description}`)).toEqual([
      'none: only what the markers in the order ids ask for',
      'brownout: for 20 s from the first request most orders stall, answer 500 or reset after commit, then recovery',
      'rate-limit: 429 to each request of a merchant above 5 in a second',
      'outage: for 15 s from the start nobody listens: connections are refused',
      'wrong-key: for 15 s from the first request every signature is refused (401), as with a key that is not known yet',
      'no-funds: for 15 s from the first order the account is empty: refused with code 28, named in accountCodes',
      'flaky: three requests in ten meet a fault of any kind, before or after commit',
      'slow: every answer takes up to 3 s',
      'duplicates-refused: three answers in ten are lost after commit, and a second order under the same id is refused',
      'late-status: three answers in ten are lost after commit, and status knows an order only after 30 s',
    ]);
  });

  it('do the same to the same sends under one seed, in any order, and otherwise under another', () => {
    const sends = Array.from({ length: 50 }, (_none, index) => aSend(`INV-${index}`));
    const faultsUnder = (seed: string, requests: readonly ScenarioRequest[]) => {
      const scenario = faultSchedules.flaky.makeScenario({ seed, nowMs });
      return new Map(requests.map((request) => [request.orderId, scenario(request).fault]));
    };
    const forwards = faultsUnder('7', sends);
    const backwards = faultsUnder('7', sends.toReversed());
    expect(sends.map(({ orderId }) => backwards.get(orderId))).toEqual([...forwards.values()]);
    expect([...faultsUnder('8', sends).values()]).not.toEqual([...forwards.values()]);
  });

  it('none leaves all alone', () => {
    expect(faultCounts(faultSchedules.none.makeScenario({ seed: '1', nowMs }))).toEqual({ none: 1_000 });
  });

  it('flaky deals every fault before and after the commit, but no 429 after it', () => {
    const counts = faultCounts(faultSchedules.flaky.makeScenario({ seed: '1', nowMs }));
    expect(counts['none']).toBeGreaterThan(600);
    expect(counts['none']).toBeLessThan(800);
    expect(Object.keys(counts).toSorted()).toEqual([
      'close after',
      'close before',
      'empty-200 after',
      'empty-200 before',
      'foreign-order-id after',
      'foreign-order-id before',
      'html-200 after',
      'html-200 before',
      'http-error after',
      'http-error before',
      'json-as-html after',
      'json-as-html before',
      'none',
      'reset after',
      'reset before',
      'slow after',
      'slow before',
      'stall after',
      'stall before',
      'too-many-requests before',
      'truncated-body after',
      'truncated-body before',
    ]);
  });

  it('brownout hits most orders after the commit for 20 s from the first request, then none', () => {
    const clock = aClock();
    const scenario = faultSchedules.brownout.makeScenario({ seed: '1', nowMs: clock.nowMs });
    clock.pass(60_000);
    const counts = faultCounts(scenario);
    expect(counts['none']).toBeLessThan(400);
    expect(Object.keys(counts).toSorted()).toEqual(['http-error after', 'none', 'reset after', 'stall after']);
    clock.pass(19_999);
    expect(faultCounts(scenario)).toEqual(counts);
    clock.pass(1);
    expect(faultCounts(scenario)).toEqual({ none: 1_000 });
  });

  it('rate-limit takes five a second of each merchant, and asks the others to come back', () => {
    const clock = aClock();
    const scenario = faultSchedules['rate-limit'].makeScenario({ seed: '1', nowMs: clock.nowMs });
    const refusedOf = (count: number) =>
      Array.from({ length: count }, (_, index) => scenario(aSend(`INV-${index}`)).fault.kind).filter(
        (kind) => kind === 'too-many-requests',
      ).length;
    expect(refusedOf(8)).toBe(3);
    clock.pass(999);
    expect(refusedOf(2)).toBe(2);
    clock.pass(1);
    expect(refusedOf(6)).toBe(1);
  });

  it('wrong-key refuses every signature for 15 s from the first request, before anything is committed', () => {
    const clock = aClock();
    const scenario = faultSchedules['wrong-key'].makeScenario({ seed: '1', nowMs: clock.nowMs });
    expect(scenario(aSend('INV-1')).fault).toEqual({ kind: 'http-error', status: 401, when: 'before' });
    clock.pass(15_000);
    expect(faultCounts(scenario)).toEqual({ none: 1_000 });
  });

  it('no-funds refuses orders for 15 s with a code that the profile names, and answers inquiries', () => {
    const clock = aClock();
    const { makeScenario, profile } = faultSchedules['no-funds'];
    const scenario = makeScenario({ seed: '1', nowMs: clock.nowMs });
    expect(scenario(aSend('INV-1')).answer).toEqual({
      kind: 'refused',
      type: 'error',
      code: 28,
      message: 'Insufficient funds',
    });
    expect(profile).toMatchObject({ accountCodes: { payout: ['28'] } });
    expect(scenario({ ...aSend('INV-1'), operation: 'status' }).answer).toEqual({ kind: 'accepted' });
    clock.pass(15_000);
    expect(scenario(aSend('INV-1')).answer).toEqual({ kind: 'accepted' });
  });

  it('slow takes up to 3 s for every answer', () => {
    const scenario = faultSchedules.slow.makeScenario({ seed: '1', nowMs });
    expect(faultCounts(scenario)).toEqual({ 'slow after': 1_000 });
    const { fault } = scenario(aSend('INV-1'));
    expect(fault.kind === 'slow' && fault.latencyMs).toBeLessThan(3_000);
  });

  it('leave a marker its own fault', () => {
    const scenario = faultSchedules.slow.makeScenario({ seed: '1', nowMs });
    expect(scenario(aSend('INV-1.reset-after')).fault).toEqual({ kind: 'reset', when: 'after' });
  });

  it('set the gateway as their names say', async () => {
    const gateway = await aGateway(faultSchedules['duplicates-refused'].settings);
    expect(formFields(await postPayout(gateway, 'INV-1'))).toMatchObject({ type: 'async-response' });
    expect(formFields(await postPayout(gateway, 'INV-1'))).toMatchObject({ 'error-code': '503' });
    expect(faultSchedules['late-status'].settings).toEqual({ statusVisibilityDelayMs: 30_000 });
  });
});
