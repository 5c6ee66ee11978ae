// What keeps a job waiting without being about its order: a pause, a moment, a secret, a gateway that is away or slow. It costs time;
// the job is paid once afterwards, or ends by its time, a call-off or fourteen days, and is kept.
import { describe, expect, it } from 'vitest';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { lengthOf, longIt } from '../support/long-proof.ts';
import { http, type Next, type Reaction } from './gateway.ts';
import { days, hours, minutes, seconds, type StoryWorld, storyWorld } from './harness.ts';

const at = (world: StoryWorld, ms: number) => new Date(world.nowMs() + ms).toISOString();
const names = (count: number) => Array.from({ length: count }, (_, n) => `INV-${n + 1}`);
const posts = (world: StoryWorld, orders: readonly string[]) =>
  orders.reduce((sum, orderId) => sum + world.gateway.posts(orderId), 0);
const often = (next: Next): Next[] => Array.from({ length: 2_000 }, () => next);
const accepted = (world: StoryWorld, orders: readonly string[]) =>
  orders.filter((orderId) => world.last(orderId)?.status === 'accepted').length;
/** From now on the gateway takes what comes. */
const takes = (world: StoryWorld, orders: readonly string[]) =>
  orders.forEach((orderId) => world.gateway.forgets(orderId));

describe('a job waits', () => {
  const badDays: readonly (readonly [
    what: string,
    begins: (world: StoryWorld, forMs: number) => Promise<unknown> | void,
    ends: (world: StoryWorld) => Promise<unknown> | void,
  ])[] = [
    ['while its merchant is paused', ({ person }) => person.pauses(), ({ person }) => person.resumes()],
    ['while Secrets Manager does not answer', ({ secretsAwayFor }, forMs) => secretsAwayFor(forMs), () => {}],
    [
      'while the secret has no key for it',
      ({ secretIs }) => secretIs({ ...someCredentials({ version: 'v2' }), keys: {} }),
      ({ secretIs }) => secretIs(someCredentials({ version: 'v3' })),
    ],
    [
      'while its key does not sign',
      ({ secretIs }) => secretIs(unsigning),
      ({ secretIs }) => secretIs(someCredentials({ version: 'v3' })),
    ],
    [
      'while the gateway cannot be reached',
      ({ gateway }) => gateway.answers('INV-1', ...often('cannot be reached')),
      ({ gateway }) => gateway.forgets('INV-1'),
    ],
  ];
  const unsigning = {
    ...someCredentials({ version: 'v2' }),
    keys: {
      'RSA-SHA256': {
        kind: 'rsa-signer',
        keyId: 'k',
        signDigest: () => Promise.reject(new Error('AccessDeniedException')),
      } as const,
    },
  };

  it.each(badDays)('%s, unharmed, for days, and is then paid once', async (_, begins, ends) => {
    const world = storyWorld();
    await begins(world, lengthOf({ short: 0.5, long: 12.5 }) * days);
    const message = world.send(aPayoutJob());
    await world.pass(lengthOf({ short: 0.4, long: 12 }) * days);
    expect([world.results('INV-1'), world.deadLetters(), world.gateway.posts('INV-1'), world.whereIs(message)]).toEqual(
      [[], [], 0, 'queue'],
    );
    await ends(world);
    await world.pass(lengthOf({ short: 0.2, long: 1 }) * days);
    expect([world.results('INV-1').map(({ status }) => status), world.gateway.posts('INV-1')]).toEqual([
      ['accepted'],
      1,
    ]);
  });

  longIt.each(badDays)(
    '%s, for fourteen days: then it has failed, its message is kept, and a redrive pays it once',
    async (_, begins, ends) => {
      const world = storyWorld();
      await begins(world, 14.5 * days);
      const message = world.send(aPayoutJob());
      await world.pass(14 * days + 1 * hours);
      expect(world.deadLetters()).toMatchObject([{ code: 'WAITED_TOO_LONG' }]);
      // Without the worker's own keys an order cannot be ended: nothing is told of it.
      const codes = [...world.told(message), ...world.results('INV-1')].map(({ failure }) => failure?.code);
      expect(codes.filter((code) => code !== 'WAITED_TOO_LONG')).toEqual([]);
      expect(world.work(message.id).length).toBeLessThan(14 * 24 * 8);
      await ends(world);
      await world.pass(1 * days);
      expect(await world.person.redrives('INV-1')).toBe(1);
      await world.pass(1 * days);
      expect([world.gateway.posts('INV-1'), world.last('INV-1')?.status]).toEqual([1, 'accepted']);
    },
  );

  it('behind a pause that is over within a minute, though no worker looked at it meanwhile', async () => {
    const world = storyWorld();
    await world.person.pauses();
    const orders = names(20);
    for (const orderId of orders) world.send(aPayoutJob({ orderId, batchId: 'salaries' }));
    await world.pass(1 * hours);
    await world.person.resumes();
    await world.pass(62 * seconds);
    expect([accepted(world, orders), posts(world, orders)]).toEqual([20, 20]);
  });

  it('of an order that is sent already is not paused: its answer is written, it is asked about, and its copies are told', async () => {
    const world = storyWorld({ profile: { statusInquiry: true } });
    world.gateway.answers('INV-1', { as: 'taken', meanwhile: () => world.ledgerAwayFor(2 * minutes) });
    world.send(aPayoutJob());
    await world.pass(1 * seconds);
    await world.person.pauses();
    await world.pass(20 * minutes);
    world.gateway.ends('INV-1', 'approved');
    await world.pass(1 * hours);
    const copy = world.send(JSON.stringify(aPayoutJob(), undefined, 1));
    await world.pass(1 * minutes);
    expect([world.last('INV-1')?.status, world.gateway.posts('INV-1'), world.whereIs(copy)]).toEqual([
      'approved',
      1,
      'gone',
    ]);
  });
});

