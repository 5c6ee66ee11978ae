// `payouts lanes` as an operator runs it, over lanes as workers left them: what it shows, what a word of a person does, and
// that it does not touch what it was not told.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDynamoDbDrainRights } from '../../lib/aws/dynamodb-drain-rights.ts';
import { createDynamoDbLanes } from '../../lib/aws/dynamodb-lanes.ts';
import { createDynamoDbWaiting } from '../../lib/aws/dynamodb-waiting.ts';
import { createEstimate, textOfProgress } from '../../lib/cli/local/progress-text.ts';
import { lanesAsText, lanesInBrief, lanesLines } from '../../lib/cli/lanes/lane-text.ts';
import { type LaneFacts, laneView } from '../../lib/payout/lanes/lane-view.ts';
import { type Closed, type Lanes, type LaneState, newLane } from '../../lib/payout/lanes/lane.ts';
import { rests } from '../../lib/payout/waiting/drain-right.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { clientConfigOf, workerEnvironment } from '../../lib/local/local-environment.ts';
import { sampleSecrets } from '../../lib/local/sample-merchants.ts';
import { longDescribe } from '../support/long-proof.ts';
import { startMs } from '../support/time-and-chance.ts';
import { runCli } from './support/cli.ts';

const quiet = { paused: false, doubt: {} };
const aLane = (changes: Partial<LaneState> = {}, facts: Partial<LaneFacts> = {}): LaneFacts => ({
  merchant: 'acme-eu',
  endpointId: '39915',
  state: { ...newLane({}, startMs), ...changes },
  control: quiet,
  ...facts,
});
const closedFor = (changes: Partial<Closed>): Pick<LaneState, 'closed'> => ({
  closed: { cause: 'credentials', sinceMs: startMs - 600_000, probes: 0, ...changes },
});
/** Four thousand rows of batches, of which the first has waited for a quarter of an hour. */
const rowsWait = {
  lines: {
    urgent: { rows: 0 },
    row: { rows: 4_000, oldestSinceMs: startMs - 900_000, firstGoAtMs: startMs - 900_000 },
  },
};
const saying = { by: 'ops', reason: 'audit', atMs: startMs - 60_000 };

