// A service of AWS is away, or loses answers, or a worker dies: it costs time. Nothing is lost, nothing is sent twice, and what one
// order costs in an hour is bounded.
import { describe, expect, it } from 'vitest';
import { type Profile } from '../../lib/gateway/profile.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { lengthOf } from '../support/long-proof.ts';
import { http, type Next } from './gateway.ts';
import { days, hours, minutes, seconds, type StoryWorld, storyWorld } from './harness.ts';

/** What can be away, each for so long. */
const services = {
  ledger: (world, ms) => world.ledgerAwayFor(ms),
  "the ledger's answers": (world, ms) => world.ledgerAwayFor(ms, 'answers lost'),
  queues: (world, ms) => world.queuesAwayFor(ms),
  results: (world, ms) => world.resultsAwayFor(ms),
  secrets: (world, ms) => world.secretsAwayFor(ms),
} as const satisfies Record<string, (world: StoryWorld, ms: number) => void>;
type Service = keyof typeof services;
const names = Object.keys(services) as Service[];
const subsets = Array.from({ length: 2 ** names.length }, (_, bits) =>
  names.filter((_name, place) => (bits >> place) % 2 === 1),
).slice(1);

const since = ['before the job comes', 'from its POST on', 'from its POST on, which is not answered'] as const;
const some = lengthOf({ short: subsets.filter(({ length }, place) => length === 1 || place % 4 === 3), long: subsets });

it.each(some.flatMap((away) => since.map((when) => [away, when] as const)))(
  'while %j are away for an hour %s, an order is paid once and told in the end, and nothing is told otherwise',
  async (away, when) => {
    const world = storyWorld({ profile: { statusInquiry: true } });
    const fail = () => away.forEach((name) => services[name](world, 1 * hours));
    if (when === 'before the job comes') fail();
    else
      world.gateway.answers('INV-1', {
        as: when === 'from its POST on' ? 'taken' : 'silent though taken',
        meanwhile: fail,
      });
    const message = world.send(aPayoutJob());
    const refused = world.send('{"version":7}');
    await world.pass(3 * hours);
    world.redeliver(message);
    // A claim of which no worker knows whether it was written sends nothing, and may have for all that others know.
    const isUnknown =
      when === 'before the job comes' && away[0] === "the ledger's answers" && !away.includes('secrets');
    if (!isUnknown) world.gateway.ends('INV-1', 'approved');
    await world.pass(3 * hours);
    const end = isUnknown ? [0, 'held'] : [1, 'approved'];
    expect([world.gateway.posts('INV-1'), world.last('INV-1')?.status]).toEqual(end);
    expect([world.retold(), world.told(refused)[0]?.status]).toEqual([[], 'rejected']);
    expect(world.deadLetters().map(({ code }) => code)).toEqual(['INVALID_MESSAGE']);
  },
);

// Jobs that come before, while and after; some of them wait already.
it.each<[what: string, fail: (world: StoryWorld) => void]>([
  ['no table answers for six hours', ({ tablesAwayFor }) => tablesAwayFor(6 * hours)],
  ['no body that waits can be sealed or opened for six hours', ({ dataKeysAwayFor }) => dataKeysAwayFor(6 * hours)],
  ['no secret can be read for six hours', ({ secretsAwayFor }) => secretsAwayFor(6 * hours)],
  ['submit does not run for an hour, and the sweeper does', ({ submitAwayFor }) => submitAwayFor(1 * hours)],
])('while %s nothing is laid aside, and all is paid within half an hour after it', async (_, fail) => {
  // given
  const world = storyWorld({ profile: { ratePerSecond: 5 } });
  const orders = Array.from({ length: 60 }, (_unused, n) => `ORDER-${n}`);
  const send = (from: number) =>
    orders.slice(from, from + 20).forEach((orderId) => world.send(aPayoutJob({ orderId })));
  await world.person.pauses();
  send(0);
  await world.pass(2 * minutes);
  await world.person.resumes();
  // when
  fail(world);
  send(20);
  await world.pass(30 * minutes);
  send(40);
  await world.pass(5.5 * hours);
  // then
  await world.pass(30 * minutes);
  expect([world.deadLetters(), orders.filter((orderId) => world.last(orderId)?.status !== 'accepted')]).toEqual([
    [],
    [],
  ]);
  expect(orders.filter((orderId) => world.gateway.posts(orderId) !== 1)).toEqual([]);
});