describe('a job that names the moment before which it must not be sent', () => {
  it('is paid soon after its moment, not a second earlier, at the cost of one delivery; one that is over keeps no job waiting', async () => {
    const world = storyWorld();
    const message = world.send(aPayoutJob({ notBefore: at(world, 2 * hours) }));
    world.send(aPayoutJob({ orderId: 'INV-2', notBefore: at(world, 0) }));
    await world.pass(2 * hours - 1 * seconds);
    expect([world.gateway.posts('INV-1'), world.last('INV-2')?.status, world.work(message.id).length]).toEqual([
      0,
      'accepted',
      1,
    ]);
    await world.pass(85 * seconds);
    expect(world.last('INV-1')?.status).toBe('accepted');
    world.send(aPayoutJob({ notBefore: at(world, 1 * hours) }));
    await world.pass(1 * minutes);
    expect(world.results('INV-1').map(({ revision }) => revision)).toEqual([1, 1]);
  });

  it('of a batch that is called off meanwhile ends long before it', async () => {
    const world = storyWorld();
    await world.uploads('b-1', [aPayoutJob({ notBefore: at(world, 5 * days) })]);
    await world.pass(1 * minutes);
    await world.person.callsOffBatch('b-1');
    await world.pass(2 * hours);
    expect(world.batchResults('b-1')).toMatchObject([
      { status: 'closed', outcomes: [{ standing: 'cancelled', count: 1 }] },
    ]);
  });
});