describe('a lane', () => {
  it('that is open says its pace, who waits, and how long they will', () => {
    const state = { ratePerSecond: 4.8, ceilingPerSecond: 5 };
    const view = laneView(aLane(state, rowsWait), startMs);
    expect(view).toMatchObject({
      condition: 'open',
      ratePerSecond: 4.8,
      limitPerSecond: 5,
      waiting: 4_000,
      waitSeconds: 834,
      lines: [
        { class: 'row', rows: 4_000, isMore: false, oldestSinceMs: startMs - 900_000, endsAtMs: startMs + 834_000 },
      ],
    });
    expect(lanesAsText([view], startMs)).toMatch(
      /acme-eu +39915 +open +4\.8\/s, limit 5\/s +0 +4000, oldest 15 min, 14 min left/,
    );
  });

  it('that newer code wrote is shown as such, with who waits', () => {
    const { state: _, ...newer } = aLane({}, rowsWait);
    const view = laneView(newer, startMs);
    expect(view).toMatchObject({ condition: 'unreadable', ratePerSecond: 0, waiting: 4_000 });
    expect(lanesAsText([view], startMs)).toMatch(/acme-eu +39915 +unreadable +– +0 +4000, oldest 15 min/);
  });

  it('serves jobs without a batch first: rows behind them end later', () => {
    const urgent = { rows: 100, oldestSinceMs: startMs - 20_000, firstGoAtMs: startMs };
    const { lines } = laneView(aLane({ ratePerSecond: 10 }, { lines: { ...rowsWait.lines, urgent } }), startMs);
    expect(lines.map((it) => [it.class, it.rows, it.endsAtMs])).toEqual([
      ['urgent', 100, startMs + 10_000],
      ['row', 4_000, startMs + 410_000],
    ]);
  });

  it('in which all wait for moments of their own is worked off no earlier than the first of these', () => {
    const goAtMs = startMs + 86_400_000;
    const lines = { urgent: { rows: 1, oldestSinceMs: startMs - 60_000, firstGoAtMs: goAtMs }, row: { rows: 0 } };
    expect(laneView(aLane({ ratePerSecond: 1 }, { lines }), startMs).lines).toEqual([
      { class: 'urgent', rows: 1, isMore: false, endsAtMs: goAtMs + 1_000 },
    ]);
  });

  it('says ten thousand and more, as it counts no further, and that its end is at least so far', () => {
    const row = { rows: 10_000, oldestSinceMs: startMs - 3_600_000, firstGoAtMs: startMs - 3_600_000 };
    const view = laneView(aLane({ ratePerSecond: 5 }, { lines: { urgent: { rows: 0 }, row } }), startMs);
    expect(lanesAsText([view], startMs)).toContain('10000 or more, oldest 60 min, at least 33 min left');
  });

  it('that stands says who waits and since when, and no end', () => {
    const view = laneView(aLane(closedFor({ nextProbeAtMs: startMs + 60_000 }), rowsWait), startMs);
    expect(view.lines).toEqual([{ class: 'row', rows: 4_000, isMore: false, oldestSinceMs: startMs - 900_000 }]);
    expect(lanesAsText([view], startMs)).toMatch(/closed +– +0 +4000, oldest 15 min +10 min ago/);
  });

  it('that goes far below its usual pace is slowed, and says what to do', () => {
    const view = laneView(aLane({ ratePerSecond: 1, ceilingPerSecond: 1.1, used: { lately: 1, usual: 20 } }), startMs);
    expect(view).toMatchObject({
      condition: 'slowed',
      reason: 'the gateway takes 1/s lately, far below its usual 20/s',
      usualPerSecond: 20,
    });
    expect(lanesAsText([view], startMs)).toContain(
      'acme-eu at 39915: ask its support; where this is its pace from now on, `npx --no payouts lanes resume acme-eu --endpoint 39915`',
    );
  });

  it('that the gateway has asked to wait is slowed', () => {
    const view = laneView(aLane({ notBeforeMs: startMs + 30_000 }), startMs);
    expect(view).toMatchObject({ condition: 'slowed', reason: 'the gateway asks to wait for 30 s more' });
  });

  it('that is closed says why, since when, when it is tried, and what to do', () => {
    const closed = closedFor({ probes: 2, nextProbeAtMs: startMs + 60_000 });
    const view = laneView(aLane(closed), startMs);
    expect(view).toMatchObject({
      condition: 'closed',
      reason: 'the gateway refuses the signature (401 or 403); tried 2 times',
      remedy:
        'mend the secret (`npx --no payouts secrets check acme-eu`), or have the key enrolled; then `npx --no payouts lanes probe acme-eu`',
    });
    expect(view.waitSeconds).toBeUndefined();
    expect(lanesAsText([view], startMs)).toMatch(
      /closed +– +0 +0 +10 min ago +in 60 s +the gateway refuses the signature/,
    );
  });

  it('that refusals have closed waits for a person', () => {
    const view = laneView(aLane(closedFor({ cause: 'refused', code: '29' })), startMs);
    expect(lanesAsText([view], startMs)).toMatch(/a person says +twenty orders running .* code 29/);
  });

  it('whose probe is under way says so', () => {
    const lastProbe = { order: 'acme-eu/A', by: 'w', atMs: startMs - 1, untilMs: startMs + 40_000 };
    expect(laneView(aLane(closedFor({ lastProbe, nextProbeAtMs: startMs })), startMs).condition).toBe('probing');
  });

  it('is paused by its merchant before all else, and says who did it', () => {
    const facts = aLane(closedFor({}), { control: { ...quiet, paused: true }, pausedBy: saying });
    expect(laneView(facts, startMs)).toMatchObject({
      condition: 'paused',
      reason: 'the merchant: by ops: audit',
      sinceMs: saying.atMs,
    });
  });

  it('is paused by its own name, before the brake is looked at', () => {
    expect(laneView(aLane({ ...closedFor({}), paused: saying }), startMs)).toMatchObject({
      condition: 'paused',
      reason: 'by ops: audit',
    });
  });
});

