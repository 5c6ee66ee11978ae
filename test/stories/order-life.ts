// One order's life drawn by chance, lived in a story's world, and judged from outside. The same seed is the same life.
import { aPayoutJob } from '../support/jobs.ts';
import { createSeededRandom } from '../support/time-and-chance.ts';
import type { Reaction } from './gateway.ts';
import { days, hours, type Message, minutes, seconds, storyWorld, type StoryWorld, type TableAt } from './harness.ts';

/** What a life may show that must never be. */
export const breaches = {
  'paid twice': 'two payments at the gateway, with no person and no resending by name in between',
  'sent without a word': 'a POST after held, in doubt, failed or declined was told, with no consent since',
  'sent though cancelled': 'a POST after the cancellation was taken',
  'told unpaid though paid': 'declined, failed or cancelled is the last word, and money moved',
  'told paid though not': 'accepted or approved was told of what the gateway never took',
  'a message lost': 'neither a result nor a place where it is kept',
  'told otherwise': 'two contents under one result id',
} as const;

/** One of these. */
export type Breach = keyof typeof breaches;

const orderId = 'INV-1';

/** What goes on while a POST is under way. */
type During = 'nothing' | 'the ledger goes away' | 'the gateway calls back' | 'a copy comes';

/** A step; `x` and `y` in [0, 1) say how. */
interface Step {
  readonly does: StepName;
  readonly x: number;
  readonly y: number;
  readonly waitMs: number;
}

/** A life before it is lived: a plain value, so that it can be made shorter. */
export interface Life {
  readonly seed: number;
  readonly inquiry: boolean;
  readonly resubmits: boolean;
  readonly reactions: readonly { readonly as: Reaction; readonly during: During }[];
  readonly steps: readonly Step[];
}

/** A life as it is lived. */
interface Lived extends Life {
  readonly world: StoryWorld;
  readonly messages: Message[];
  readonly calls: { readonly status: string; readonly n: number }[];
  readonly tables: TableAt[];
  /** A person or a sender has agreed, since the last result that kept it back, that it is sent again. */
  agreed: boolean;
  /** It was cancelled, and the tool said that it was. */
  cancelled: boolean;
  /** A person said not paid although a payment lived, and it was sent again by name after that: twice is that person's. */
  erred: 'no' | 'said' | 'sent again';
  /** After a restore: what had been published was put back. */
  resultsAreBack: boolean;
}

type Play = (life: Lived, x: number, y: number) => Promise<unknown> | void;

const pick = <T>(from: readonly T[], x: number): T | undefined => from[Math.floor(x * from.length)];

async function callBack({ world, calls }: Lived, n: number): Promise<void> {
  const booking = world.gateway.book(orderId)[n - 1];
  if (!booking) return;
  calls.push({ status: booking.status, n });
  await world.callback(orderId, booking.status, { n });
}

/** The person on the telephone says the truth, but for one in ten. */
async function saysNotPaid(life: Lived, x: number): Promise<void> {
  const { world } = life;
  const before = life.erred;
  const errs = world.gateway.payments(orderId).length > 0;
  if (errs && x > 0.1) return;
  const how = { clockOffsetMs: Math.round((x * 10 - 0.5) * 10) * minutes };
  if (errs) life.erred = 'said';
  if ((await world.person.decides(orderId, 'not-paid', how)) === 'refused') life.erred = before;
}

