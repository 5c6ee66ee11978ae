// Three gateways in virtual time: one whose limit steps, one that is away for ten minutes, one that refuses the key for
// five minutes and later the account. Each counts requests by the second, as fixed windows do, and remembers when they came.
import type { Timeline } from '../../simulation/timeline.ts';

/** What a request comes to, and when its sender knows. */
export type Reply =
  | 'accepted'
  | 'slow-down'
  | 'not-connected'
  | 'no-answer'
  | 'server-error'
  | 'credentials'
  | 'account';

/** One gateway's weather: from `fromMs` on it is like this. Times from the beginning. */
export interface Spell {
  readonly fromMs: number;
  /** Requests a second that it takes; the others are answered 429. */
  readonly perSecond: number;
  /** What it answers instead. */
  readonly says?: Exclude<Reply, 'accepted' | 'slow-down'>;
}

/** A gateway, and what came to it. */
export interface Gateway {
  post(): Promise<Reply>;
  /** When each request came, and what it was answered; ms from the beginning. */
  readonly requests: readonly { readonly atMs: number; readonly reply: Reply }[];
  readonly spells: readonly Spell[];
}

const tookMs: Readonly<Record<Reply, number>> = {
  accepted: 50,
  'slow-down': 20,
  'not-connected': 5,
  'no-answer': 20_000,
  'server-error': 50,
  credentials: 20,
  account: 40,
};

/** A gateway of these spells. */
export function createGateway(timeline: Timeline, spells: readonly Spell[], chance: () => number): Gateway {
  const beganMs = timeline.nowMs();
  const requests: { atMs: number; reply: Reply }[] = [];
  let second = -1;
  let taken = 0;

  function replyNow(atMs: number): Reply {
    const spell = spells.findLast(({ fromMs }) => fromMs <= atMs);
    if (!spell) return 'not-connected';
    if (spell.says) return spell.says;
    const now = Math.floor(atMs / 1000);
    if (now !== second) [second, taken] = [now, 0];
    taken += 1;
    return taken > spell.perSecond ? 'slow-down' : 'accepted';
  }

  return {
    requests,
    spells,
    post: () =>
      new Promise((resolve) => {
        const atMs = timeline.nowMs() - beganMs;
        const reply = replyNow(atMs);
        requests.push({ atMs, reply });
        timeline.after(tookMs[reply] * (0.8 + 0.4 * chance()), () => resolve(reply));
      }),
  };
}