describe('in a line of progress, a lane', () => {
  const brief = (changes: Partial<LaneState>, left?: number, facts: Partial<LaneFacts> = {}) =>
    lanesInBrief([laneView(aLane(changes, facts), startMs)], startMs, left);

  it('that is open and keeps nobody waiting is not named, unless its limit is known', () => {
    expect(brief({})).toEqual([]);
    expect(brief({ ratePerSecond: 4.8, ceilingPerSecond: 5 })).toEqual(['acme-eu at 39915 4.8/s, limit 5/s']);
  });

  it('says its pace, who waits and an estimate of the end', () => {
    const state = { ratePerSecond: 4.8, ceilingPerSecond: 5 };
    expect(brief(state, undefined, rowsWait)).toEqual([
      'acme-eu at 39915 4.8/s, limit 5/s, about 4000 wait, 14 min left',
    ]);
    // More are on the queue than it has heard of.
    expect(brief(state, 40_000, rowsWait)).toEqual(['acme-eu at 39915 4.8/s, limit 5/s, about 40000 wait, 2.3 h left']);
  });

  it('leaves the estimate to a line that has its own, from how the queues shrink', () => {
    const state = { ratePerSecond: 4.8, ceilingPerSecond: 5 };
    const leftAfter = createEstimate();
    expect(leftAfter({ elapsedMs: 0, waiting: 400 })).toBe('');
    const seen = { sent: 400, results: 60, waiting: 300, inDoubt: 0, stopped: [], elapsedMs: 10_000 };
    const progress = { ...seen, lanes: [laneView(aLane(state, rowsWait), startMs)] };
    expect(textOfProgress(progress, 400, leftAfter(progress), startMs)).toMatch(
      /400 jobs · 60 results · 300 wait · acme-eu at 39915 4\.8\/s, limit 5\/s · 10 s, about 30 s left$/,
    );
  });

  it('says that it is slow, or closed, why, and when it is tried', () => {
    expect(brief({ ratePerSecond: 1, used: { lately: 1, usual: 20 } })).toEqual([
      'acme-eu at 39915 1/s slowed: the gateway takes 1/s lately, far below its usual 20/s',
    ]);
    expect(brief(closedFor({ probes: 1, nextProbeAtMs: startMs + 15_000 }))).toEqual([
      'acme-eu at 39915 closed: the gateway refuses the signature (401 or 403); tried once, next probe in 15 s',
    ]);
  });

  it('stands under a batch, with the rows that are still to be sent where one lane alone takes them', () => {
    const open = laneView(aLane({ ratePerSecond: 10, ceilingPerSecond: 10 }), startMs);
    expect(lanesLines([open], startMs, 600)).toBe(
      '  lane      acme-eu at 39915 10/s, limit 10/s, about 600 wait, 60 s left\n',
    );
    expect(lanesLines([open, open], startMs, 600)).not.toContain('wait');
  });
});

