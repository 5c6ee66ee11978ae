// The leader: what it releases and in what order, what keeps a job from going twice, and when it leaves.
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../../lib/payout/pace/lane-state.ts';
import type { ParkedJob } from '../../../lib/payout/wait/parked-job.ts';
import type { ReferenceMessage } from '../../../lib/payout/wait/references.ts';
import { calledOffRound, type DueQuestion, lead } from '../../../lib/payout/wait/release.ts';
import { createMemoryControls } from '../../support/memory-controls.ts';
import { createMemoryLanes } from '../../support/memory-lanes.ts';
import { createMemoryLeader, createMemoryWaiting, placeName } from '../../support/memory-waiting.ts';
import { type LaneState, newLane } from '../../../lib/payout/pace/lane-state.ts';
import { createManualClock, startMs } from '../../support/time-and-chance.ts';

const lane = { merchant: 'acme-eu', endpointId: '39915' };
const minutes = 60_000;

/** A job that waits for its lane, unless the story says otherwise. */
const aJob = (order: string, changes: Partial<ParkedJob> = {}): ParkedJob => ({
  key: `acme-eu/${order}`,
  digest: `d-${order}`,
  lane,
  class: 'urgent',
  because: 'pace',
  goAtMs: startMs - 1_000,
  sinceMs: startMs - 1_000,
  messageId: `m-${order}`,
  sealed: { text: '', dataKey: '' } as never,
  begun: 0,
  ...changes,
});

/** A leader over these jobs, whose lane has so many turns a round. */
function aWorld({
  jobs = [] as readonly ParkedJob[],
  due = [] as readonly DueQuestion[],
  turns = 2,
  writtenAtMs = startMs,
  isLate = false,
  state = {} as Partial<LaneState>,
}) {
  const clock = createManualClock();
  const parked = new Map(jobs.map((job) => [placeName(job), job]));
  const lanes = createMemoryLanes();
  void lanes.write(lane, { ...newLane({}), ...state, version: 1, writtenAtMs });
  const sent: ReferenceMessage[] = [];
  const released: boolean[] = [];
  const asked: { readonly key: string; readonly turn: Turn | undefined }[] = [];
  const leases: number[] = [];
  const wanted: string[][] = [];
  const leader = createMemoryLeader();
  const controls = createMemoryControls();
  const faults = { send: false, move: undefined as 'no answer' | 'answers no' | undefined, lanes: 0 };
  const table = createMemoryWaiting(parked, () => true);
  const stale = [...parked.values()];
  const late = createMemoryWaiting(new Map(stale.map((job) => [placeName(job), job])));
  /** Three seconds behind. */
  const index = () => (isLate && clock.nowMs() < startMs + 3_000 ? late : table);
  const ports = {
    waiting: {
      jobs: {
        ...table,
        first: (...asked: Parameters<typeof table.first>) => index().first(...asked),
        expired: (...asked: Parameters<typeof table.expired>) => index().expired(...asked),
        move: async (...asked: Parameters<typeof table.move>) => {
          const moved = await table.move(...asked);
          if (faults.move === 'no answer') throw new Error('it is unknown whether it was moved');
          return moved && faults.move === undefined;
        },
      },
      references: {
        send: async (messages: readonly ReferenceMessage[]) => {
          if (faults.send) throw new Error('the queue takes nothing');
          sent.push(...messages);
          return new Set<number>();
        },
      },
    },
    questions: {
      due: async () => due,
      move: async (_question: DueQuestion, leaseMs: number) => void leases.push(leaseMs),
      send: async (these: readonly { readonly question: DueQuestion; readonly turn?: Turn }[]) => {
        asked.push(...these.map(({ question, turn }) => ({ key: question.key, turn })));
        return new Set<number>();
      },
    },
    lanes: {
      ...lanes,
      all: async () => {
        faults.lanes -= 1;
        if (faults.lanes >= 0) throw new Error('the lanes can not be read');
        return lanes.all();
      },
    },
    pacing: {
      room: async () => ({ leader: turns, leaderAsks: turns }),
      release: async (_: unknown, these: readonly string[], urgentLeft: boolean): Promise<readonly Turn[]> => {
        released.push(urgentLeft);
        wanted.push([...these]);
        return these.map((_unused, at) => ({
          atMs: clock.nowMs() + 1_000 + at,
          ratePerSecond: 20,
          pressed: true,
        }));
      },
    },
    controls,
    leader,
    clock: { nowMs: clock.nowMs, sleep: async (ms: number) => void clock.advance(ms) },
    random: { id: () => 'leader-1', chance: () => 0.5 },
    log: { write: () => {} },
  };
  const round = () =>
    lead({
      ...ports,
      leader: {
        write: leader.write,
        read: (() => {
          let reads = 0;
          return async () => ((reads += 1) > 1 ? 'another' : 'leader-1');
        })(),
      },
    });
  const orders = () => sent.map(({ reference }) => reference.key.split('/')[1]);
  return { parked, sent, asked, leases, wanted, released, ports, clock, controls, faults, round, orders };
}