const steps = {
  'a copy is sent': (life) => void life.messages.push(life.world.send(aPayoutJob())),
  'a twin comes late': (life, x, y) => {
    const message = pick(life.messages, x);
    if (message) life.messages.push(life.world.twinOf(message, { comesInMs: y * 3 * hours }));
  },
  'a message is delivered again': ({ world, messages }, x) => {
    const message = pick(messages, x);
    if (message) world.redeliver(message);
  },
  'answers come again': ({ world }) => world.answersComeAgain(orderId),
  'answers come late': ({ world }, x) => world.answersComeLateBy(x * 2 * hours),
  'an order ends at the gateway': ({ world }, x, y) => {
    const book = world.gateway.book(orderId);
    const n = Math.floor(x * book.length) + 1;
    const booking = book[n - 1];
    if (!booking || booking.status !== 'processing') return;
    world.gateway.ends(orderId, y < 0.6 ? 'approved' : 'declined', n);
  },
  'the gateway calls back': (life, x) => callBack(life, Math.floor(x * life.world.gateway.book(orderId).length) + 1),
  'a callback comes again': async ({ world, calls }, x) => {
    const call = pick(calls, x);
    if (call) await world.callback(orderId, call.status, { n: call.n });
  },
  'a person says not paid': saysNotPaid,
  'a person says paid': async ({ world }) => {
    const isPaid = world.gateway.payments(orderId).some(({ status }) => status === 'approved');
    if (isPaid) await world.person.decides(orderId, 'paid');
  },
  'a person cancels': async (life) => {
    const how = await life.world.person.decides(orderId, 'cancel');
    if (how === 'done' || how === 'beforehand') life.cancelled = true;
  },
  'it is sent again by name': (life, x) => {
    const message = pick(life.messages, x);
    if (!message) return;
    life.messages.push(life.world.sendAgain(message));
    life.agreed = true;
    if (life.erred === 'said') life.erred = 'sent again';
  },
  'dead letters are redriven': async (life) => {
    if ((await life.world.person.redrives(orderId)) === 0) return;
    life.agreed = true;
    if (life.erred === 'said') life.erred = 'sent again';
  },
  'dead letters are discarded': async ({ world }) => world.person.discards(orderId),
  'an expired message comes': (life, x) => {
    const expiresAt = new Date(life.world.nowMs() + x * 10 * minutes).toISOString();
    life.messages.push(life.world.send(aPayoutJob({ expiresAt }), { comesInMs: 11 * minutes }));
  },
  'another batch is called off': async (life) => {
    const batchId = `other-${life.messages.length}`;
    life.messages.push(...(await life.world.uploads(batchId, [aPayoutJob()])));
    await life.world.person.callsOffBatch(batchId);
  },
  'the ledger is away': ({ world }, x) => world.ledgerAwayFor(x * 10 * minutes),
  'the ledger loses answers': ({ world }, x) => world.ledgerAwayFor(x * 3 * minutes, 'answers lost'),
  'queues are away': ({ world }, x) => world.queuesAwayFor(x * 10 * minutes),
  'results are away': ({ world }, x) => world.resultsAwayFor(x * 10 * minutes),
  'a worker dies': ({ world }, x) => world.workerDies(x < 0.5 ? 'before the POST' : 'after the POST'),
  'the merchant is paused': ({ world }) => world.person.pauses(),
  'the merchant is resumed': ({ world }) => world.person.resumes(),
  'the table is restored': async (life, x, y) => {
    const table = pick(life.tables, x);
    if (!table || y > 0.3) return;
    life.world.ledgerAwayFor(0);
    life.world.ledgerAwayFor(0, 'answers lost');
    life.resultsAreBack = y < 0.2;
    await life.world.restoreTableTo(table, { resultsPutBack: life.resultsAreBack });
    life.cancelled = false;
  },
  'a sender plays the worker': (life) => {
    const outcome = { kind: 'accepted', gatewayOrderId: '777' };
    const answer = JSON.stringify({ owner: 'me', attempts: 1, statusInquiry: life.inquiry, outcome });
    life.messages.push(life.world.send(aPayoutJob(), { attributes: { answer, sentAtMs: '4102444800000' } }));
  },
} as const satisfies Record<string, Play>;

type StepName = keyof typeof steps;

