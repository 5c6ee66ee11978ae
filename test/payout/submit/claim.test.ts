// What a claim does about an order that is there: each status, for a plain job and for one that names an end and for
// other content. The laws (order/laws.test.ts) hold over all of it; this is the table to read.
import { describe, expect, it } from 'vitest';
import { endOf } from '../../../lib/payout/order/ends.ts';
import { type Attempt, attemptsOf, ofAttempt } from '../../../lib/payout/order/facts.ts';
import { clockSkewMs } from '../../../lib/payout/order/time.ts';
import { newOrder, type Order } from '../../../lib/payout/order/order.ts';
import { defaultLimits } from '../../../lib/payout/limits.ts';
import { type ClaimRequest, decideClaim, restsUntilMs } from '../../../lib/payout/submit/claim.ts';
import { someCredentials } from '../../support/fake-credentials.ts';
import { aPayoutJob, jobOf } from '../../support/jobs.ts';
import { anAttempt, anOrder, withFacts } from '../../support/orders.ts';
import { startMs } from '../../support/time-and-chance.ts';

const credentials = someCredentials();
const payout = jobOf(aPayoutJob());
const cardData = { field: 'cvv2', keyId: 'key-2', sealed: 'x' };

const request = (changes: Partial<ClaimRequest> = {}): ClaimRequest => ({
  rests: defaultLimits,
  job: payout,
  fingerprints: ['k1.fingerprint'],
  source: 'message-2',
  credentials,
  nowMs: startMs + 1_000,
  ...changes,
});

type About = Extract<NonNullable<Attempt['answer']>, { kind: 'refused' }>['about'];
const refused = (about: About, connected = true, atMs = startMs): Partial<Attempt> => ({
  askable: false,
  answer: { kind: 'refused', about, connected, atMs, code: 'NO', message: 'no' },
});
const taken: Partial<Attempt> = { answer: { kind: 'taken', atMs: startMs }, ids: ['9'] };
const lapsed = { code: 'NO_ANSWER', message: 'reset' };

/** The payout INV-1 after one attempt. */
const after = (attempt: Partial<Attempt>): Order => anOrder({ orderId: 'INV-1', attempt });
const declined = after(refused('order'));
const cancelled = (): Order => {
  const order = after(refused('pace', false));
  const end = endOf(order.facts, { id: 'x', number: 9, reason: 'cancelled', code: 'CANCELLED', message: '' }, startMs);
  return withFacts(order, { ends: { x: end } });
};

const orders: Readonly<Record<string, Order>> = {
  new: newOrder('acme-eu/INV-1', startMs),
  'under its lease': after({}),
  'with its lease over': after({ leaseUntilMs: startMs - clockSkewMs }),
  'refused, before its look': after({ ...refused('account'), askable: true }),
  ready: after(refused('pace')),
  accepted: after(taken),
  approved: after({ ...taken, reports: ['approved'] }),
  'in doubt': after({ lapsed }),
  'held: unproven': after({ lapsed, overdue: true }),
  'held: card data spent': after({ ...refused('pace'), cardKeyId: 'key-1' }),
  declined,
  cancelled: cancelled(),
};

const add = { kind: 'add' };
/** Until an unknown time. */
const busyOpenly = { kind: 'busy' };
const underLease = { kind: 'busy', untilMs: startMs + 100_000 + clockSkewMs };
const unchanged = { kind: 'unchanged' };
const opened = { kind: 'add', reopens: 'end-1' };

describe.each<[string, plain: object, naming: object]>([
  ['new', add, { kind: 'end-unknown' }],
  ['under its lease', underLease, underLease],
  ['with its lease over', { kind: 'time' }, { kind: 'time' }],
  ['refused, before its look', busyOpenly, busyOpenly],
  ['ready', add, { kind: 'end-unknown' }],
  ['accepted', unchanged, unchanged],
  ['approved', unchanged, unchanged],
  ['in doubt', unchanged, unchanged],
  ['held: unproven', unchanged, unchanged],
  ['held: card data spent', unchanged, unchanged],
  ['declined', unchanged, opened],
  ['cancelled', unchanged, unchanged],
])('an order that is %s', (name, plain, naming) => {
  const order = orders[name] as Order;

  it('for a plain job', () => expect(decideClaim(order, request())).toMatchObject(plain));

  it('for a job that names an end', () =>
    expect(decideClaim(order, request({ job: { ...payout, resends: 'end-1' } }))).toMatchObject(naming));

  it('is left alone by other content', () => {
    const other = decideClaim(order, request({ fingerprints: ['k1.other'] }));
    expect(other).toMatchObject(order.content ? { kind: 'reused' } : add);
  });
});