it.each<[what: string, profile: object, dies: boolean, code: string]>([
  ['an answer that no queue takes', {}, false, 'HELD_UNPROVEN'],
  ['a worker that dies after its POST', {}, true, 'HELD_UNPROVEN'],
  ['a worker that dies after its POST, where the gateway can be asked', { statusInquiry: true }, true, 'WORKER_LOST'],
])(
  '%s costs doubt when the lease is over by any clock, not sooner, and never a second POST',
  async (_, profile, dies, code) => {
    const world = storyWorld({ profile });
    world.gateway.desk('INV-1', 'silent');
    if (dies) world.workerDies('after the POST');
    else
      world.gateway.answers('INV-1', {
        as: 'taken',
        meanwhile() {
          world.ledgerAwayFor(3 * minutes);
          world.queuesAwayFor(3 * minutes);
        },
      });
    const message = world.send(aPayoutJob());
    await world.pass(2.5 * minutes);
    expect(world.results('INV-1')).toEqual([]);
    await world.pass(30 * minutes);
    world.redeliver(message);
    world.send(aPayoutJob());
    await world.pass(10 * minutes);
    expect(world.last('INV-1')).toMatchObject({
      status: 'statusInquiry' in profile ? 'in-doubt' : 'held',
      failure: { code },
    });
    expect(world.gateway.posts('INV-1')).toBe(1);
  },
);

it.each([{}, { statusInquiry: true }])(
  'a result that could not be told when its order ended is told later, though its message never comes again (%j)',
  async (profile) => {
    const world = storyWorld({ profile });
    const inquires = 'statusInquiry' in profile;
    if (!inquires) world.resultsAwayFor(30 * minutes);
    const message = world.send(aPayoutJob());
    await world.pass(1 * minutes);
    if (inquires) {
      world.resultsAwayFor(30 * minutes);
      world.gateway.ends('INV-1', 'approved');
    }
    await world.pass(3 * hours);
    expect(world.results('INV-1').map(({ status }) => status)).toEqual(
      inquires ? ['accepted', 'approved'] : ['accepted'],
    );
    expect(world.whereIs(message)).toBe('gone');
  },
);

it.each<[string, Next, Partial<Profile>]>([
  ['accepted', 'taken', { statusInquiry: true }],
  ['accepted for good', 'taken', {}],
  ['declined', 'refuses the order', {}],
])(
  'a result whose worker died between its write and its queue is told by the leader: %s',
  async (_, answer, profile) => {
    const world = storyWorld({ profile });
    world.gateway.answers('INV-1', answer);
    world.workerDies('before its result');
    world.send(aPayoutJob());
    // and its message does not come again
    await world.pass(1 * seconds);
    world.submitAwayFor(30 * minutes);
    await world.pass(5 * minutes);
    expect(world.results('INV-1')).toMatchObject([{ revision: 1 }]);
  },
);

it('checks are only a hurry: lost for five minutes, they are made up for by the sweeper', async () => {
  const world = storyWorld({ profile: { statusInquiry: true } });
  world.gateway.answers('DOUBTFUL', 'silent though taken');
  for (const orderId of ['ACCEPTED', 'DOUBTFUL']) world.send(aPayoutJob({ orderId }));
  await world.pass(1 * seconds);
  for (let n = 0; n < 5; n += 1) {
    world.checksAreLost();
    await world.pass(1 * minutes);
  }
  world.checksAreLost();
  for (const orderId of ['ACCEPTED', 'DOUBTFUL']) world.gateway.ends(orderId, 'approved');
  await world.pass(20 * minutes);
  expect(['ACCEPTED', 'DOUBTFUL'].map((orderId) => world.last(orderId)?.status)).toEqual(['approved', 'approved']);
});