/** What matters most to money comes more often. */
const often: readonly StepName[] = [
  'a copy is sent',
  'a twin comes late',
  'a message is delivered again',
  'answers come again',
  'answers come late',
  'the gateway calls back',
  'a person says not paid',
  'it is sent again by name',
  'the ledger is away',
];
const stepNames = [...(Object.keys(steps) as StepName[]), ...often, ...often];
const duringNames: readonly During[] = ['nothing', 'the ledger goes away', 'the gateway calls back', 'a copy comes'];
/** Where the account can be asked, or says itself that the status is doubtful, a refusal may come though it was taken. */
const reactionNames: readonly Reaction[] = [
  'taken',
  '401 though taken',
  '403 though taken',
  '429 though taken',
  'silent though taken',
  'silent though taken',
  '401',
  '403',
  '429',
  'silent',
  'cannot be reached',
  'refuses the order',
];

/** The life of this seed. */
export function lifeOf(seed: number): Life {
  const { chance } = createSeededRandom(seed * 7_919 + 1);
  const inquiry = chance() < 0.6;
  const resubmits = inquiry && chance() < 0.5;
  const waits = [1 * seconds, 30 * seconds, 3 * minutes, 20 * minutes, 2 * hours, 1 * days];
  return {
    seed,
    inquiry,
    resubmits,
    reactions: Array.from({ length: 6 }, () => ({
      as: pick(reactionNames, chance()) ?? 'taken',
      during: pick(duringNames, chance()) ?? 'nothing',
    })),
    steps: Array.from({ length: 6 + Math.floor(chance() * 9) }, () => ({
      does: pick(stepNames, chance()) ?? 'a copy is sent',
      x: chance(),
      y: chance(),
      waitMs: pick(waits, chance()) ?? 0,
    })),
  };
}

/** What a life has shown; empty where all is well. */
export async function live(life: Life): Promise<ReadonlySet<Breach>> {
  const { inquiry, resubmits } = life;
  const profile = {
    statusInquiry: inquiry,
    resubmitUnknownOrders: resubmits,
    // The gateway cannot be asked: the contract says which refusals prove nothing.
    ...(!inquiry && { doubtfulHttpStatuses: [401, 403, 429] }),
  };
  const world = storyWorld({ profile });
  const lived: Lived = {
    ...life,
    world,
    messages: [],
    calls: [],
    tables: [world.tableNow()],
    agreed: false,
    cancelled: false,
    erred: 'no',
    resultsAreBack: false,
  };
  prepare(lived);
  const found = new Set<Breach>();
  lived.messages.push(world.send(aPayoutJob()));
  await watched(lived, found, async () => world.pass(10 * seconds));
  for (const { does, x, y, waitMs } of life.steps) {
    await watched(lived, found, async () => {
      await played(steps[does](lived, x, y));
      await world.pass(waitMs);
    });
    lived.tables.push(world.tableNow());
  }
  await watched(lived, found, async () => comesToRest(lived));
  judge(lived, found);
  return found;
}

/** A person who runs a tool while the table is away hears so, and leaves it at that. */
async function played(step: ReturnType<Play>): Promise<void> {
  try {
    await step;
  } catch (error) {
    if (!String(error).includes('did not answer')) throw error;
  }
}

function prepare(lived: Lived): void {
  const { world, reactions } = lived;
  const meanwhile: Readonly<Record<During, () => Promise<unknown> | void>> = {
    nothing: () => {},
    'the ledger goes away': () => world.ledgerAwayFor(5 * minutes),
    'the gateway calls back': async () => {
      const n = world.gateway.book(orderId).length;
      const booking = world.gateway.book(orderId)[n - 1];
      if (!booking) return;
      world.gateway.ends(orderId, 'approved', n);
      await callBack(lived, n);
    },
    'a copy comes': () => void lived.messages.push(world.send(aPayoutJob())),
  };
  world.gateway.answers(
    orderId,
    ...reactions.map(({ as, during }) => ({ as, meanwhile: async () => void (await meanwhile[during]()) })),
  );
}

const keptBack: ReadonlySet<string> = new Set(['held', 'in-doubt', 'failed', 'declined']);