describe('a job past its time', () => {
  it.each<[when: string, begins: (world: StoryWorld) => Promise<unknown> | void, comesInMs: number]>([
    ['when it comes', () => {}, 61 * seconds],
    ['while its merchant is paused', ({ person }) => person.pauses(), 0],
    ['between two tries', ({ gateway }) => gateway.answers('INV-1', ...often('cannot be reached')), 0],
    [
      'between two tries, while the table loses answers',
      ({ gateway, ledgerAwayFor, after }) => {
        gateway.answers('INV-1', ...often('cannot be reached'));
        after(50 * seconds, () => ledgerAwayFor(1 * minutes, 'answers lost'));
      },
      0,
    ],
    [
      'between two tries, while no result can be told',
      ({ gateway, resultsAwayFor, after }) => {
        gateway.answers('INV-1', ...often('cannot be reached'));
        after(50 * seconds, () => resultsAwayFor(1 * hours));
      },
      0,
    ],
  ])(
    '%s is told so, once, and is never sent: its sender has perhaps paid in another way',
    async (_, begins, comesInMs) => {
      const world = storyWorld();
      await begins(world);
      const message = world.send(aPayoutJob({ expiresAt: at(world, 60 * seconds) }), { comesInMs });
      await world.pass(3 * hours);
      await world.person.resumes();
      world.gateway.forgets('INV-1');
      await world.pass(1 * hours);
      const told = [...world.told(message), ...world.results('INV-1')];
      expect(told).toMatchObject([{ status: 'failed', final: true, failure: { code: 'EXPIRED' } }]);
      expect([world.gateway.posts('INV-1'), world.deadLetters()]).toEqual([0, []]);
    },
  );

  it('has ended in the ledger: its plain job pays no more, and a job that names the end is paid', async () => {
    // given a payout that expired while its merchant was paused
    const world = storyWorld();
    await world.person.pauses();
    const message = world.send(aPayoutJob({ expiresAt: at(world, 60 * seconds) }));
    await world.pass(5 * minutes);
    await world.person.resumes();

    // when its sender sends it once more with more time, and again by the name of its end
    world.send(aPayoutJob());
    await world.pass(1 * minutes);
    expect([world.gateway.posts('INV-1'), world.last('INV-1')?.failure?.code]).toEqual([0, 'EXPIRED']);
    world.sendAgain(world.send(aPayoutJob()));
    await world.pass(1 * minutes);

    // then
    expect([world.gateway.posts('INV-1'), world.last('INV-1')?.status]).toEqual([1, 'accepted']);
    expect(world.told(message)).toEqual([]);
  });

  it.each([
    ['of other content', aPayoutJob({ expiresAt: '2026-11-21T09:00:00Z', params: { amount: '99.00' } })],
    ['whose seal is broken', aPayoutJob({ expiresAt: '2026-11-21T09:00:00Z', params: { cvv2: '123' } })],
  ])('%s ends nothing of an order that waits', async (_, forged) => {
    const world = storyWorld();
    await world.person.pauses();
    world.send(aPayoutJob());
    await world.pass(1 * minutes);
    world.send(forged);
    await world.pass(5 * minutes);
    await world.person.resumes();
    await world.pass(5 * minutes);
    expect([world.gateway.posts('INV-1'), world.last('INV-1')?.status]).toEqual([1, 'accepted']);
  });

  it('is sent a second before it', async () => {
    const world = storyWorld();
    world.send(aPayoutJob({ expiresAt: at(world, 1 * seconds) }));
    await world.pass(1 * minutes);
    expect(world.last('INV-1')?.status).toBe('accepted');
  });
});

describe('what is known comes first: an order that was accepted untold is told so, although since then', () => {
  it.each<[string, Parameters<typeof aPayoutJob>[0], (world: StoryWorld) => Promise<unknown> | void]>([
    [
      'two persons must release it',
      {},
      ({ secretIs }) => secretIs(someCredentials({ version: 'v2', profile: { twoPersonRelease: true } })),
    ],
    [
      'its contract lost a field',
      { params: { purpose: 'rent' } },
      ({ secretIs }) => secretIs(someCredentials({ version: 'v2' })),
    ],
    ['its batch was called off', { batchId: 'b-1' }, ({ person }) => person.callsOffBatch('b-1')],
    ['its merchant was paused', {}, ({ person }) => person.pauses()],
    ['its secret went', {}, ({ secretsAwayFor }) => secretsAwayFor(1 * hours)],
    ['its time was over', { expiresAt: '2026-11-21T10:01:00Z' }, () => {}],
  ])('%s', async (_, changes, happens) => {
    const world = storyWorld({ profile: { extraFields: { payout: ['purpose'] } } });
    world.resultsAwayFor(3 * minutes);
    const message = world.send(aPayoutJob(changes));
    await world.pass(1 * minutes);
    await happens(world);
    world.redeliver(message);
    await world.pass(30 * minutes);
    expect(new Set(world.results('INV-1').map(({ status, revision }) => `${revision} ${status}`))).toEqual(
      new Set(['1 accepted']),
    );
    expect([world.told(message), world.deadLetters(), world.gateway.posts('INV-1')]).toEqual([[], [], 1]);
  });
});

