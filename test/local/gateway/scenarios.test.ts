// The two published tables: markers in order ids, and fault schedules.
import { describe, expect, it } from 'vitest';
import { type FaultScheduleName, faultSchedules } from '../../../lib/local/gateway/fault-schedules.ts';
import { scenarioByOrderId, scenarioMarkers } from '../../../lib/local/gateway/scenario-markers.ts';
import { plainApproval, type ScenarioFunction, type ScenarioRequest } from '../../../lib/local/gateway/scenario.ts';
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
  it.each(['INV-1', 'INV-1.', 'INV-1.unknown-marker', 'INV-1.constructor', 'decline', 'INV.decline.1', ''])(
    'order id %j asks for nothing and is approved',
    (orderId) => {
      expect(scenarioByOrderId(aSend(orderId))).toBe(plainApproval);
    },
  );

  it('are read after the last dot, and each has one line and a life in the order of time', () => {
    expect(scenarioByOrderId(aSend('2026.11.decline')).life).toEqual([{ status: 'declined', afterMs: 2_000 }]);
    for (const [name, { description, sends }] of Object.entries(scenarioMarkers)) {
      expect(`${name}: ${description}`).toMatch(/^[a-z0-9-]+: [^\n]{5,100}$/);
      for (const { life } of sends) expect(life).toEqual(life.toSorted((a, b) => a.afterMs - b.afterMs));
    }
  });

  it('strike the first send only where they are faults, and count authentic sends alone', async () => {
    const gateway = await aGateway();
    const once = 'INV-1.rate-limited-once';
    expect(await postPayout(gateway, once, { controlKey: 'wrong' })).toMatchObject({ status: 403 });
    expect(await postPayout(gateway, once)).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect(formFields(await postPayout(gateway, once))).toMatchObject({ type: 'async-response' });
    for (const _send of [1, 2]) expect(await postPayout(gateway, 'INV-2.rate-limited')).toMatchObject({ status: 429 });
  });
});

describe('fault schedules', () => {
  const made = (name: FaultScheduleName, nowMs = () => 0) => faultSchedules[name].makeScenario({ seed: '1', nowMs });

  it('do the same to the same sends under one seed, in any order, and otherwise under another', () => {
    const sends = Array.from({ length: 50 }, (_none, index) => aSend(`INV-${index}`));
    const faultsUnder = (seed: string, requests: readonly ScenarioRequest[]) => {
      const scenario = faultSchedules.flaky.makeScenario({ seed, nowMs: () => 0 });
      return new Map(requests.map((request) => [request.orderId, scenario(request).fault]));
    };
    const forwards = faultsUnder('7', sends);
    const backwards = faultsUnder('7', sends.toReversed());
    expect(sends.map(({ orderId }) => backwards.get(orderId))).toEqual([...forwards.values()]);
    expect([...faultsUnder('8', sends).values()]).not.toEqual([...forwards.values()]);
  });

  it('flaky deals every fault before and after the commit, but no 429 after it', () => {
    const { none = 0, ...faults } = faultCounts(made('flaky'));
    expect(none).toBeGreaterThan(600);
    expect(none).toBeLessThan(800);
    const kinds = 'close empty-200 foreign-order-id html-200 http-error json-as-html reset slow stall truncated-body';
    const each = kinds.split(' ').flatMap((kind) => [`${kind} after`, `${kind} before`]);
    expect(Object.keys(faults).toSorted()).toEqual([...each, 'too-many-requests before'].toSorted());
  });

  it.each<[name: FaultScheduleName, lastsMs: number, faults: string[]]>([
    ['none', 60_000, ['none']],
    ['brownout', 20_000, ['http-error after', 'none', 'reset after', 'stall after']],
    ['wrong-key', 15_000, ['http-error before']],
    ['slow', Infinity, ['slow after']],
  ])('%s goes on for %i ms from the first request, with these faults', (name, lastsMs, faults) => {
    const clock = aClock();
    const scenario = made(name, clock.nowMs);
    clock.pass(60_000);
    expect(Object.keys(faultCounts(scenario)).toSorted()).toEqual(faults);
    clock.pass(Math.min(lastsMs, 60_000));
    expect(Object.keys(faultCounts(scenario))).toEqual(lastsMs === Infinity ? faults : ['none']);
    expect(scenario(aSend('INV-1.reset-after')).fault).toEqual({ kind: 'reset', when: 'after' });
  });

  it('rate-limit takes five a second of each merchant, and asks the others to come back', () => {
    const clock = aClock();
    const scenario = made('rate-limit', clock.nowMs);
    const refusedOf = (count: number) =>
      Array.from({ length: count }, (_, index) => scenario(aSend(`INV-${index}`)).fault.kind).filter(
        (kind) => kind === 'too-many-requests',
      ).length;
    expect(refusedOf(8)).toBe(3);
    clock.pass(1_000);
    expect(refusedOf(6)).toBe(1);
  });

  it('no-funds refuses orders for 15 s with a code that the profile names, and answers inquiries', () => {
    const clock = aClock();
    const scenario = made('no-funds', clock.nowMs);
    expect(scenario(aSend('INV-1')).answer).toMatchObject({ kind: 'refused', type: 'error', code: 28 });
    expect(faultSchedules['no-funds'].profile).toMatchObject({ accountCodes: { payout: ['28'] } });
    expect(scenario({ ...aSend('INV-1'), operation: 'status' }).answer).toEqual({ kind: 'accepted' });
    clock.pass(15_000);
    expect(scenario(aSend('INV-1')).answer).toEqual({ kind: 'accepted' });
  });
});
