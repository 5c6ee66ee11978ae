// When a canary order is sent, by an injected clock and a round that says whether traffic shifts.
import { describe, expect, it } from 'vitest';
import { withCanary } from '../../lib/payout/canary.ts';
import { parseJob } from '../../lib/payout/message/job.ts';
import type { MetricValues } from '../../lib/payout/ports.ts';

const canary = { endpointId: '39915', cardReference: '1234567890' };
const at = (time: string) => Date.parse(`2026-11-26T${time}Z`);

/** A sweeper's minutes from one o'clock to another, while Lambda says this. */
function aSweeper(live: () => MetricValues['values'], sends: () => void = () => {}) {
  const sent: string[] = [];
  const logged: string[] = [];
  let nowMs = 0;
  const round = withCanary({ name: 'live-functions', run: async () => live() }, canary, {
    sendJob: async (body) => {
      sends();
      sent.push(body);
    },
    clock: { nowMs: () => nowMs },
    log: { write: (_, event) => void logged.push(event) },
  });
  return {
    sent,
    logged,
    async sweepsAt(time: string) {
      nowMs = at(time);
      return round.run(Infinity);
    },
    async sweepsFrom(fromMs: number, minutes: number) {
      for (let minute = 0; minute < minutes; minute += 1) {
        nowMs = fromMs + minute * 60_000;
        await round.run(Infinity);
      }
    },
  };
}

describe('a canary order', () => {
  it('is sent once an hour while nothing shifts', async () => {
    const sweeper = aSweeper(() => ({}));
    await sweeper.sweepsFrom(at('10:30:20'), 180);
    expect(sweeper.sent.map((body) => JSON.parse(body).orderId)).toEqual([
      'canary-202611261100',
      'canary-202611261200',
      'canary-202611261300',
    ]);
  });

  it('is sent each minute while traffic shifts, and counted beside the shift', async () => {
    let values: MetricValues['values'] = {};
    const sweeper = aSweeper(() => values);
    expect(await sweeper.sweepsAt('10:57:20')).toEqual({});
    values = { trafficShifts: 4 };
    expect(await sweeper.sweepsAt('10:58:20')).toEqual({ trafficShifts: 4, canariesSent: 1 });
    expect(await sweeper.sweepsAt('10:59:20')).toEqual({ trafficShifts: 4, canariesSent: 1 });
    values = { liveDiffers: 1 };
    expect(await sweeper.sweepsAt('11:01:20')).toEqual({ liveDiffers: 1 });
    expect(sweeper.sent).toHaveLength(2);
  });

  it('is one and the same where two sweeps fall into a minute, and another in every other minute', async () => {
    const sweeper = aSweeper(() => ({ trafficShifts: 1 }));
    for (const time of ['10:58:00', '10:58:59', '10:59:00']) await sweeper.sweepsAt(time);
    const [first, second, next] = sweeper.sent;
    expect(second).toBe(first);
    expect(next).not.toBe(first);
  });

  it('is a job as any, of its own merchant, that moves no money', async () => {
    const sweeper = aSweeper(() => ({}));
    await sweeper.sweepsAt('11:00:20');
    expect(parseJob(sweeper.sent[0] ?? '')).toMatchObject({
      kind: 'job',
      job: {
        operation: 'pan-eligibility',
        merchant: 'canary',
        endpointId: '39915',
        orderId: 'canary-202611261100',
        params: { 'sending-card-ref-id': '1234567890' },
      },
    });
  });

  it('that the queue does not take is logged and not counted, and the sweep goes on', async () => {
    const sweeper = aSweeper(
      () => ({ trafficShifts: 4 }),
      () => {
        throw new Error('throttled');
      },
    );
    expect(await sweeper.sweepsAt('10:58:20')).toEqual({ trafficShifts: 4 });
    expect(sweeper.logged).toEqual(['canary-unsent']);
  });
});
