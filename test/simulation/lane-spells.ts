// What a gateway may do to all that come to it for a while: take so many a second, close its port, refuse the key, refuse
// the account. Each is a mood of every POST that comes meanwhile; a limit refuses what is too much in a second.
import { type Mood, moods } from './gateway-moods.ts';

/** One spell; times are those of the timeline. */
export interface Spell {
  readonly kind: 'limit' | 'port closed' | 'key refused' | 'account refused';
  readonly fromMs: number;
  readonly toMs: number;
  /** Of a limit. */
  readonly perSecond: number;
  /** Of a limit: what its 429 says of when to come again. */
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
