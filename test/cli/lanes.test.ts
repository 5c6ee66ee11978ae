// `payouts lanes` as an operator runs it, over lanes as workers left them: what it shows, what a decision of a person does, and
// that nothing else is changed.
import { beforeEach, describe, expect, it } from 'vitest';
import { createDynamoDbLanes } from '../../lib/aws/dynamodb-lanes.ts';
import { createDynamoDbWaiting } from '../../lib/aws/dynamodb-waiting.ts';
import { lanesAsText } from '../../lib/cli/lanes/lane-text.ts';
import { type LaneFacts, laneView } from '../../lib/payout/pace/lane-view.ts';
import { type Closed, type LaneState, newLane } from '../../lib/payout/pace/lane-state.ts';
import { longDescribe } from '../support/long-proof.ts';
import { startMs } from '../support/time-and-chance.ts';
import { anAws } from './support/aws.ts';

const quiet = { paused: false, doubt: {} };
const closedFor = (changes: Partial<Closed>): Pick<LaneState, 'closed'> => ({
  closed: { cause: 'credentials', sinceMs: startMs - 600_000, probes: 0, asked: 0, ...changes },
});
/** Four thousand rows of batches, of which the first has waited for a quarter of an hour. */
const row = { rows: 4_000, oldestSinceMs: startMs - 900_000 };
const rowsWait = { lines: { urgent: { rows: 0 }, row } };