/** One step; what was told before it must hold in it. */
async function watched(lived: Lived, found: Set<Breach>, step: () => Promise<unknown>): Promise<void> {
  const { world } = lived;
  const [before, posts, cancelled] = [world.last(orderId), world.gateway.posts(orderId), lived.cancelled];
  if (!keptBack.has(before?.status ?? '')) lived.agreed = false;
  await step();
  if (world.gateway.posts(orderId) === posts) return;
  if (cancelled && lived.cancelled) found.add('sent though cancelled');
  if (keptBack.has(before?.status ?? '') && !lived.agreed) found.add('sent without a word');
}

/** Every outage is over, the gateway ends what it has and says so as often as it does, and days go by. */
async function comesToRest(lived: Lived): Promise<void> {
  const { world } = lived;
  world.answersComeLateBy(0);
  await world.person.resumes();
  await world.pass(3 * hours);
  for (const [place, booking] of world.gateway.book(orderId).entries()) {
    if (booking.status !== 'processing') continue;
    world.gateway.ends(orderId, 'approved', place + 1);
  }
  for (const ms of [1 * hours, 1 * days, 2 * days]) {
    for (let n = 1; n <= world.gateway.book(orderId).length; n += 1) await callBack(lived, n);
    await world.pass(ms);
  }
}

function judge({ world, messages, erred }: Lived, found: Set<Breach>): void {
  const payments = world.gateway.payments(orderId);
  const [last, results] = [world.last(orderId), world.results(orderId)];
  if (payments.length > 1 && erred !== 'sent again') found.add('paid twice');
  if (payments.length > 0 && ['declined', 'failed', 'cancelled'].includes(last?.status ?? ''))
    found.add('told unpaid though paid');
  for (const { status, operation = '' } of results) {
    const isTaken = world.gateway.book(orderId).some((it) => it.operation === operation);
    if ((status === 'accepted' || status === 'approved') && !isTaken) found.add('told paid though not');
  }
  for (const message of messages) {
    const hasEnded = results.length > 0 || world.told(message).length > 0;
    if (!hasEnded && world.whereIs(message) === 'gone') found.add('a message lost');
  }
  if (world.retold().length > 0) found.add('told otherwise');
}

/** The shortest life that still shows the breach: step by step is left out, and what need not go wrong goes well. */
export async function shortened(life: Life, breach: Breach): Promise<Life> {
  let best = life;
  const stillShows = async (it: Life) => (await live(it).catch(() => new Set<Breach>())).has(breach);
  const tryOut = async (it: Life) => {
    if (await stillShows(it)) best = it;
  };
  for (let place = life.steps.length - 1; place >= 0; place -= 1)
    await tryOut({ ...best, steps: best.steps.filter((_, at) => at !== place) });
  for (let place = best.reactions.length - 1; place >= 0; place -= 1) {
    const well = { as: 'taken', during: 'nothing' } as const;
    await tryOut({ ...best, reactions: best.reactions.map((it, at) => (at === place ? well : it)) });
    const alone = best.reactions.map((it, at) => (at === place ? { ...it, during: 'nothing' as const } : it));
    await tryOut({ ...best, reactions: alone });
  }
  return best;
}

/** A life as a person reads it. */
export function told({ inquiry, resubmits, reactions, steps: these }: Life): string {
  const profile = [inquiry && 'inquiry', resubmits && 'resubmits'].filter(Boolean).join(', ');
  const posts = reactions.map(({ as, during }) => (during === 'nothing' ? as : `${as} (${during})`));
  const well = posts.findLastIndex((it) => it !== 'taken') + 1;
  const lines = these.map(({ does, x, y, waitMs }) => {
    const how = [x, y].map((it) => it.toFixed(3)).join(' ');
    return `  ${does} (${how}), then ${Math.round(waitMs / seconds)} s`;
  });
  return [`profile: ${profile || 'none'}; POSTs: ${posts.slice(0, well).join(' · ') || 'all taken'}`, ...lines].join(
    '\n',
  );
}