// Promise 7: whatever fails, and however, one order costs a stated number of deliveries, POSTs, inquiries and lines of log in any hour.
describe('the bound of an hour', () => {
  // A message that can be neither parked nor laid down comes back by its visibility, 180 s.
  const bounds = { deliveries: 20, posts: 2, inquiries: 12, lines: 40 };
  const refusals: Next[] = [401, 403, 404, 429, 503].map((status) => ({
    as: 'silent',
    answers: () => http(status, ''),
  }));
  const failing = [
    ...names.map((name) => [name]),
    ...(lengthOf({ short: false, long: true })
      ? subsets.filter(({ length }) => length > 1)
      : [
          ['ledger', 'results'],
          ['queues', 'secrets'],
        ]),
  ] as Service[][];
  const mostInAnHour = <Entry>(
    entries: readonly Entry[],
    atMs: (it: Entry) => number,
    of: (it: Entry) => number = () => 1,
  ) =>
    Math.max(
      0,
      ...entries.map((first) =>
        entries
          .filter((it) => atMs(it) >= atMs(first) && atMs(it) < atMs(first) + hours)
          .reduce((sum, it) => sum + of(it), 0),
      ),
    );

  async function outage(world: StoryWorld, isCalledBack: boolean) {
    const begunAtMs = world.nowMs();
    const messages = [world.send(aPayoutJob()), world.send('{"version":7}')];
    for (let n = 0; n < 120; n += 1) {
      if (isCalledBack && n > 1) await world.callback('INV-1', `step-${n}`, { id: '9000001' });
      await world.pass(1 * minutes);
    }
    const sent = Map.groupBy(world.gateway.sent('INV-1'), ({ url }) => url.includes('/status/'));
    // Young orders are asked about every few seconds.
    const looks = (sent.get(true) ?? []).filter(({ atMs }) => atMs > begunAtMs + 5 * minutes);
    const work = messages.map(({ id }) => world.work(id));
    return {
      deliveries: Math.max(...work.map((it) => mostInAnHour(it, ({ atMs }) => atMs))),
      posts: mostInAnHour(sent.get(false) ?? [], ({ atMs }) => atMs),
      inquiries: mostInAnHour(looks, ({ atMs }) => atMs),
      lines: Math.max(
        ...work.map((it) =>
          mostInAnHour(
            it,
            ({ atMs }) => atMs,
            ({ lines }) => lines,
          ),
        ),
      ),
    };
  }
  const isWithin = (costs: typeof bounds) =>
    (Object.keys(bounds) as (keyof typeof bounds)[])
      .filter((name) => costs[name] > bounds[name])
      .map((name) => `${name}: ${costs[name]}`);

  it.each(failing.flatMap((away) => [false, true].map((isCalledBack) => [away, isCalledBack] as const)))(
    'is held while %s are away for two hours (called back each minute: %s)',
    async (away, isCalledBack) => {
      const world = storyWorld({ profile: { statusInquiry: true } });
      const atOnce = isCalledBack ? 'accepted' : 'at once';
      if (atOnce === 'at once') for (const name of away) services[name](world, 2 * hours);
      else world.after(10 * seconds, () => away.forEach((name) => services[name](world, 2 * hours)));
      expect(isWithin(await outage(world, isCalledBack))).toEqual([]);
      expect(world.gateway.payments('INV-1').length).toBeLessThanOrEqual(1);
    },
  );

  it.each(refusals.map((next, n) => [[401, 403, 404, 429, 503][n], next] as const))(
    'is held while the gateway answers everybody %s',
    async (_, next) => {
      const world = storyWorld({ profile: { statusInquiry: true } });
      world.gateway.answers('INV-1', ...Array.from({ length: 500 }, () => next));
      expect(isWithin(await outage(world, false))).toEqual([]);
    },
  );

  it('is held while the gateway asks to slow down, and a sender sends the job each minute', async () => {
    const world = storyWorld({ profile: { statusInquiry: true }, lanes: 'open' });
    world.gateway.answers('INV-1', ...Array.from({ length: 500 }, () => '429' as const));
    for (let n = 0; n < 60; n += 1) world.send(aPayoutJob(), { comesInMs: n * minutes, attributes: { redrives: '1' } });
    await world.pass(59 * minutes);
    expect(world.gateway.posts('INV-1')).toBeLessThanOrEqual(2);
  });
});

