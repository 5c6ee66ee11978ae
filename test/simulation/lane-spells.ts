// The spells of a gateway that meet all requests for a while: it takes so many a second, closes its port, refuses the key, refuses
// the account. Each is a mood of every POST that comes meanwhile; a limit refuses the excess of a second.
import { type Mood, moods } from './gateway-moods.ts';

/** One spell; times are those of the timeline. */
export interface Spell {
  readonly kind: 'limit' | 'port closed' | 'key refused' | 'account refused';
  readonly fromMs: number;
  readonly toMs: number;
  /** The rate of a limit. */
  readonly perSecond: number;
  /** The Retry-After of a limit's 429. */
  readonly retryAfterSeconds?: number;
}

const trouble = {
  'port closed': moods['refuses the connection'],
  'key refused': moods['refuses the signature'],
  'account refused': moods['has no gate open for the account'],
} as const satisfies Record<Exclude<Spell['kind'], 'limit'>, Mood>;

const slowDown = (retryAfterSeconds: number | undefined): Mood => ({
  ...moods['asks to slow down'],
  evidence: () => ({
    kind: 'answer',
    httpStatus: 429,
    body: 'slow down',
    framing: 'delimited',
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  }),
});

/** The spell at this moment. */
function spellAt(spells: readonly Spell[], atMs: number): Spell | undefined {
  return spells.find(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs);
}

/** A gateway with these spells; seconds are counted as fixed windows do. */
export function moodsOf(spells: readonly Spell[]): (atMs: number) => Mood {
  let second = -1;
  let taken = 0;
  return (atMs) => {
    const spell = spellAt(spells, atMs);
    if (!spell) return moods.accepts;
    if (spell.kind !== 'limit') return trouble[spell.kind];
    const now = Math.floor(atMs / 1000);
    if (now !== second) [second, taken] = [now, 0];
    taken += 1;
    return taken > spell.perSecond ? slowDown(spell.retryAfterSeconds) : moods.accepts;
  };
}
