// Weather by seed. Each world has its own climate: some are nearly fair, some are storms, some fail in one way only, as
// faults of one kind in a row reach states that evenly mixed ones hardly ever do.
import type { Chance } from './chance.ts';
import { allInquiries, inquiries, type LookMood } from './gateway-looks.ts';
import type { Fate } from './gateway-book.ts';
import { allMoods, moods, type Mood, type Post } from './gateway-moods.ts';
import {
  fairWeather,
  type AheadFault,
  type CallbackPost,
  type CardKeyFault,
  type Cut,
  type Effect,
  type LedgerFault,
  type QueueFault,
  type Weather,
} from './weather.ts';

/** The length of the bad weather. */
export const stormLastsMs = 1_200_000;

/** The faults of one world, as probabilities. */
export interface Climate {
  readonly death: number;
  readonly freeze: number;
  readonly ledger: number;
  readonly queue: number;
  readonly secrets: number;
  readonly gateway: number;
  readonly duplicate: number;
  readonly slow: number;
  readonly newLayout: number;
}

const slowEffectsMs: Readonly<Partial<Record<Effect, number>>> = { POST: 15_000, connect: 4_500 };
const ledgerFaults = ['throttled', 'answer lost', 'found own write', 'lands late'] as const satisfies LedgerFault[];
const aheadFaults = ['refused', 'hangs', 'closed before use', 'closed unseen'] as const satisfies AheadFault[];
const cardKeyFaults = [
  'is left',
  'is left',
  'is left',
  'is forgotten',
  'is left by a sender who died',
  'is left, and goes',
] as const satisfies CardKeyFault[];
const freezesMs = [5_000, 60_000, 150_000, 1_000_000] as const;

/** A climate drawn from chance: each kind of fault is absent, rare or frequent, whatever the others are. */
export function drawClimate(chance: Chance): Climate {
  const often = (most: number) => chance.pick([0, 0, most / 8, most / 2, most]);
  return {
    death: often(0.08),
    freeze: often(0.04),
    ledger: often(0.5),
    queue: often(0.5),
    secrets: often(0.3),
    gateway: chance.pick([0.05, 0.3, 0.8]),
    duplicate: often(0.4),
    slow: often(0.2),
    newLayout: chance.pick([0.06, 0.25, 0.5]),
  };
}

/** A climate in which two kinds of fault happen at most, beside a gateway that is seldom out of humour. */
export function drawNarrowClimate(chance: Chance): Climate {
  const drawn = drawClimate(chance);
  const [one, other] = [chance.pick(kindsOfFault), chance.pick(kindsOfFault)];
  // A new layout is a fault only where two versions meet.
  return { ...clear, newLayout: drawn.newLayout, [one]: drawn[one], [other]: drawn[other] };
}

const clear = { death: 0, freeze: 0, ledger: 0, queue: 0, secrets: 0, gateway: 0.05, duplicate: 0, slow: 0 };
const kindsOfFault = Object.keys(clear) as [keyof typeof clear];

/** A gateway with a habit: a bug that takes two of the same kind in a row is hardly ever found one by one. */
export interface Habits {
  readonly look: LookMood;
  readonly mood: Mood;
}

/** One gateway in so many has a habit. */
const habitual = 0.25;

const drawHabits = (chance: Chance): Habits | 'none' =>
  chance.happens(habitual) ? { look: chance.pick(allInquiries), mood: chance.pick(allMoods) } : 'none';