longDescribe('payouts lanes', () => {
  let aws: EmbeddedAws;
  let dynamodb: DynamoDBClient;
  let lanes: Lanes;
  let env: Record<string, string>;
  const eu = { merchant: 'acme-eu', endpointId: '39915' };
  const other = { merchant: 'acme-eu', endpointId: 'group/7' };

  beforeAll(async () => {
    aws = await startEmbeddedAws();
    const nobody = 'http://127.0.0.1:9';
    const secrets = await sampleSecrets({ gatewayUrl: nobody, closedUrl: nobody });
    for (const [merchant, secret] of Object.entries(secrets)) aws.secrets.put(`payouts/${merchant}`, secret);
    dynamodb = new DynamoDBClient(clientConfigOf(aws, 'DYNAMODB'));
    lanes = createDynamoDbLanes({ client: dynamodb, tableName: aws.controlsTableName, sleep: async () => {} });
    env = workerEnvironment(aws, {});
  });

  afterAll(async () => {
    dynamodb.destroy();
    await aws.close();
  });

  const payouts = (...args: string[]) => runCli(args, { env });
  const shown = async () => JSON.parse((await payouts('lanes', '--json')).stdout);
  const because = ['--reason', 'audit'];

  async function stand(lane: typeof eu, changes: Partial<LaneState>): Promise<void> {
    const { state: before } = await lanes.read(lane);
    const state = { ...newLane({}, Date.now()), ...changes, version: (before?.version ?? 0) + 1 };
    expect(await lanes.write(lane, state)).toMatchObject({ kind: 'written' });
  }

  it('shows none before anything was sent', async () => {
    expect(await payouts('lanes')).toMatchObject({ code: 0, stdout: 'there is no lane yet: nothing was ever sent\n' });
    expect(await payouts('lanes', 'probe', 'acme-eu')).toMatchObject({ code: 1 });
  });

  describe('with a job that waits for a closed lane', () => {
    const waitsSinceMs = Date.now() - 600_000;
    const key = 'acme-eu/WAITS-1';
    beforeAll(async () => {
      await stand(eu, closedFor({ nextProbeAtMs: Date.now() + 600_000 }));
      const table = { client: dynamodb, tableName: aws.controlsTableName, sleep: async () => {} };
      const cursors = { urgent: [], row: [] };
      const right = { number: 1, writer: 'w', nextAtMs: 0, leaseUntilMs: 0, cursors };
      await createDynamoDbDrainRights(table).write(eu, right);
      await createDynamoDbWaiting({ ...table, tableName: aws.waitingTableName }).put({
        key,
        lane: eu,
        class: 'urgent',
        shard: 0,
        goAtMs: waitsSinceMs,
        sinceMs: waitsSinceMs,
        nonce: 'n-1',
        digest: 'd-1',
        messageId: 'm-1',
        waits: 1,
        money: { currency: 'EUR', minorUnits: 1042n },
        because: 'lane-closed',
        sealed: { wrappedKey: 'FAKE-KEY', iv: 'iv', text: 'a body that no operator opens' },
      });
    });

    it('shows it in its line, with since when', async () => {
      const { stdout } = await payouts('lanes');
      expect(stdout).toMatch(/acme-eu +39915 +closed +– +1, oldest 10 min +0 /);
      const [lane] = await shown();
      expect(lane).toMatchObject({ waiting: 1, lines: [{ class: 'urgent', rows: 1, oldestSinceMs: waitsSinceMs }] });
    });

    it('says of its order that it waits, for what and since when, and tells nothing of its body', async () => {
      const { code, stdout } = await payouts('order', key);
      expect(code).toBe(0);
      expect(stdout).toContain(`the ledger has no order ${key}; it was never claimed, and waits`);
      expect(stdout).toMatch(
        /waits since \S+ \S+Z \(10 min\) in the line of jobs without a batch of acme-eu at 39915, with 10\.42 EUR: lane-closed, ended by a probe that the gateway answers, or a person \(message m-1\)/,
      );
      const { stdout: json } = await payouts('order', key, '--json');
      expect(JSON.parse(json)).toEqual({
        found: false,
        waiting: [
          {
            messageId: 'm-1',
            merchant: 'acme-eu',
            endpointId: '39915',
            class: 'urgent',
            because: 'lane-closed',
            endedBy: 'a probe that the gateway answers, or a person',
            amount: '10.42',
            currency: 'EUR',
            since: new Date(waitsSinceMs).toISOString(),
            goesFrom: new Date(waitsSinceMs).toISOString(),
          },
        ],
      });
      expect(json).not.toContain('no operator');
    });
  });

  describe('with a job that waits for a secret to be mended, where nothing was ever sent', () => {
    const key = 'acme-eu/MENDS-1';
    const lane = { merchant: 'acme-eu', endpointId: 'group/9' };
    const sinceMs = Date.now() - 600_000;
    const tableOf = () =>
      createDynamoDbWaiting({ client: dynamodb, tableName: aws.waitingTableName, sleep: async () => {} });

    beforeAll(async () => {
      const cursors = { urgent: [], row: [] };
      const right = { number: 1, writer: 'w', nextAtMs: 0, leaseUntilMs: 0, cursors };
      const controls = { client: dynamodb, tableName: aws.controlsTableName, sleep: async () => {} };
      await createDynamoDbDrainRights(controls).write(lane, right);
      await tableOf().put({
        key,
        lane,
        class: 'urgent',
        shard: 2,
        goAtMs: sinceMs,
        sinceMs,
        nonce: 'n-2',
        digest: 'd-2',
        messageId: 'm-2',
        waits: 3,
        money: { currency: 'JPY', minorUnits: 5000n },
        because: 'secret',
        sealed: { wrappedKey: 'FAKE-KEY', iv: 'iv', text: 'a body that no operator opens' },
      });
    });

    afterAll(async () => {
      for (const row of await tableOf().ofOrder(key)) await tableOf().remove(row);
    });

    it('is a question of `payouts todo`: lane, reason, money, and the ways out', async () => {
      const { code, stdout } = await payouts('todo');
      expect(code).toBe(1);
      const why =
        'never sent; waits in the line of acme-eu at group/9: secret, ended by a person, who mends the secret';
      expect(stdout).toMatch(new RegExp(`waiting +${key} +5000 JPY +10 min ago +${why}`));
      for (const way of ['secrets check acme-eu', `order ${key}`, `cancel ${key} --reason`])
        expect(stdout).toContain(`npx --no payouts ${way}`);
      const { questions } = JSON.parse((await payouts('todo', '--json')).stdout);
      expect(questions).toEqual([
        expect.objectContaining({ kind: 'waiting', what: key, why, sinceMs, amount: '5000', currency: 'JPY' }),
      ]);
    });

    it('stands in its lane, which is shown though nothing went there yet', async () => {
      const its = (await shown()).find(({ endpointId }: { readonly endpointId: string }) => endpointId === 'group/9');
      expect(its).toMatchObject({ ...lane, condition: 'open', waiting: 1, lines: [{ class: 'urgent', rows: 1 }] });
    });
  });

  describe('with two lanes', () => {
    beforeEach(async () => {
      await stand(eu, closedFor({ nextProbeAtMs: Date.now() + 600_000 }));
      await stand(other, {});
    });

    it('pauses one of them, and lets it go on by its name alone', async () => {
      expect(await payouts('lanes', 'pause', 'acme-eu', '--endpoint', 'group/7', ...because)).toMatchObject({
        code: 0,
        stdout: 'acme-eu at group/7: paused; nothing new is sent there within 10 seconds, jobs wait\n',
      });
      expect(await shown()).toMatchObject([
        { condition: 'closed' },
        { condition: 'paused', reason: 'by first-operator: audit' },
      ]);
      const resumed = await payouts('lanes', 'resume', 'acme-eu');
      expect(resumed).toMatchObject({ code: 0 });
      expect(resumed.stdout).toContain(
        'acme-eu: resumed; group/7 stays paused, as it was by its own name: say --endpoint group/7',
      );
      expect(await shown()).toMatchObject([{ condition: 'open' }, { condition: 'paused' }]);
      expect(await payouts('lanes', 'resume', 'acme-eu', '--endpoint', 'group/7')).toMatchObject({ code: 0 });
      expect(await shown()).toMatchObject([{ condition: 'open' }, { condition: 'open' }]);
    });

    it('pauses all of a merchant, as `payouts pause` does, and shows who did it', async () => {
      expect(await payouts('lanes', 'pause', 'acme-eu', ...because)).toMatchObject({ code: 0 });
      const paused = { condition: 'paused', reason: 'the merchant: by first-operator: audit' };
      expect(await shown()).toMatchObject([paused, paused]);
      expect(await payouts('resume', 'acme-eu')).toMatchObject({ code: 0 });
      expect(await shown()).toMatchObject([{ condition: 'closed' }, { condition: 'open' }]);
    });

    it('has the next order tried now where a lane is closed, also one that waits in its line for the next probe', async () => {
      const rights = createDynamoDbDrainRights({
        client: dynamodb,
        tableName: aws.controlsTableName,
        sleep: async () => {},
      });
      const { right: before, atMs } = await rights.read(eu);
      const cursors = { urgent: [], row: [] };
      const [number, nextAtMs] = [(before?.number ?? 0) + 1, atMs + 600_000];
      await rights.write(eu, { number, writer: 'w', nextAtMs, leaseUntilMs: nextAtMs + 60_000, cursors });
      expect(await payouts('lanes', 'probe', 'acme-eu')).toMatchObject({
        code: 0,
        stdout: 'acme-eu at 39915: the next order that comes back is the probe\n',
      });
      expect((await lanes.read(eu)).state?.closed?.nextProbeAtMs).toBeLessThanOrEqual(Date.now());
      const { right } = await rights.read(eu);
      expect(right && rests(right)).toBe(true);
      expect(right?.leaseUntilMs).toBeLessThanOrEqual(Date.now());
      await payouts('lanes', 'pause', 'acme-eu', '--endpoint', 'group/7', ...because);
      expect(await payouts('lanes', 'probe', 'acme-eu', '--endpoint', 'group/7')).toMatchObject({
        code: 1,
        stdout:
          'acme-eu: no lane of it is closed, so there is nothing to try; group/7 is paused: `npx --no payouts lanes resume acme-eu --endpoint group/7`\n',
      });
    });

    it('asks whether an endpoint is meant to which nothing was ever sent', async () => {
      const paused = await payouts('lanes', 'pause', 'acme-eu', '--endpoint', '3991', ...because);
      expect(paused).toMatchObject({ code: 0 });
      expect(paused.stdout).toContain(
        'nothing was ever sent there: is that the endpoint? `npx --no payouts lanes` lists them.',
      );
      expect(await payouts('lanes', 'resume', 'acme-eu', '--endpoint', '3991')).toMatchObject({ code: 0 });
    });

    it.each([
      [['pause', 'nobody'], 1, 'there is no secret for a merchant "nobody"; nothing was changed'],
      [['resume', 'nobody'], 1, 'there is no secret for a merchant "nobody"; nothing was changed'],
      [['resume', 'acme-eu', '--endpoint', '1'], 1, 'there is no lane of acme-eu at 1: nothing was ever sent there.'],
      [['pause', 'acme-eu', '--endpoint', 'a/b/c'], 2, 'no job could bear the names "acme-eu" and "a/b/c"'],
    ])('%j ends with %i, and says why', async (args, code, text) => {
      const end = await payouts('lanes', ...args, ...because);
      expect(end.code).toBe(code);
      expect(end.stdout + end.stderr).toContain(text);
    });
  });
});