describe('a round', () => {
  it('releases as many as there are turns, jobs without a batch first, the oldest first', async () => {
    const row = { class: 'row' } as const;
    const jobs = [
      aJob('ROW', { ...row, sinceMs: 1, goAtMs: 1 }),
      aJob('YOUNG', { goAtMs: startMs - 10 }),
      aJob('OLD', { goAtMs: startMs - 20 }),
    ];
    const world = aWorld({ jobs, turns: 2 });
    await world.round();
    expect([world.orders(), world.released]).toEqual([['OLD', 'YOUNG'], [false]]);
    expect(world.sent.map(({ reference }) => reference.turn?.atMs)).toEqual([startMs + 1_000, startMs + 1_001]);
  });

  it('says to newcomers that urgent jobs are left', async () => {
    const world = aWorld({ jobs: ['A', 'B', 'C'].map((it) => aJob(it)), turns: 2 });
    await world.round();
    expect([world.orders().length, world.released]).toEqual([2, [true]]);
  });

  it('moves the moment of what it releases by three to six minutes, and sends a reference under that lease', async () => {
    const world = aWorld({ jobs: [aJob('A')] });
    await world.round();
    const [job] = world.parked.values();
    expect((job?.goAtMs ?? 0) - startMs).toBe(4.5 * minutes);
    expect(world.sent[0]?.reference).toMatchObject({ key: 'acme-eu/A', digest: 'd-A', leaseMs: job?.goAtMs, lane });
  });

  it.each([
    ['it is unknown whether the moment was moved', 'no answer'],
    ['it was moved by a first try, and the second is told no', 'answers no'],
  ] as const)('sends a reference also where %s: the worker sees it by the lease', async (_, move) => {
    const world = aWorld({ jobs: [aJob('A')] });
    world.faults.move = move;
    await world.round();
    expect(world.sent[0]?.reference.leaseMs).toBe([...world.parked.values()][0]?.goAtMs);
  });

  it('releases what waits for something else once its moment has come, without a turn, within twenty seconds', async () => {
    const jobs = [
      aJob('DUE', { because: 'ledger', goAtMs: startMs - 1 }),
      aJob('EARLY', { because: 'ledger', goAtMs: startMs + 5_000 }),
    ];
    const world = aWorld({ jobs, turns: 0 });
    await world.round();
    expect(world.sent).toMatchObject([{ reference: { key: 'acme-eu/DUE' }, delaySeconds: 10 }]);
    expect(world.sent[0]?.reference.turn).toBeUndefined();
  });

  it('releases what is over, or has waited for two weeks, although its lane does not move', async () => {
    const jobs = [
      aJob('EXPIRED', { expiresAtMs: startMs - 1 }),
      aJob('OLD', { goAtMs: startMs - 15 * 86_400_000 }),
      aJob('WAITS'),
    ];
    const world = aWorld({ jobs });
    await world.controls.pause('acme-eu', true, { by: 'ada', reason: 'audit', atMs: startMs });
    await world.round();
    expect(world.orders().toSorted()).toEqual(['EXPIRED', 'OLD']);
  });

  it('releases one job a leader while its merchant has more money in doubt than its limit', async () => {
    const state = { caps: { doubtLimits: { EUR: '100.00' } } };
    const world = aWorld({ jobs: ['A', 'B', 'C'].map((it) => aJob(it)), state });
    await world.controls.recordDoubt(new Map([['acme-eu', { EUR: 10_001n }]]));
    await lead(world.ports);
    expect(world.orders()).toEqual(['A']);
    await world.controls.recordDoubt(new Map([['acme-eu', { EUR: 9_999n }]]));
    await world.round();
    expect(world.orders()).toHaveLength(3);
  });

  it('brings what is proven not sent back to its line once the lane has opened, and nothing else', async () => {
    const later = { goAtMs: startMs + 15 * minutes, sinceMs: startMs - 60 * minutes };
    const jobs = [
      aJob('UNSENT', { ...later, because: 'unsent' }),
      aJob('UNDECIDED', { ...later, because: 'undecided' }),
      aJob('RELEASED', { because: 'unsent', goAtMs: startMs - 1 }),
    ];
    const world = aWorld({ jobs, state: { openedAtMs: startMs - 1_000 } });
    await world.round();
    await world.round();
    expect(world.orders().toSorted()).toEqual(['RELEASED', 'UNSENT']);
    expect(world.parked.get('acme-eu/UNDECIDED d-UNDECIDED')).toMatchObject(later);
  });

  it('releases nothing twice while the index still shows it where it was', async () => {
    const world = aWorld({ jobs: [aJob('A')], isLate: true });
    await lead(world.ports);
    expect(world.orders()).toEqual(['A']);
  });

  it('finds what waits in a lane that the table of controls has lost, once the sweeper has looked through what waits', async () => {
    const world = aWorld({ jobs: [aJob('a', { lane: { ...lane, endpointId: '7' } })] });
    await world.round();
    expect(world.orders()).toEqual([]);
    await calledOffRound(world.ports)(Infinity);
    await world.round();
    expect(world.orders()).toEqual(['a']);
  });

  it('goes on with its other lanes where one cannot be read, and sends again what no queue took once the lease is over', async () => {
    const world = aWorld({ jobs: [aJob('A')] });
    world.faults.send = true;
    await world.round();
    world.faults.send = false;
    world.clock.advance(5 * minutes);
    await world.round();
    expect(world.orders()).toEqual(['A']);
  });
});

