// How a function starts: made and warmed while Lambda starts it, never failing or hanging by that, and what its first jobs
// will ask for begun for all at once.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSubmit } from '../../functions/submit.ts';
import { lanesReadAhead } from '../../lib/aws/dynamodb-lanes.ts';
import { whileStarting } from '../../lib/aws/lambda-handler.ts';
import { createPacing } from '../../lib/payout/pace/pacing.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { createMemoryLanes } from '../support/memory-lanes.ts';
import { aRecord } from '../support/records.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld } from '../support/world.ts';

const inLambda = () => vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'submit');

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

describe('a function', () => {
  const handle = (asked: string) => `${asked}, answered`;

  it('starts within a second although what it warms never ends', async () => {
    inLambda();
    vi.useFakeTimers();
    const starting = whileStarting(() => ({ handle, warmUp: () => new Promise(() => {}) }));
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await starting)('an event')).toBe('an event, answered');
  });

  it('starts with a wrong setting, which fails its events until it is right', async () => {
    inLambda();
    let setting = 'wrong';
    const handler = await whileStarting(() => {
      if (setting === 'wrong') throw new RangeError('the setting is wrong');
      return { handle, warmUp: async () => {} };
    });
    expect(() => handler('an event')).toThrow('the setting is wrong');
    setting = 'right';
    expect(handler('an event')).toBe('an event, answered');
  });

  it('that somebody else imports is made by its first event, and warms nothing', async () => {
    const done: string[] = [];
    const make = () => {
      done.push('made');
      return { handle, warmUp: async () => void done.push('warm') };
    };
    const handler = await whileStarting(make);
    expect(done).toEqual([]);
    handler('an event');
    handler('another');
    expect(done).toEqual(['made']);
  });
});

describe('the first batch', () => {
  it('has what its jobs will ask for read at once, those after it ask for themselves', async () => {
    const world = aWorld();
    const ahead: string[] = [];
    const submit = createSubmit({ ...world.ports, readAhead: async ({ orderId }) => void ahead.push(orderId) });
    const batch = (...orderIds: string[]) => ({
      Records: [
        ...orderIds.map((orderId) => aRecord(aPayoutJob({ orderId }), { messageId: `m-${orderId}` })),
        aRecord('no job', { messageId: 'm-none' }),
      ],
    });
    const context = { getRemainingTimeInMillis: () => 120_000 };
    await submit(batch('INV-1', 'INV-2'), context);
    await submit(batch('INV-3'), context);
    expect(ahead).toEqual(['INV-1', 'INV-2']);
    const paid = world.results.taken.filter(({ status }) => status === 'accepted');
    expect(paid).toMatchObject([{ orderId: 'INV-1' }, { orderId: 'INV-2' }, { orderId: 'INV-3' }]);
  });
});

describe('a lane that is read ahead', () => {
  const lane = { merchant: 'acme-eu', endpointId: '39915' };
  const clock = { nowMs: () => startMs, uptimeMs: () => 0, sleep: async () => {} };

  /** Pacing over lanes that count how often they are read, and may fail at first. */
  function aheadOf({ fails = false }) {
    const lanes = createMemoryLanes();
    const counted = { reads: 0 };
    const read = async (name: typeof lane) => {
      counted.reads += 1;
      if (fails && counted.reads === 1) throw new Error('the table does not answer');
      return lanes.read(name);
    };
    const ahead = lanesReadAhead({ ...lanes, read });
    return { counted, ahead, pacing: createPacing({ lanes: ahead, clock, later: () => () => {} }) };
  }

  it('is not read again by the first who ask', async () => {
    const { counted, ahead, pacing } = aheadOf({});
    void ahead.begin(lane);
    expect(await pacing.ask(lane, 'urgent', {})).toHaveProperty('atMs');
    expect(counted.reads).toBe(1);
    await ahead.read(lane);
    expect(counted.reads).toBe(2);
  });
});
