// Other kinds of gateway, by our lanes alone, each with few jobs: a quarter of an hour to learn it, five minutes to be judged.
import type { Benchmark, Bound, Measurement } from '../harness.ts';
import type { Gateway, Reply, Spell } from './gateways.ts';
import { ours } from './handlings.ts';
import { run, type Run } from './workers.ts';

const minutes = 60_000;

/** A bound where the limit is one a second at least, and constant, and said as a limit. */
const plain: Floors = { used: 0.85, refused: 0.02 };
interface Floors {
  readonly used: number;
  readonly refused: number;
}

interface Kind {
  readonly name: string;
  readonly spells: readonly [Omit<Spell, 'fromMs'>, ...Spell[]];
  readonly floors: Floors;
  /** From one minute to another; the faster, the sooner it is known, and the more jobs a minute takes. */
  readonly judged?: readonly [number, number];
  /** Merchants at one gateway. */
  readonly sharers?: number;
}

const kinds: readonly Kind[] = [
  { name: 'bucket', spells: [{ perSecond: 10, counts: 'bucket' }], floors: plain },
  { name: 'leaky', spells: [{ perSecond: 10, counts: 'leaky' }], floors: plain },
  { name: 'fixed', spells: [{ perSecond: 5 }], floors: plain },
  // Since the workers' time is the store's, a second behind at first, both are a little worse: 0.947 and 1.7 % before.
  { name: 'one', spells: [{ perSecond: 1 }], floors: { used: 0.85, refused: 0.025 } },
  { name: 'sliding', spells: [{ perSecond: 20, counts: 'sliding' }], floors: { used: 0.8, refused: 0.02 } },
  { name: 'under-way', spells: [{ perSecond: 25, counts: 'under way' }], floors: { used: 0.5, refused: 0.02 } },
  { name: 'fast', spells: [{ perSecond: 2_000 }], judged: [1, 1.5], floors: { used: 0.4, refused: 0.02 } },
  { name: 'minute', spells: [{ perSecond: 5, counts: 'minute' }], floors: { used: 0.8, refused: 0.06 } },
  {
    name: 'minute-retry-after',
    spells: [{ perSecond: 5, counts: 'minute', retryAfterSeconds: 20 }],
    floors: { used: 0.5, refused: 0.02 },
  },
  { name: 'retry-after', spells: [{ perSecond: 5, retryAfterSeconds: 1 }], floors: plain },
  {
    name: 'retry-after-absurd',
    spells: [{ perSecond: 5, retryAfterSeconds: 86_400 }],
    floors: { used: 0, refused: 0.02 },
  },
  { name: 'busy', spells: [{ perSecond: 10, isBusy: true }], floors: plain },
  { name: 'forbidden', spells: [{ perSecond: 10, tooMuchSays: 'credentials' }], floors: plain },
  { name: 'empty', spells: [{ perSecond: 10, tooMuchSays: 'empty' }], floors: plain },
  { name: 'slowness', spells: [{ perSecond: 20, counts: 'slowness' }], floors: plain },
  // 0.98 before.
  { name: 'slow', spells: [{ perSecond: 0.2 }], floors: { used: 0.78, refused: 0.1 } },
  { name: 'shared', spells: [{ perSecond: 30 }], sharers: 3, floors: plain },
  { name: 'others', spells: [{ perSecond: 20, others: 0.5 }], floors: { used: 0.65, refused: 0.02 } },
  { name: 'by-hour', spells: [{ perSecond: 20 }, { fromMs: 5 * minutes, perSecond: 5 }], floors: plain },
];

/** All of them. */
export const otherGateways: readonly Benchmark[] = kinds.map(otherGateway);

function otherGateway({ name, spells: [first, ...later], floors, sharers = 1, judged = [15, 20] }: Kind): Benchmark {
  const [fromMs, toMs] = [judged[0] * minutes, judged[1] * minutes];
  const spells = [{ fromMs: 0, ...first }, ...later];
  const perSecond = Math.max(...spells.map((it) => it.perSecond));
  const jobs = Math.ceil((perSecond * toMs * 1.3) / 1000 / sharers);
  const all = Array.from({ length: sharers }, (_, n) => ({
    name: n === 0 ? 'one' : `one-${n}`,
    jobs,
    spells,
    ...(n > 0 && { gatewayOf: 'one' }),
  }));
  const last: Omit<Spell, 'fromMs'> = spells.at(-1) ?? first;
  const limit = last.perSecond * (1 - (last.others ?? 0));
  const bounds: readonly Bound[] = [
    { kind: 'most', figure: 'doubts', most: 60 },
    { kind: 'least', figure: 'shareOfLimitUsed', least: floors.used },
    { kind: 'most', figure: 'shareRefused', most: floors.refused },
  ];
  return {
    name: `pace-gateway-${name}`,
    description: 'another kind of gateway, by our lanes alone; virtual time',
    run: async ({ seeds = 1 }): Promise<Measurement> => {
      const figures: Record<string, number>[] = [];
      for (let seed = 1; seed <= seeds; seed += 1)
        figures.push(figuresOfOther(await run(all, ours, toMs, seed), limit, fromMs, toMs));
      return { figures: worstOf(figures, bounds), bounds };
    },
  };
}

function figuresOfOther({ jobs, gateways }: Run, perSecond: number, fromMs: number, toMs: number) {
  const gateway = gateways.get('one');
  const count = (from: number, to: number, reply?: Reply) => (gateway ? between(gateway, from, to, reply) : 0);
  const sent = count(fromMs, toMs);
  const taken = count(fromMs, toMs, 'accepted');
  let most = 0;
  for (let atMs = fromMs; atMs < toMs - 10_000; atMs += 1_000) most = Math.max(most, count(atMs, atMs + 10_000));
  return {
    doubts: jobs.filter(({ end }) => end?.kind === 'doubt').length,
    shareOfLimitUsed: taken / ((perSecond * (toMs - fromMs)) / 1000),
    shareRefused: (sent - taken) / Math.max(sent, 1),
    mostOfLimitInTenSeconds: most / (perSecond * 10),
  };
}

/** Of each figure the worst that was seen: the least where it is bounded from below, the most otherwise. */
export function worstOf(all: readonly Record<string, number>[], bounds: readonly Bound[]): Record<string, number> {
  const least = new Set(bounds.filter(({ kind }) => kind === 'least').map(({ figure }) => figure));
  return all.reduce((worst, figures) =>
    Object.fromEntries(
      Object.entries(figures).map(([name, value]) => [
        name,
        (least.has(name) ? Math.min : Math.max)(value, worst[name] ?? value),
      ]),
    ),
  );
}

/** Requests of these times, all of them or those that were answered so. */
export function between({ requests }: Gateway, fromMs: number, toMs: number, reply?: Reply): number {
  return requests.filter((it) => it.atMs >= fromMs && it.atMs < toMs && (!reply || it.reply === reply)).length;
}
