// The faults that a simulated world can do to the worker, by name: the counts of a run use them, and the facts
// of test/world refer to them. A weather is watched: each of its answers that is not fair weather's counts as one fault.
import type { LookMood } from './gateway-looks.ts';
import type { inquiries } from './gateway-looks.ts';
import type { Mood, moods } from './gateway-moods.ts';
import {
  type AheadFault,
  fairWeather,
  type CardKeyFault,
  type Forgery,
  type LedgerFault,
  type QueueFault,
  type Weather,
} from './weather.ts';

/** The faults that are no mood of the gateway. */
export const plainFaults = [
  'the process dies',
  'the process freezes',
  'a call takes long',
  'clocks differ',
  'an older version meets a newer layout',
  'an index shows what has moved on',
  'a ledger call is throttled',
  'a ledger call is done and its answer lost',
  'a ledger call meets its own write',
  'a ledger write lands late',
  'a queue is down',
  'a queue call is done and its answer lost',
  'a queue refuses some entries',
  'Secrets Manager is down',
  'AWS is out for hours',
  'a key is rotated',
  'an account moves to another host and login',
  'a profile changes',
  'the key of a CVV is not as its sender left it',
  'a message is delivered twice',
  'a deleted message comes again',
  'messages arrive out of order',
  'an old receipt handle works',
  'dead letters are redriven',
  "a message that goes round is taken away by Lambda's loop detection",
  'a check is delivered twice',
  'a check is lost',
  'the checks queue loses everything',
  'a sweep is missed',
  'a sweep overlaps another',
  'a callback comes late',
  'a callback comes twice',
  'a callback is forged',
  'a callback is cut anew',
  'a callback is about another attempt',
  'a callback is about an order of another account',
  'a callback is about a sale under the same id',
  'a callback is out of date',
  'a connection begun beside the claim is refused',
  'a connection begun beside the claim hangs',
  'a connection begun beside the claim is closed before its use',
  'a connection begun beside the claim is closed, and nobody sees it',
  'an order is hidden for a while',
  'an end comes late',
  'an end changes later',
  'a payment is undone later',
  'the ledger is restored to an earlier moment',
  'an ended order is cut down to what must not be forgotten',
  'a merchant is paused in the middle',
  'a batch is called off in the middle',
  'an order is called off in the middle',
  'an operator takes an order for not paid that the gateway has',
  'the whole file is sent again',
] as const;

/** A fault by name. */
export type Fault =
  | (typeof plainFaults)[number]
  | `POST: ${keyof typeof moods & string}`
  | `inquiry: ${keyof typeof inquiries & string}`;

/** How often each fault was injected into one world. */
export interface Coverage {
  witness(fault: Fault): void;
  readonly faults: ReadonlyMap<Fault, number>;
}

/** Nothing seen yet. */
export function createCoverage(): Coverage {
  const faults = new Map<Fault, number>();
  return { faults, witness: (fault) => void faults.set(fault, (faults.get(fault) ?? 0) + 1) };
}

const ledgerFaults = {
  throttled: 'a ledger call is throttled',
  'answer lost': 'a ledger call is done and its answer lost',
  'found own write': 'a ledger call meets its own write',
  'lands late': 'a ledger write lands late',
} as const satisfies Record<Exclude<LedgerFault, 'none'>, Fault>;

const forgeries = {
  control: 'a callback is forged',
  amount: 'a callback is forged',
  amounts: 'a callback is forged',
  cut: 'a callback is cut anew',
  attempt: 'a callback is about another attempt',
  sale: 'a callback is about a sale under the same id',
  // Witnessed where it is made: few orders have another account.
  elsewhere: undefined,
} as const satisfies Record<Forgery, Fault | undefined>;

const aheadFaults = {
  refused: 'a connection begun beside the claim is refused',
  hangs: 'a connection begun beside the claim hangs',
  'closed before use': 'a connection begun beside the claim is closed before its use',
  'closed unseen': 'a connection begun beside the claim is closed, and nobody sees it',
} as const satisfies Record<Exclude<AheadFault, 'none'>, Fault>;