describe('a gateway that has a bad hour', () => {
  it.each<[what: string, reaction: Reaction, profile: object]>([
    ['a closed port', 'cannot be reached', {}],
    ['a wrong key', '401', {}],
    [
      'an account that is empty, by a code that the merchant names',
      'refuses the order',
      { accountCodes: { payout: ['8'] } },
    ],
  ])('%s: payouts wait, a few tries an hour each, and all are paid soon after', async (_, reaction, profile) => {
    const orders = names(lengthOf({ short: 12, long: 200 }));
    const world = storyWorld({ profile });
    for (const orderId of orders) world.gateway.answers(orderId, ...often(reaction));
    const messages = orders.map((orderId) => world.send(aPayoutJob({ orderId })));
    await world.pass(1 * hours);
    expect([orders.flatMap((orderId) => world.results(orderId)), world.deadLetters()]).toEqual([[], []]);
    expect(Math.max(...messages.map(({ id }) => world.work(id).length))).toBeLessThanOrEqual(12);
    // A closed lane is tried by probes alone.
    expect(posts(world, orders)).toBeLessThanOrEqual(10 + 40);
    const before = posts(world, orders);
    takes(world, orders);
    await world.pass(75 * minutes);
    expect([accepted(world, orders), posts(world, orders) - before]).toEqual([orders.length, orders.length]);
  });

  // Each order that was refused had waited for its own look, of which each one that was refused made the next one later.
  it('that refuses the key of orders and questions: what it refused once leaves soon after the key is mended, as the others', async () => {
    const orders = names(lengthOf({ short: 30, long: 100 }));
    const world = storyWorld({ profile: { statusInquiry: true } });
    for (const orderId of orders) {
      world.gateway.answers(orderId, '401');
      world.gateway.desk(orderId, () => http(401, 'bad signature'));
      world.send(aPayoutJob({ orderId }));
    }
    await world.pass(10 * minutes);
    const refused = orders.filter((orderId) => world.gateway.posts(orderId) > 0);
    for (const orderId of orders) world.gateway.desk(orderId, 'truth');
    takes(world, orders);
    await world.pass(150 * seconds);
    expect([refused.length > 3, accepted(world, orders)]).toEqual([true, orders.length]);
  });

  // Its wait grew with the age of its message: a quarter of an hour for each row that had been an hour in its line.
  it.each(['429', '401', 'cannot be reached'] as const)(
    'that answers one order of an hour-long line %s once: that order is paid within two minutes too',
    async (once) => {
      const world = storyWorld({ profile: { statusInquiry: true } });
      await world.person.pauses();
      world.send(aPayoutJob({ batchId: 'salaries' }));
      await world.pass(1 * hours);
      world.gateway.answers('INV-1', once);
      await world.person.resumes();
      await world.pass(2 * minutes);
      expect([world.last('INV-1')?.status, world.gateway.payments('INV-1').length]).toEqual(['accepted', 1]);
    },
  );

  it('that takes five a second and asks the others to slow down gets all of them, once each', async () => {
    const orders = names(lengthOf({ short: 60, long: 500 }));
    const world = storyWorld();
    const takenAt = new Map<number, number>();
    const limited = (): Next => ({
      as: 'taken',
      takesIf: () => {
        const second = Math.floor(world.nowMs() / 1000);
        takenAt.set(second, (takenAt.get(second) ?? 0) + 1);
        return (takenAt.get(second) ?? 0) <= 5;
      },
      otherwise: () => http(429, 'slow down'),
    });
    for (const orderId of orders) world.gateway.answers(orderId, ...Array.from({ length: 40 }, limited));
    for (const orderId of orders) world.send(aPayoutJob({ orderId }));
    await world.pass(6 * hours);
    expect([accepted(world, orders), orders.filter((orderId) => world.gateway.payments(orderId).length !== 1)]).toEqual(
      [orders.length, []],
    );
  });

  it('that refuses every order by one code stops after twenty, and the others wait for a person', async () => {
    const orders = names(40);
    const world = storyWorld();
    for (const orderId of orders) world.gateway.answers(orderId, 'refuses the order');
    const messages = orders.map((orderId) => world.send(aPayoutJob({ orderId })));
    await world.pass(2 * hours);
    expect(orders.filter((orderId) => world.last(orderId)?.status === 'declined')).toHaveLength(20);
    expect(messages.filter((message) => world.whereIs(message) === 'queue')).toHaveLength(20);
  });
});