describe('an end', () => {
  it('opens by its own name alone', () => {
    const byAnother = request({ job: { ...payout, resends: 'end-2' } });
    expect(decideClaim(declined, byAnother)).toMatchObject(unchanged);
  });

  it('opens no more once its attempt was heard of', () => {
    const [attempt] = attemptsOf(declined.facts);
    const heard = withFacts(declined, ofAttempt({ ...anAttempt(), ...attempt, reports: ['seen'], ids: ['9'] }));
    expect(decideClaim(heard, request({ job: { ...payout, resends: 'end-1' } }))).toMatchObject(unchanged);
  });
});

describe('spent card data', () => {
  const spent = orders['held: card data spent'] ?? declined;
  const sealed = (keyId: string) => request({ job: { ...payout, sealedCode: { ...cardData, keyId } } });

  it('is made up for by newly sealed data', () => expect(decideClaim(spent, sealed('key-2'))).toMatchObject(add));

  it('is not sent twice', () => expect(decideClaim(spent, sealed('key-1'))).toMatchObject(unchanged));

  it('opens no doubt, whatever comes with it', () =>
    expect(decideClaim(after({ lapsed, cardKeyId: 'key-1' }), sealed('key-2'))).toMatchObject(unchanged));
});

describe('an order of content that can not be compared', () => {
  const withPrint = (order: Order, fingerprint: string): Order => ({
    ...order,
    ...(order.content && { content: { ...order.content, fingerprint } }),
  });

  it('is left to who has the key; what was called off is told all the same', () => {
    expect(decideClaim(withPrint(declined, 'k9.x'), request())).toMatchObject({ kind: 'unreadable' });
    expect(decideClaim(withPrint(cancelled(), 'k9.x'), request())).toMatchObject(unchanged);
  });
});

describe('an order that the gateway refused', () => {
  const minutes = 60_000;

  /** After tries at these minutes; not connected where it says so. */
  function tried(...tries: readonly (readonly [minute: number, 'unconnected'?])[]): Order {
    const attempts = tries.map(([minute, how], n) =>
      anAttempt({ id: `a-${n}`, number: n + 1, ...refused('pace', how === undefined, startMs + minute * minutes) }),
    );
    const [first, ...others] = attempts;
    const order = after(first ?? {});
    return withFacts(order, { attempts: Object.fromEntries(others.map((it) => [it.id, it])) });
  }

  it.each([
    ['may be sent again at once, once', tried([0]), 0],
    ['rests after two, until an hour after the first of them', tried([0], [10]), 60],
    ['rests by the last two', tried([0], [10], [60]), 70],
    ['does not count a try in which not a byte left', tried([0], [1, 'unconnected']), 0],
    [
      'remembers refused POSTs behind any number of tries that did not connect',
      tried([0], [1], [2, 'unconnected'], [3, 'unconnected'], [4, 'unconnected'], [5, 'unconnected']),
      60,
    ],
    ['remembers them between tries that did not connect', tried([0], [1, 'unconnected'], [2], [3, 'unconnected']), 60],
    ['is tried as often as ever where no connection is made', tried([0, 'unconnected'], [1, 'unconnected']), 0],
  ])('%s', (_, order, minute) => {
    expect(restsUntilMs(order.facts, defaultLimits)).toBe(minute === 0 ? 0 : startMs + minute * minutes);
  });

  it('rests as a claim finds it, and is one to send for who plans', () => {
    const order = tried([0], [10]);
    const nowMs = startMs + 11 * minutes;
    expect(decideClaim(order, request({ nowMs }))).toMatchObject({ kind: 'rests', untilMs: startMs + 60 * minutes });
    const { rests: _, ...now } = request({ nowMs });
    expect(decideClaim(order, now)).toMatchObject(add);
    expect(decideClaim(order, request({ nowMs: startMs + 60 * minutes }))).toMatchObject(add);
  });
});