it.each<[what: string, state: Partial<LaneState>, facts: Partial<LaneFacts>, shown: RegExp]>([
  [
    'its pace, who waits, and how long',
    { ratePerSecond: 4.8, ceilingPerSecond: 5 },
    rowsWait,
    /open +4\.8\/s, limit 5\/s +0 +4000, oldest 15 min, 14 min left/,
  ],
  [
    'that its count has an end',
    { ratePerSecond: 5 },
    { lines: { ...rowsWait.lines, row: { ...row, rows: 10_000 } } },
    /10000 or more, oldest 15 min, at least 33 min left/,
  ],
  [
    'that it is far below its usual pace',
    { ratePerSecond: 1, used: { lately: 1, usual: 20 } },
    {},
    /slowed.*the gateway takes 1\/s lately, far below its usual 20\/s[^]*`node . resume acme-eu --endpoint 39915`/,
  ],
  [
    'that the gateway asks to wait',
    { notBeforeMs: startMs + 30_000 },
    {},
    /slowed.*the gateway asks to wait for 30 s more/,
  ],
  [
    'why it is closed, when it is tried, and the remedy',
    closedFor({ probes: 2, nextProbeAtMs: startMs + 60_000 }),
    {},
    /in 60 s +the gateway refuses the signature \(401 or 403\); tried 2 times[^]*correct the secret[^]*lanes probe acme-eu`/,
  ],
  [
    'that a time-out of ours was over',
    closedFor({ cause: 'no-answer', nextProbeAtMs: startMs + 60_000 }),
    {},
    /no whole answer within our time-outs[^]*GATEWAY_HEADERS_TIMEOUT_MS/,
  ],
  [
    'that a person must open it',
    closedFor({ cause: 'refused', code: '29' }),
    {},
    /a person says +twenty orders in a row .* code 29/,
  ],
])('a lane says %s', (_, state, facts, shown) => {
  const its = {
    merchant: 'acme-eu',
    endpointId: '39915',
    state: { ...newLane({}), ...state },
    control: quiet,
  };
  expect(lanesAsText([laneView({ ...its, ...facts }, startMs)], startMs)).toMatch(shown);
});

longDescribe('payouts lanes', () => {
  const world = anAws();
  const { payouts } = world;
  const eu = { merchant: 'acme-eu', endpointId: '39915' };
  const other = { merchant: 'acme-eu', endpointId: 'group/7' };
  const because = ['--reason', 'audit'];
  const tableOf = (tableName: string) => ({ client: world.dynamodb(), tableName, sleep: async () => {} });
  const controls = () => tableOf(world.aws().controlsTableName);
  const shown = async () => JSON.parse((await payouts('lanes', '--json')).stdout);

  async function stand(lane: typeof eu, changes: Partial<LaneState>): Promise<void> {
    const lanes = createDynamoDbLanes(controls());
    const before = await lanes.read(lane);
    const state = { ...newLane({}), ...changes, version: (before?.version ?? 0) + 1 };
    expect(await lanes.write(lane, state)).toBe('written');
  }

  /** A job that has waited for ten minutes in the line of a lane. */
  async function waits(key: string, lane: typeof eu, because: 'lane-closed' | 'secret', minorUnits: bigint) {
    const sinceMs = Date.now() - 600_000;
    const sealed = { wrappedKey: 'FAKE-KEY', iv: 'iv', text: 'a body that no operator opens' };
    const its = { goAtMs: sinceMs, sinceMs, digest: 'd', messageId: 'm-1', begun: 0 };
    const money = { currency: because === 'secret' ? 'JPY' : 'EUR', minorUnits };
    const waiting = createDynamoDbWaiting(tableOf(world.aws().waitingTableName));
    await waiting.put({ ...its, key, lane, class: 'urgent', money, because, sealed });
    return async () => {
      for (const row of await waiting.ofOrder(key)) await waiting.remove(row);
    };
  }

  it('shows none before anything was sent', async () => {
    expect(await payouts('lanes')).toMatchObject({ code: 0, stdout: 'there is no lane yet: nothing was ever sent\n' });
    expect(await payouts('lanes', 'probe', 'acme-eu')).toMatchObject({ code: 1 });
  });

  it('a job that waits for a closed lane: lane and order say since when, for what, and nothing of its body', async () => {
    await stand(eu, closedFor({ nextProbeAtMs: Date.now() + 600_000 }));
    const remove = await waits('acme-eu/WAITS-1', eu, 'lane-closed', 1042n);
    expect((await payouts('lanes')).stdout).toMatch(/acme-eu +39915 +closed +– +1, oldest 10 min +0 /);
    const { code, stdout } = await payouts('order', 'acme-eu/WAITS-1');
    expect(code).toBe(0);
    expect(stdout).toContain('acme-eu/WAITS-1 · waiting\n  Waits to be sent; no money moved.\n');
    expect(stdout).toMatch(
      /waits since \S+ \S+Z \(10 min\): lane-closed, ended by a probe that the gateway answers, or a person · a single job at acme-eu 39915, 10\.42 EUR$/m,
    );
    expect(stdout + (await payouts('order', 'acme-eu/WAITS-1', '--json')).stdout).not.toContain('no operator');
    await remove();
  });

  it('a job that waits for its secret is a question of `payouts todo`: lane, reason, money, and the ways out', async () => {
    const key = 'acme-eu/MENDS-1';
    const lane = { ...eu, endpointId: 'group/9' };
    await stand(lane, {});
    const remove = await waits(key, lane, 'secret', 5000n);
    const { code, stdout } = await payouts('todo');
    expect(code).toBe(1);
    const why =
      'never sent; waits in the line of acme-eu at group/9: secret, ended by a person, who corrects the secret';
    expect(stdout).toMatch(new RegExp(`waiting +${key} +5000 JPY +10 min ago +${why}`));
    for (const way of ['secrets check acme-eu', `order ${key}`, `cancel ${key} --reason`])
      expect(stdout).toContain(`node . ${way}`);
    const its = (await shown()).find(({ endpointId }: typeof eu) => endpointId === 'group/9');
    expect(its).toMatchObject({ condition: 'open', waiting: 1, lines: [{ class: 'urgent', rows: 1 }] });
    await remove();
  });

  describe('with two lanes', () => {
    const two = async () => (await shown()).filter(({ endpointId }: typeof eu) => endpointId !== 'group/9');
    beforeEach(async () => {
      await stand(eu, closedFor({ nextProbeAtMs: Date.now() + 600_000 }));
      await stand(other, {});
    });

    it('pauses one of them, and lets it go on by its name alone', async () => {
      expect(await payouts('pause', 'acme-eu', '--endpoint', 'group/7', ...because)).toMatchObject({
        code: 0,
        stdout: 'acme-eu at group/7: paused; nothing new is sent there within 10 seconds, jobs wait\n',
      });
      const paused = { condition: 'paused', reason: 'by first-operator: audit' };
      expect(await two()).toMatchObject([{ condition: 'closed' }, paused]);
      // A resume of the merchant opens a lane that the brake has closed: it asks first.
      const asked = await payouts('resume', 'acme-eu');
      expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('not a terminal: add --yes') });
      expect(asked.stderr).toMatch(/have closed these lanes:\n {2}acme-eu at 39915 is closed: /);
      expect(await two()).toMatchObject([{ condition: 'closed' }, paused]);
      expect((await payouts('resume', 'acme-eu', '--yes')).stdout).toContain(
        'acme-eu: resumed; group/7 stays paused, as it was by its own name: add --endpoint group/7',
      );
      expect(await two()).toMatchObject([{ condition: 'open' }, paused]);
      expect(await payouts('resume', 'acme-eu', '--endpoint', 'group/7')).toMatchObject({ code: 0 });
      expect(await two()).toMatchObject([{ condition: 'open' }, { condition: 'open' }]);
    });

    it('has the next order tried now if a lane is closed, and says which is paused instead', async () => {
      expect(await payouts('lanes', 'probe', 'acme-eu')).toMatchObject({
        code: 0,
        stdout: 'acme-eu at 39915: the next order that comes back is the probe\n',
      });
      const state = await createDynamoDbLanes(controls()).read(eu);
      expect(state?.closed?.nextProbeAtMs).toBeLessThanOrEqual(Date.now());
      await payouts('pause', 'acme-eu', '--endpoint', 'group/7', ...because);
      expect(await payouts('lanes', 'probe', 'acme-eu', '--endpoint', 'group/7')).toMatchObject({
        code: 1,
        stderr:
          'payouts: acme-eu: no lane of it is closed, so there is nothing to try; group/7 is paused: `node . resume acme-eu --endpoint group/7`\n',
      });
    });

    it.each([
      [['pause', 'stranger'], 1, 'there is no secret for a merchant "stranger"; nothing was changed'],
      [['resume', 'stranger'], 1, 'there is no secret for a merchant "stranger"; nothing was changed'],
      [['resume', 'acme-eu', '--endpoint', '1'], 1, 'there is no lane of acme-eu at 1: nothing was ever sent there.'],
      [['pause', 'acme-eu', '--endpoint', '3991'], 0, 'nothing was ever sent there: is that the endpoint?'],
    ])('%j ends with %i, and says why', async (args, code, text) => {
      const end = await payouts(...args, ...because);
      expect(end.code).toBe(code);
      expect(end.stdout + end.stderr).toContain(text);
    });
  });
});