describe('a file at a gateway that takes five a second', () => {
  const rows = names(lengthOf({ short: 100, long: 300 }));
  it('waits in its line at the cost of one delivery a row, and goes at that pace, urgent jobs first', async () => {
    const world = storyWorld({ profile: { ratePerSecond: 5 } });
    await world.person.pauses();
    const messages = rows.map((orderId) => world.send(aPayoutJob({ orderId, batchId: 'salaries' })));
    world.send(aPayoutJob({ orderId: 'URGENT' }));
    await world.pass(10 * minutes);
    await world.person.resumes();
    await world.pass(1 * minutes + (rows.length / 5) * seconds);
    const times = rows.map((orderId) => world.gateway.book(orderId)[0]?.atMs ?? Infinity).toSorted((a, b) => a - b);
    expect([times.at(-1), posts(world, rows)]).not.toContain(Infinity);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual((rows.length / 5 - 2) * seconds);
    expect(world.gateway.book('URGENT')[0]?.atMs).toBeLessThanOrEqual(times[1] ?? 0);
    expect(Math.max(...messages.map(({ id }) => world.work(id).length))).toBe(1);
  });

  it.each<[what: string, happens: (world: StoryWorld) => void]>([
    ['the references to its jobs are lost', ({ referencesAreLost }) => referencesAreLost()],
    ['its queues are away for a minute', ({ queuesAwayFor }) => queuesAwayFor(1 * minutes)],
    ['a worker dies over it', ({ workerDies }) => workerDies('before the POST')],
    ['its merchant has no secret for a minute', ({ secretsAwayFor }) => secretsAwayFor(1 * minutes)],
  ])('is paid to its end, once, although %s', async (_, happens) => {
    const world = storyWorld({ profile: { ratePerSecond: 5 } });
    await world.person.pauses();
    for (const orderId of rows) world.send(aPayoutJob({ orderId, batchId: 'salaries' }));
    await world.pass(5 * minutes);
    await world.person.resumes();
    await world.pass(65 * seconds);
    happens(world);
    await world.pass(30 * minutes);
    // The order of a worker that died is for a person.
    expect(accepted(world, rows)).toBeGreaterThanOrEqual(rows.length - 1);
    expect(posts(world, rows)).toBe(accepted(world, rows));
  });

  it('whose lane was closed begins within seconds of the probe that opens it', async () => {
    const world = storyWorld();
    for (const orderId of rows) world.gateway.answers(orderId, ...often('cannot be reached'));
    for (const orderId of rows) world.send(aPayoutJob({ orderId }));
    await world.pass(1 * minutes);
    takes(world, rows);
    await world.pass(121 * seconds);
    expect(posts(world, rows)).toBeGreaterThan(0);
    await world.pass(2 * minutes);
    expect(accepted(world, rows)).toBe(rows.length);
  });

  it('whose rows are over, or called off, while its merchant is paused ends all the same', async () => {
    const world = storyWorld();
    await world.person.pauses();
    await world.uploads('b-1', [aPayoutJob({ orderId: 'ROW' })]);
    world.send(aPayoutJob({ expiresAt: at(world, 10 * minutes) }));
    await world.pass(1 * minutes);
    await world.person.callsOffBatch('b-1');
    await world.pass(2 * hours);
    expect([world.last('ROW')?.status, world.last('INV-1')?.status]).toEqual(['cancelled', 'failed']);
    expect(posts(world, ['ROW', 'INV-1'])).toBe(0);
  });
});

// D2: an expired message of an order for which another message waits ends itself, not the order.

/** How many payments there are, and what was told last. */
async function expiredBeside(how: 'unseen' | 'tried') {
  // given
  const world = storyWorld();
  if (how === 'tried') world.gateway.answers('INV-1', 'cannot be reached', 'cannot be reached');
  else await world.person.pauses();
  const waiting = world.send(aPayoutJob());
  await world.pass(2 * seconds);
  await world.person.pauses();
  expect(world.whereIs(waiting)).toBe('queue');
  // when
  const expiresAt = new Date(world.nowMs() - 1 * minutes).toISOString();
  world.send(aPayoutJob({ expiresAt }));
  await world.pass(5 * minutes);
  await world.person.resumes();
  await world.pass(1 * days);
  return [world.gateway.payments('INV-1').length, world.last('INV-1')?.status];
}

it.each(['unseen', 'tried'] as const)('the order of a message that waits %s behind a pause is paid', async (how) => {
  expect(await expiredBeside(how)).toEqual([1, 'accepted']);
});