// B2: people decided without knowing of the acceptance that is on its way. The acceptance is the truth, and is told.

/** The gateway took it, the ledger was away for longer than the lease, and the answer is on its way for hours. */
async function acceptedLate(): Promise<StoryWorld> {
  const world = storyWorld();
  world.answersComeLateBy(5 * hours);
  world.gateway.answers('INV-1', { as: 'taken', meanwhile: () => world.ledgerAwayFor(5 * minutes) });
  world.send(aPayoutJob());
  await world.pass(2 * hours);
  expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
  return world;
}

it.each([false, true])(
  'released as not paid, then the acceptance comes: accepted, and never sent again (cancelled: %j)',
  async (isCancelled) => {
    const world = await acceptedLate();
    if (isCancelled) await world.person.decides('INV-1', 'cancel');
    await world.pass(1 * days);
    expect(world.last('INV-1')).toMatchObject({ status: 'accepted', gatewayOrderId: '9000001' });
    world.send(aPayoutJob());
    await world.pass(1 * days);
    expect(world.gateway.posts('INV-1')).toBe(1);
  },
);

// B3: a person who had seen the acceptance said not paid; the same acceptance, delivered once more, is nothing new.

it('an acceptance that was written already does not overturn the decision of a person who knew it', async () => {
  // given
  const world = storyWorld({ profile: { statusInquiry: true } });
  world.gateway.answers('INV-1', { as: 'taken', meanwhile: () => world.ledgerAwayFor(1 * minutes) });
  world.send(aPayoutJob());
  await world.pass(1 * hours);
  expect(world.last('INV-1')).toMatchObject({ status: 'accepted', gatewayOrderId: '9000001' });
  world.gateway.ends('INV-1', 'unknown');
  await world.pass(10 * days);
  expect(world.last('INV-1')?.status).toBe('held');
  expect(await world.person.decides('INV-1', 'not-paid')).toBe('done');
  const told = world.results('INV-1').length;
  // when
  world.answersComeAgain('INV-1');
  await world.pass(1 * hours);
  // then
  expect(
    world
      .results('INV-1')
      .slice(told)
      .map(({ status }) => status),
  ).not.toContain('accepted');
  expect(world.last('INV-1')?.status).toBe('failed');
});

// A4: "a person decides" was told; a late refusal of the POST makes the order retryable, and it goes without a person.

it.each(
  lengthOf<readonly Partial<Profile>[]>({ short: [{ statusInquiry: true }], long: [{}, { statusInquiry: true }] }),
)(
  'what was told as held or in doubt is not sent by itself, however late it turns out refused (%j)',
  async (profile) => {
    // given
    const world = storyWorld({ profile });
    world.answersComeLateBy(2 * hours);
    world.gateway.desk('INV-1', 'silent');
    world.gateway.answers('INV-1', { as: '403', meanwhile: () => world.ledgerAwayFor(5 * minutes) });
    world.send(aPayoutJob());
    const copy = world.send(aPayoutJob(), { comesInMs: 20 * minutes });
    await world.pass(1 * hours);
    expect(['held', 'in-doubt']).toContain(world.last('INV-1')?.status);
    // when the refusal is read, and the gateway would take the order
    await world.pass(2 * days);
    world.redeliver(copy);
    await world.pass(1 * days);
    // then
    expect(world.gateway.posts('INV-1')).toBe(1);
  },
);
