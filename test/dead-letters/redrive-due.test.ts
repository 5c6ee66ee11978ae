// The scheduled retry: what it brings back by itself, and everything that it leaves to a person.
import { describe, expect, it } from 'vitest';
import { redriveDue, type RedriveRules } from '../../lib/dead-letters/redrive-due.ts';
import { releaseOrder } from '../../lib/payout/operator-actions.ts';
import { aDeadLetterWorld, type DeadLetterWorld } from '../support/dead-letter-world.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { startMs } from '../support/time-and-chance.ts';
import type { WorldChoices } from '../support/world.ts';

const rules: RedriveRules = { afterSeconds: 1_800, budget: 100, timesAtMost: 3 };
const halfAnHourMs = 1_800_000;
const saying = { by: 'ops', reason: 'x', atMs: startMs };

/** Orders that could not be sent, whose workers then crashed until SQS laid their messages aside; the gateway is back. */
async function failed(orderIds: readonly string[], choices: WorldChoices = {}): Promise<DeadLetterWorld> {
  const it = aDeadLetterWorld(choices);
  it.world.gateway.stays('refuses the connection');
  for (const orderId of orderIds) {
    const record = aRecord(aPayoutJob({ orderId }));
    await it.world.deliver(record);
    it.deadLetters.move(record);
  }
  it.world.jobsQueue.copies.taken.splice(0);
  it.world.gateway.stays('accepts');
  return it;
}

/** One run, what it brought back, and what stays on the queue. */
async function aRun({ ports, deadLetters }: DeadLetterWorld, changes: Partial<RedriveRules> = {}) {
  const { redriven, left } = await redriveDue({ ...rules, ...changes }, ports);
  return { redriven, left, stays: deadLetters.visible().length };
}

it('brings back what was never sent, once it has waited long enough, and it is paid once', async () => {
  const it = await failed(['INV-1', 'INV-2']);
  it.world.clock.advance(halfAnHourMs - 1);
  expect(await aRun(it)).toEqual({ redriven: 0, left: { 'too-young': 2 }, stays: 2 });
  it.world.clock.advance(1);
  expect(await aRun(it)).toEqual({ redriven: 2, left: {}, stays: 0 });
  expect(await it.deliverRedriven()).toEqual([]);
  expect([it.world.gateway.postsOf('INV-1'), it.world.gateway.postsOf('INV-2')]).toEqual([1, 1]);
});

it('stays within its budget, and counts what it brought back', async () => {
  const it = await failed(Array.from({ length: 25 }, (_, index) => `INV-${index}`));
  it.world.clock.advance(halfAnHourMs);
  expect(await aRun(it, { budget: 12 })).toMatchObject({ redriven: 12, stays: 13 });
  expect(await aRun(it, { budget: 12 })).toMatchObject({ redriven: 12, stays: 1 });
  expect(it.deadLetters.sent.map(({ attributes }) => attributes.get('redrives')?.text)).toEqual(Array(24).fill('1'));
});

it('brings one message back three times at most, whoever laid it aside again', async () => {
  const it = await failed(['INV-1']);
  it.world.gateway.stays('refuses the connection');
  for (let time = 1; time <= 3; time += 1) {
    it.world.clock.advance(halfAnHourMs);
    expect(await aRun(it)).toMatchObject({ redriven: 1 });
    // SQS lays it aside after its last receive, with all that it carries.
    const letter = it.deadLetters.sent.at(-1);
    const redrives = letter?.attributes.get('redrives')?.text ?? '';
    it.deadLetters.move(aRecord(letter?.body ?? '', { attributes: { redrives } }));
  }
  it.world.clock.advance(halfAnHourMs);
  expect(await aRun(it)).toEqual({ redriven: 0, left: { 'often-enough': 1 }, stays: 1 });
});

describe('leaves alone', () => {
  it('what would come straight back', async () => {
    const it = aDeadLetterWorld();
    it.deadLetters.move(aRecord('no job'));
    it.deadLetters.move(aRecord(aPayoutJob({ merchant: 'nobody' })));
    it.deadLetters.move(aRecord(aPayoutJob({ params: { purpose: 'rent' } })));
    it.world.clock.advance(halfAnHourMs);
    expect(await aRun(it)).toEqual({ redriven: 0, left: { reject: 3 }, stays: 3 });
  });

  it('a merchant that is paused, and one with too much money in doubt', async () => {
    const it = await failed(['INV-1'], { profile: { doubtLimits: { EUR: '1.00' } } });
    it.world.clock.advance(halfAnHourMs);
    await it.world.controls.pause('acme-eu', true, saying);
    expect(await aRun(it)).toEqual({ redriven: 0, left: { wait: 1 }, stays: 1 });
    await it.world.controls.pause('acme-eu', false, saying);
    await it.world.controls.recordDoubt(new Map([['acme-eu', { EUR: 101n }]]));
    expect(await aRun(it)).toEqual({ redriven: 0, left: { wait: 1 }, stays: 1 });
    await it.world.controls.recordDoubt(new Map());
    expect(await aRun(it)).toMatchObject({ redriven: 1 });
  });

  it('everybody, while all merchants are paused', async () => {
    const it = await failed(['INV-1']);
    it.world.clock.advance(halfAnHourMs);
    await it.world.controls.pause(undefined, true, saying);
    expect(await aRun(it)).toEqual({ redriven: 0, left: { wait: 1 }, stays: 1 });
  });

  it('an order that a person has released as not paid: a person sends it again, or nobody', async () => {
    const it = aDeadLetterWorld();
    it.world.gateway.moods('stalls');
    await it.world.deliver(aRecord(aPayoutJob()));
    await releaseOrder('acme-eu/INV-1', { as: 'not-paid', ...saying }, it.ports);
    it.deadLetters.move(aRecord(aPayoutJob()));
    it.world.clock.advance(halfAnHourMs);
    expect(await aRun(it)).toEqual({ redriven: 0, left: { 'needs-a-person': 1 }, stays: 1 });
  });

  it('what has ended, and what is held', async () => {
    const it = aDeadLetterWorld();
    it.world.gateway.moods('accepts', 'stalls');
    for (const orderId of ['PAID', 'HELD']) {
      await it.world.deliver(aRecord(aPayoutJob({ orderId })));
      it.deadLetters.move(aRecord(aPayoutJob({ orderId })));
    }
    it.world.clock.advance(halfAnHourMs);
    expect(await aRun(it)).toEqual({ redriven: 0, left: { 'needs-a-person': 2 }, stays: 2 });
  });

  it('what the cap of the day would only hold', async () => {
    const it = await failed(['A', 'B', 'C'], { profile: { caps: { EUR: { perDay: '25.00' } } } });
    it.world.clock.advance(halfAnHourMs);
    expect(await aRun(it)).toEqual({ redriven: 2, left: { after: 1 }, stays: 1 });
  });
});