// D3: tried once, then its merchant is paused for longer than any job waits: the order ends, and its batch is told.

it('what reached its longest wait has ended, its batch is told, and it may be sent again by name', async () => {
  // given
  const world = storyWorld();
  world.gateway.answers('INV-1', 'cannot be reached', 'cannot be reached');
  const [row] = await world.uploads('payroll', [aPayoutJob()]);
  if (!row) throw new Error('there is one row');
  await world.pass(2 * seconds);
  await world.person.pauses();
  // when
  await world.pass(16 * days);
  // then
  expect(world.last('INV-1')).toMatchObject({ status: 'failed', final: true, failure: { code: 'WAITED_TOO_LONG' } });
  expect(world.batchResults('payroll')).toMatchObject([{ status: 'closed', final: true }]);
  expect(world.whereIs(row)).toBe('dead letter');
  await world.person.resumes();
  expect(await world.person.redrives('INV-1')).toBe(1);
  await world.pass(1 * days);
  expect(world.gateway.payments('INV-1')).toHaveLength(1);
});

longIt('the message of an undecided order is a dead letter, and the order still waits for a person', async () => {
  // given
  const world = storyWorld();
  world.gateway.answers('INV-1', 'silent');
  const message = world.send(aPayoutJob());
  await world.pass(13 * days);
  expect(world.whereIs(message)).toBe('queue');
  // when
  await world.pass(3 * days);
  // then
  expect(world.deadLetters()).toMatchObject([{ code: 'HELD_UNPROVEN' }]);
  expect(world.last('INV-1')?.status).toBe('held');
  expect(await world.person.redrives('INV-1')).toBe(1);
  await world.pass(1 * days);
  expect(world.gateway.posts('INV-1')).toBe(1);
});

// From the review: a worker dies between its claim and its POST. The order ends unpaid, and its job is still there to be sent.

it.each([
  ['the gateway denies it over the quiet period', { statusInquiry: true, resubmitUnknownOrders: true }],
  ['the gateway cannot be asked, and a person says not paid', {}],
])('if %s, its job is a dead letter, and a person puts it back', async (_, profile) => {
  const world = storyWorld({ profile });
  world.workerDies('before the POST');
  const message = world.send(aPayoutJob());
  await world.pass(1 * days);
  if (!('statusInquiry' in profile)) await world.person.decides('INV-1', 'not-paid');
  await world.pass(1 * hours);
  expect([world.last('INV-1')?.status, world.whereIs(message)]).toEqual(['failed', 'dead letter']);
  expect(await world.person.redrives('INV-1')).toBe(1);
  await world.pass(1 * hours);
  expect([world.gateway.posts('INV-1'), world.last('INV-1')?.status]).toEqual([1, 'accepted']);
});

it('a message that reaches its longest wait leaves its order to a younger one that waits too', async () => {
  const world = storyWorld();
  await world.person.pauses();
  const old = world.send(aPayoutJob());
  await world.pass(10 * days);
  world.send(aPayoutJob({ context: { copy: 'young' } }));
  await world.pass(5 * days);
  expect(world.told(old)).toMatchObject([{ status: 'rejected', failure: { code: 'WAITED_TOO_LONG' } }]);
  expect(world.whereIs(old)).toBe('dead letter');
  await world.person.resumes();
  await world.pass(1 * hours);
  expect([world.gateway.posts('INV-1'), world.last('INV-1')?.status]).toEqual([1, 'accepted']);
});

it('a message that reaches its longest wait before its turn leaves its order to a younger one too', async () => {
  const world = storyWorld({ lanes: 'open' });
  world.gateway.answers('INV-1', 'cannot be reached');
  const old = world.send(aPayoutJob());
  await world.pass(1 * seconds);
  await world.person.pauses();
  await world.pass(10 * days);
  world.send(aPayoutJob({ notBefore: new Date(world.nowMs() + 5 * days).toISOString() }));
  await world.pass(4 * days - 2 * seconds);
  await world.person.resumes();
  await world.pass(2 * days);
  expect([world.gateway.posts('INV-1'), world.last('INV-1')?.status]).toEqual([1, 'accepted']);
  expect(world.whereIs(old)).toBe('dead letter');
});