const ofQueue = (fault: QueueFault): Fault | undefined => {
  if (typeof fault === 'object') return 'a queue refuses some entries';
  if (fault === 'none') return undefined;
  return fault === 'down' ? 'a queue is down' : 'a queue call is done and its answer lost';
};
const ofMood = ({ name }: Mood) => (name === 'accepts' ? undefined : (`POST: ${name}` as Fault));
const ofLook = ({ name }: LookMood) => (name === 'answers' ? undefined : (`inquiry: ${name}` as Fault));
const ofKey = (key: CardKeyFault): Fault | undefined =>
  key === 'is left' ? undefined : 'the key of a CVV is not as its sender left it';

/** The same weather; each fault in its answers is witnessed. */
export function watched(weather: Weather, witness: Coverage['witness']): Weather {
  const seen = <T>(answer: T, ...faults: readonly (Fault | undefined | false)[]): T => {
    for (const fault of faults) if (fault) witness(fault);
    return answer;
  };
  const happens = (it: boolean, fault: Fault) => seen(it, it && fault);
  const given = (ms: number | undefined, fault: Fault) => seen(ms, ms !== undefined && fault);
  return {
    ...weather,
    cut(boundary) {
      const cut = weather.cut(boundary);
      return seen(cut, cut && (cut.kind === 'dies' ? 'the process dies' : 'the process freezes'));
    },
    latencyMs(effect) {
      const ms = weather.latencyMs(effect);
      return seen(ms, ms >= 10 * fairWeather.latencyMs(effect) && 'a call takes long');
    },
    ledger(effect) {
      const fault = weather.ledger(effect);
      return seen(fault, fault !== 'none' && ledgerFaults[fault]);
    },
    queue(effect) {
      const fault = weather.queue(effect);
      return seen(fault, ofQueue(fault));
    },
    secretsDown: () => happens(weather.secretsDown(), 'Secrets Manager is down'),
    cardKey: () => {
      const key = weather.cardKey();
      return seen(key, ofKey(key));
    },
    ahead: () => {
      const fault = weather.ahead();
      return seen(fault, fault !== 'none' && aheadFaults[fault]);
    },
    mood: (post) => {
      const mood = weather.mood(post);
      return seen(mood, ofMood(mood));
    },
    look: () => {
      const mood = weather.look();
      return seen(mood, ofLook(mood));
    },
    fate: (post) => {
      const fate = weather.fate(post);
      const { visibleAfterLeaseMs, afterMs, change, undone } = fate;
      return seen(
        fate,
        visibleAfterLeaseMs !== undefined && 'an order is hidden for a while',
        afterMs > 60_000 && 'an end comes late',
        change && 'an end changes later',
        undone && 'a payment is undone later',
      );
    },
    callback: () => {
      const call = weather.callback();
      return seen(
        call,
        call.delayMs > 5_000 && 'a callback comes late',
        call.againAfterMs !== undefined && 'a callback comes twice',
        call.forged && forgeries[call.forged],
      );
    },
    checkTwiceAfterMs: () => given(weather.checkTwiceAfterMs(), 'a check is delivered twice'),
    checkLost: () => happens(weather.checkLost(), 'a check is lost'),
    sweep: () => {
      const sweep = weather.sweep();
      return seen(
        sweep,
        sweep === 'is missed' && 'a sweep is missed',
        sweep === 'overlaps' && 'a sweep overlaps another',
      );
    },
    deliveredTwiceAfterMs: () => given(weather.deliveredTwiceAfterMs(), 'a message is delivered twice'),
    survivesDeletionForMs: () => given(weather.survivesDeletionForMs(), 'a deleted message comes again'),
    staleHandleWorks: () => happens(weather.staleHandleWorks(), 'an old receipt handle works'),
    staleIndex: () => happens(weather.staleIndex(), 'an index shows what has moved on'),
    loopStops: () => happens(weather.loopStops(), "a message that goes round is taken away by Lambda's loop detection"),
    nextOf: (messages) => {
      const next = weather.nextOf(messages);
      return seen(next, next > 0 && 'messages arrive out of order');
    },
  };
}