describe('questions that are due', () => {
  const aQuestion = (order: string): DueQuestion => ({ key: `acme-eu/${order}`, dueAtMs: startMs - 1, lane });
  const row = { class: 'row' } as const;

  it('go after urgent jobs and before batches, as many as there are turns, each under a lease', async () => {
    const jobs = [aJob('URGENT'), aJob('ROW', row)];
    const world = aWorld({ jobs, due: ['A', 'B', 'C'].map(aQuestion), turns: 3 });
    await world.round();
    expect(world.wanted).toEqual([['leader', 'leaderAsks', 'leaderAsks']]);
    expect([world.orders(), world.asked.map(({ key }) => key)]).toEqual([['URGENT'], ['acme-eu/A', 'acme-eu/B']]);
    expect(world.leases.map((ms) => ms - startMs)).toEqual([4.5 * minutes, 4.5 * minutes]);
  });

  it('probe a closed lane, before an order does', async () => {
    const closed = { cause: 'no-answer', sinceMs: startMs, probes: 0, asked: 0, nextProbeAtMs: startMs } as const;
    const world = aWorld({ jobs: [aJob('A')], due: [aQuestion('Q')], turns: 1, state: { closed } });
    await world.round();
    expect(world.wanted).toEqual([['leaderAsks', 'leader']]);
  });

  it('go on while their merchant is paused', async () => {
    const world = aWorld({ jobs: [aJob('A')], due: [aQuestion('Q')] });
    await world.controls.pause('acme-eu', true, { by: 'ada', reason: 'audit', atMs: startMs });
    await world.round();
    expect([world.orders(), world.asked.map(({ key }) => key)]).toEqual([[], ['acme-eu/Q']]);
  });

  it('are asked also in a lane that has no item, and what needs no turn goes at once', async () => {
    const other = { ...aQuestion('Q'), lane: { merchant: 'globex', endpointId: '7' } };
    const world = aWorld({ due: [other, { key: 'acme-eu/STUCK', dueAtMs: 1 }], writtenAtMs: startMs - 11 * minutes });
    await lead(world.ports);
    expect(new Map(world.asked.map(({ key, turn }) => [key, turn !== undefined]))).toEqual(
      new Map([
        ['acme-eu/Q', true],
        ['acme-eu/STUCK', false],
      ]),
    );
  });

  it('are looked for in each round, while there are turns for all of them', async () => {
    const world = aWorld({ turns: 2 });
    let looks = 0;
    const due = async () => ((looks += 1), [1, 2].map((at) => aQuestion(`Q${looks}-${at}`)));
    await lead({ ...world.ports, questions: { ...world.ports.questions, due } });
    expect(world.asked).toHaveLength(2 * 45);
  });

  // A closed lane with many doubts cost up to 240 writes of the ledger an hour, an order.
  it('without a turn cost nothing: no write, no message, however many rounds', async () => {
    const world = aWorld({ due: Array.from({ length: 500 }, (_, at) => aQuestion(`Q${at}`)), turns: 0 });
    await lead(world.ports);
    expect([world.asked, world.leases, world.wanted]).toEqual([[], [], []]);
  });
});

describe('a leader', () => {
  it('leaves when another has begun', async () => {
    const world = aWorld({});
    await world.round();
    expect(world.clock.nowMs() - startMs).toBeLessThanOrEqual(4_000);
  });

  it('leads for ninety seconds, a round each two, while a lane is in use', async () => {
    const world = aWorld({});
    await lead(world.ports);
    expect(world.clock.nowMs() - startMs).toBe(90_000);
  });

  it('stays although it can not read the lanes for a moment', async () => {
    const world = aWorld({ jobs: [aJob('A')] });
    world.faults.lanes = 3;
    await lead(world.ports);
    expect([world.clock.nowMs() - startMs, world.orders()]).toEqual([90_000, ['A']]);
  });

  it('leads although its clock was minutes behind before the first answer', async () => {
    const world = aWorld({ jobs: [aJob('A')] });
    const { leader, clock } = world.ports;
    let aheadMs = -5 * minutes;
    await lead({
      ...world.ports,
      leader: { ...leader, write: async (name) => leader.write(name).then(() => void (aheadMs = 0)) },
      clock: { ...clock, nowMs: () => clock.nowMs() + aheadMs },
    });
    expect(world.orders()).toEqual(['A']);
  });

  it('leaves after its first round where no lane was used for ten minutes', async () => {
    const world = aWorld({ jobs: [aJob('A')], writtenAtMs: startMs - 11 * minutes });
    await lead(world.ports);
    expect([world.clock.nowMs() - startMs, world.orders()]).toEqual([0, ['A']]);
  });
});