/** Weather of this climate. */
export function createRandomWeather(
  chance: Chance,
  climate: Climate,
  habits: Habits | 'none' = drawHabits(chance),
): Weather {
  const habit = habits === 'none' ? undefined : habits;
  function cut(): Cut | undefined {
    if (chance.happens(climate.death)) return { kind: 'dies' };
    return chance.happens(climate.freeze) ? { kind: 'freezes', ms: chance.pick(freezesMs) } : undefined;
  }

  function queue(): QueueFault {
    if (!chance.happens(climate.queue)) return 'none';
    return chance.pick<QueueFault>(['down', 'answer lost', { refuses: [0] }, { refuses: [1, 3, 4] }]);
  }

  return {
    cut,
    queue,
    latencyMs(effect) {
      const usual = fairWeather.latencyMs(effect);
      return chance.happens(climate.slow)
        ? (slowEffectsMs[effect] ?? usual * 50)
        : Math.ceil(usual * (0.5 + chance.next()));
    },
    ledger: () => (chance.happens(climate.ledger) ? chance.pick(ledgerFaults) : 'none'),
    secretsDown: () => chance.happens(climate.secrets),
    cardKey: () => chance.pick(cardKeyFaults),
    ahead: () => (chance.happens(climate.gateway / 8) ? chance.pick(aheadFaults) : 'none'),
    fate: () => anyFate(chance),
    look: (): LookMood =>
      chance.happens(climate.gateway) ? (habit?.look ?? chance.pick(allInquiries)) : inquiries.answers,
    callback: () => anyCallback(chance),
    checkTwiceAfterMs: () => (chance.happens(climate.duplicate / 8) ? chance.between(0, 110_000) : undefined),
    checkLost: () => chance.happens(climate.queue / 2),
    sweep: () => (chance.happens(climate.queue) ? chance.pick(['is missed', 'overlaps'] as const) : 'runs'),
    mood: (post) =>
      chance.happens(climate.gateway) ? anyMood(post, habit?.mood ?? chance.pick(allMoods)) : moods.accepts,
    deliveredTwiceAfterMs: () => (chance.happens(climate.duplicate) ? chance.between(0, 110_000) : undefined),
    survivesDeletionForMs: () => (chance.happens(climate.duplicate / 2) ? chance.between(1, 600_000) : undefined),
    staleHandleWorks: () => chance.happens(0.5),
    newLayout: () => chance.happens(climate.newLayout),
    staleIndex: () => chance.happens(0.2),
    loopStops: () => chance.happens(climate.queue / 3),
    nextOf: (messages) => Math.floor(chance.next() * messages),
    jitter: chance.next,
  };
}

/** What of AWS is out at once. */
export type Outage = 'tables' | 'queues' | 'secrets' | 'all';

/** Weather in which a part of AWS refuses every call while it is out. */
export const withOutage = (weather: Weather, what: Outage, isOut: () => boolean): Weather => {
  const isOutOf = (part: Outage) => (what === part || what === 'all') && isOut();
  return {
    ...weather,
    ledger: (effect) => (isOutOf('tables') ? 'throttled' : weather.ledger(effect)),
    queue: (effect) => (isOutOf('queues') ? 'down' : weather.queue(effect)),
    secretsDown: () => isOutOf('secrets') || weather.secretsDown(),
  };
};

/** Weather in which nothing goes wrong any more; only order and jitter are still chance. */
export function createCalm(chance: Chance): Weather {
  return { ...fairWeather, nextOf: (messages) => Math.floor(chance.next() * messages), jitter: chance.next };
}

const minuteMs = 60_000;
/** Longest time for which the gateway hides an order: within the quiet period by more than clocks may differ. */
const longestLagMs = 20 * minuteMs;

function anyFate(chance: Chance): Fate {
  const ends = chance.happens(0.8) ? 'approved' : chance.pick(['declined', 'filtered', 'error'] as const);
  const afterMs = chance.pick([0, 0, 3_000, 3_000, 3_000, 3_000, 20_000, 20_000, 90_000]);
  const isLong = chance.happens(0.03);
  const to = ends === 'approved' ? ('declined' as const) : ('approved' as const);
  return {
    ends,
    afterMs: isLong ? chance.pick([10 * minuteMs, 120 * minuteMs]) : afterMs,
    ...(chance.happens(0.04)
      ? { change: { to, afterMs: chance.pick([60 * minuteMs, 1_500 * minuteMs]) } }
      : ends === 'approved' && chance.happens(0.05) && { undone: anyUndoing(chance) }),
    ...(chance.happens(0.2) && { visibleAfterLeaseMs: chance.between(0, longestLagMs) }),
  };
}

const anyUndoing = (chance: Chance): NonNullable<Fate['undone']> => ({
  types: chance.pick([['reversal'], ['chargeback'], ['reversal', 'chargeback'], ['chargeback', 'reversal', 'dispute']]),
  afterMs: chance.pick([0, 10 * minuteMs, 100 * minuteMs]),
});

function anyCallback(chance: Chance): CallbackPost {
  return {
    // Some come when the order has long changed once more.
    delayMs: chance.happens(0.06)
      ? chance.pick([90 * minuteMs, 1_600 * minuteMs])
      : chance.pick([0, 200, 5_000, minuteMs]),
    ...(chance.happens(0.2) && { againAfterMs: chance.between(0, 10 * minuteMs) }),
    ...(chance.happens(0.2) && {
      // Few orders are of a merchant with an account of before.
      forged: chance.happens(0.5)
        ? 'elsewhere'
        : chance.pick([
            'control',
            'control',
            'amount',
            'amount',
            'cut',
            'cut',
            'attempt',
            'attempt',
            'amounts',
            'sale',
          ] as const),
    }),
  };
}

const withoutIdentity = new Set(['transfer', 'pan-eligibility']);

function anyMood(post: Post, mood: Mood): Mood {
  return mood.onlyWithoutIdentity && !withoutIdentity.has(post.operation) ? moods.accepts : mood;
}
