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
  /**
   * How it counts: by the second; by the minute; the last second; a bucket that holds ten seconds, or three requests; those
   * under way, each of which takes 200 ms; not at all, it only becomes slower.
   */
  readonly counts?: 'minute' | 'sliding' | 'bucket' | 'leaky' | 'under way' | 'slowness';
  /** The part of the limit that another caller of the same account uses, now more, now less. */
  readonly others?: number;
  /** What it answers in place of 429 where it is too much. */
  readonly tooMuchSays?: 'credentials' | 'empty';
  /** Retry-After of its 429. */
  readonly retryAfterSeconds?: number;
  /** 503 in place of 429. */
  readonly isBusy?: true;
  /** What it answers instead. */
  readonly says?: Exclude<Reply, 'accepted' | 'slow-down'>;
}

/** A reply with what its headers say. */
export interface Answer {
  readonly reply: Reply;
  readonly retryAfterSeconds?: number | undefined;
  readonly isBusy?: true;
}

/** A gateway, and what came to it. */
export interface Gateway {
  post(): Promise<Answer>;
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

const underWayMs = 200;

/** A gateway of these spells. */
export function createGateway(timeline: Timeline, spells: readonly Spell[], chance: () => number): Gateway {
  const beganMs = timeline.nowMs();
  const requests: { atMs: number; reply: Reply }[] = [];
  let window = -1;
  let taken = 0;
  let tokens = Infinity;
  let lastMs = 0;
  let freeMs = 0;
  let lately: number[] = [];
  let underWay = 0;

  /** A bucket of so many tokens, filled again by the second. */
  function isEmpty(perSecond: number, holds: number, atMs: number): boolean {
    tokens = Math.min(tokens + ((atMs - lastMs) / 1000) * perSecond, Math.max(holds, 1));
    lastMs = atMs;
    if (tokens < 1) return true;
    tokens -= 1;
    return false;
  }

  function isTooMuch({ perSecond, counts, others = 0 }: Spell, atMs: number): boolean {
    if (counts === 'slowness') return false;
    if (counts === 'bucket') return isEmpty(perSecond, perSecond * 10, atMs);
    if (counts === 'leaky') return isEmpty(perSecond, 3, atMs);
    if (counts === 'under way') return underWay >= perSecond * (underWayMs / 1000);
    if (counts === 'sliding') {
      lately = lately.filter((it) => it > atMs - 1_000);
      if (lately.length >= perSecond) return true;
      lately.push(atMs);
      return false;
    }
    const windowMs = counts === 'minute' ? 60_000 : Math.max(1_000, 1_000 / perSecond);
    const now = Math.floor(atMs / windowMs);
    if (now !== window) [window, taken] = [now, others && Math.round(perSecond * others * (0.7 + 0.6 * chance()))];
    taken += 1;
    return taken > Math.round((perSecond * windowMs) / 1000);
  }

  function answerNow(atMs: number): Answer & { readonly afterMs: number } {
    const spell = spells.findLast(({ fromMs }) => fromMs <= atMs) ?? { fromMs: 0, perSecond: 1 };
    const reply = spell.says ?? (isTooMuch(spell, atMs) ? 'slow-down' : 'accepted');
    let afterMs = tookMs[reply] * (0.8 + 0.4 * chance());
    if (spell.counts === 'slowness') {
      freeMs = Math.max(freeMs, atMs) + 1000 / spell.perSecond;
      afterMs += freeMs - atMs;
    }
    if (spell.counts === 'under way' && reply === 'accepted') {
      afterMs = underWayMs * (0.9 + 0.2 * chance());
      underWay += 1;
      timeline.after(afterMs, () => void (underWay -= 1));
    }
    if (reply !== 'slow-down') return { reply, afterMs };
    if (spell.tooMuchSays === 'credentials') return { reply: 'credentials', afterMs };
    if (spell.tooMuchSays === 'empty') return { reply: 'no-answer', afterMs };
    if (spell.isBusy) return { reply: 'server-error', isBusy: true, afterMs };
    return { reply, retryAfterSeconds: spell.retryAfterSeconds, afterMs };
  }

  return {
    requests,
    spells,
    post: () =>
      new Promise((resolve) => {
        const atMs = timeline.nowMs() - beganMs;
        const answer = answerNow(atMs);
        requests.push({ atMs, reply: answer.reply });
        timeline.after(answer.afterMs, () => resolve(answer));
      }),
  };
}