it('brings back what is in doubt: it is asked about, and an answer that only the letter knows: it is written', async () => {
  const it = aDeadLetterWorld({ profile: { statusInquiry: true } });
  const { world, deadLetters } = it;
  world.gateway.moods('stalls');
  await world.deliver(aRecord(aPayoutJob({ orderId: 'DOUBT' })));
  deadLetters.move(aRecord(aPayoutJob({ orderId: 'DOUBT' })));
  world.gateway.meanwhile(() => world.ledger.stays('down', 'advance', 'read'));
  await world.deliver(aRecord(aPayoutJob({ orderId: 'KNOWN' })));
  world.ledger.stays('up', 'advance', 'read');
  for (const copy of world.jobsQueue.copies.taken.splice(0)) deadLetters.move(copy);
  world.checksQueue.taken.splice(0);

  world.clock.advance(halfAnHourMs);
  expect(await aRun(it)).toEqual({ redriven: 2, left: {}, stays: 0 });
  await it.deliverRedriven();
  expect(world.entries.get('acme-eu/KNOWN')?.state).toBe('accepted');
  expect(world.checksQueue.taken.map(({ check }) => check.orderKey).toSorted()).toEqual([
    'acme-eu/DOUBT',
    'acme-eu/KNOWN',
  ]);
  expect([world.gateway.postsOf('DOUBT'), world.gateway.postsOf('KNOWN')]).toEqual([1, 1]);
});

it('ends in time, and gives back what it holds', async () => {
  const it = await failed(['INV-1']);
  it.world.clock.advance(halfAnHourMs);
  const { redriven, walk } = await redriveDue(rules, it.ports, { untilMs: it.world.clock.nowMs() });
  expect({ redriven, walk }).toEqual({ redriven: 0, walk: { seen: 0, end: 'time' } });
  expect(it.deadLetters.visible()).toHaveLength(1);
});

describe('a run', () => {
  it('looks no further once its budget is used up, and logs what it brought back and what it left', async () => {
    const it = await failed(Array.from({ length: 25 }, (_, index) => `INV-${index}`));
    it.world.clock.advance(halfAnHourMs);
    it.world.log.splice(0);
    const run = await redriveDue({ ...rules, budget: 12 }, it.ports);
    expect(run).toEqual({ redriven: 12, left: { budget: 8 }, walk: { seen: 20, end: 'enough' } });
    expect(it.world.log).toEqual([{ level: 'info', event: 'redrive', fields: { records: 12, failedRecords: 8 } }]);
  });

  it('leaves what the jobs queue does not take, and says so', async () => {
    const it = await failed(['A', 'B', 'C']);
    it.world.clock.advance(halfAnHourMs);
    it.deadLetters.fails('send', [1, 2]);
    expect(await aRun(it)).toEqual({ redriven: 1, left: { 'not-taken': 2 }, stays: 2 });
  });

  it('counts as brought back what it could not delete: it is on the jobs queue', async () => {
    const it = await failed(['A', 'B']);
    it.world.clock.advance(halfAnHourMs);
    it.deadLetters.fails('remove', [1]);
    expect(await aRun(it)).toEqual({ redriven: 2, left: {}, stays: 1 });
    expect(it.deadLetters.givenBack).toEqual(it.deadLetters.visible());
  });

  it('judges each letter together with those that it has brought back already: one of an order goes at a time', async () => {
    const it = await failed(['INV-1']);
    it.deadLetters.move(aRecord(aPayoutJob()));
    it.world.clock.advance(halfAnHourMs);
    expect(await aRun(it)).toEqual({ redriven: 1, left: { after: 1 }, stays: 1 });
  });

  it('has a budget of none: it brings nothing back', async () => {
    const it = await failed(['INV-1']);
    it.world.clock.advance(halfAnHourMs);
    expect(await aRun(it, { budget: 0 })).toEqual({ redriven: 0, left: { budget: 1 }, stays: 1 });
  });
});
