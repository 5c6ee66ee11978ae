// The laws of an order as properties of the pure kernel, for the kernel that ships and for broken ones.
import * as fc from 'fast-check';
import {
  type Facts,
  join,
  noFacts,
  signOfLife,
  unattributedSign,
  unexplained,
} from '../../../lib/payout/order/facts.ts';
import { resultOf, resultText } from '../../../lib/payout/message/result.ts';
import { newOrder } from '../../../lib/payout/order/order.ts';
import { viewOf } from '../../../lib/payout/order/view.ts';
import type { Kernel } from '../../model/order/kernel.ts';
import { someAttempt, someEnd, someFact, someFacts } from './generated-facts.ts';

/** A law, as a property of a kernel. Throws, with the shortest counter-example, where it is broken. */
export interface Law {
  readonly law: string;
  readonly says: string;
  readonly holds: (kernel: Kernel, runs: number) => void;
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The same facts with the keys of every record in one order. */
function sorted(facts: Facts): unknown {
  const bySomeOrder = (_: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return JSON.parse(JSON.stringify(facts, bySomeOrder));
}

const isEnded = (kind: string): boolean => kind === 'declined' || kind === 'failed' || kind === 'cancelled';
/** The gateway has paid the attempt, or took it or reported of it and has not ended it. */
const livesByWord = ({ answer, reports, ids }: Facts['attempts'][string]): boolean => {
  if (reports.some((level) => level === 'approved' || level === 'reversed')) return true;
  // Two ids are two transactions, and a decline may be about either.
  if (reports.includes('declined') && ids.length < 2) return false;
  return (
    answer?.kind === 'taken' || ids.length > 0 || reports.some((level) => level === 'seen' || level === 'said-paid')
  );
};

/** An attempt of which nothing was heard. */
const posted: Omit<Facts['attempts'][string], 'id' | 'number'> = {
  atMs: 1,
  accounts: ['account'],
  askable: true,
  leaseUntilMs: 1,
  ids: [],
  aliases: [],
  reports: [],
  amounts: [],
  negatives: {},
};

/** Facts; of some, a person has seen all or all but what came last, and decided. */
const aSeveral: fc.Arbitrary<Facts> = fc
  .tuple(someFacts, fc.constantFrom(undefined, 'paid' as const, 'not-paid' as const), fc.option(someFact))
  .map(([facts, kind, later]) => {
    const saw = Object.fromEntries(Object.values(facts.attempts).map((it) => [it.id, signOfLife(it)]));
    const said = { id: 'd9', by: 'p', reason: 'r', atMs: 9, saw, sawUnattributed: unattributedSign(facts) };
    const decided = kind ? join(facts, { ...noFacts, decisions: { d9: { ...said, kind } } }) : facts;
    return later ? join(decided, later) : decided;
  });

/** How it may be closed so that its order ends. */
const closings: readonly Partial<Facts['attempts'][string]>[] = [
  { answer: { kind: 'refused', about: 'order', connected: true, code: 'X', message: 'x', atMs: 5 } },
  { reports: ['declined'], ids: ['9001'] },
  {
    lapsed: { code: 'X', message: 'x' },
    negatives: { account: { firstMs: 5, lastMs: 9, sinceRefusal: false, denies: true } },
  },
];

/** Not a byte of it left. */
const unsent = {
  answer: { kind: 'refused', about: 'pace', connected: false, code: 'X', message: 'x', atMs: 5 },
} as const satisfies Partial<Facts['attempts'][string]>;

const reported = (id: string, level: 'seen' | 'declined', amount: string | undefined) =>
  ({ id, level, ...(amount !== undefined && { amount }), account: 'account', atMs: 6 }) as const;

/** A report of an order that is no attempt. */
const someReport = fc
  .tuple(
    fc.constantFrom('9003', '9004'),
    fc.constantFrom('seen', 'declined'),
    fc.option(fc.constant('9.00 EUR'), { nil: undefined }),
  )
  .map((it) => reported(...it));

/** A report that is a sign of life. */
const someWord = fc.constantFrom('seen', 'approved', 'reversed');

/** All laws. */
export const laws: readonly Law[] = [
  {
    law: 'L1',
    says: 'an order goes on by itself only where its last attempt was refused for reasons that are not its own',
    holds: ({ maySend, attemptsOf }, numRuns) =>
      fc.assert(
        fc.property(someFacts, (facts) => {
          const last = attemptsOf(facts).at(-1);
          if (!last || maySend(facts, {}).kind === 'no') return true;
          const { answer, negatives, askable } = last;
          if (answer?.kind !== 'refused' || answer.about === 'order') return false;
          const isLooked = Object.values(negatives).some(({ sinceRefusal }) => sinceRefusal);
          return !answer.connected || !askable || isLooked;
        }),
        { numRuns },
      ),
  },
  {
    law: 'L2',
    says: 'the same facts in any order and any number are the same record',
    holds: ({ join, noFacts }, numRuns) =>
      fc.assert(
        fc.property(fc.array(someFact, { maxLength: 8 }), fc.infiniteStream(fc.nat()), (facts, chance) => {
          const once = facts.reduce((all, it) => join(all, it), noFacts);
          const draw = chance[Symbol.iterator]();
          const at = () => Number(draw.next().value);
          const shuffled = [...facts, ...facts].map((it) => [at(), it] as const).toSorted(([a], [b]) => a - b);
          const again = shuffled.reduce((all, [, it]) => join(all, it), noFacts);
          return same(sorted(once), sorted(again)) && same(sorted(join(once, once)), sorted(once));
        }),
        { numRuns },
      ),
  },
  {
    law: 'L2',
    says: 'what is dropped changes nothing that is concluded, whatever comes later',
    holds: ({ join, drop, fold, maySend }, numRuns) =>
      fc.assert(
        fc.property(someFacts, fc.array(someEnd), fc.array(someFact, { maxLength: 3 }), (some, ends, later) => {
          const facts = ends.reduce((all, it) => join(all, it), some);
          // What comes later to a dropped attempt bears its whole record: its sign of life.
          const dropped = drop(facts);
          const gone = Object.keys(facts.attempts).filter((id) => !(id in dropped.attempts));
          const coming = later.filter(({ attempts }) => !gone.some((id) => id in attempts));
          const a = coming.reduce((all, it) => join(all, it), facts);
          const b = coming.reduce((all, it) => join(all, it), dropped);
          return fold(a).kind === fold(b).kind && same(maySend(a, {}), maySend(b, {}));
        }),
        { numRuns },
      ),
  },
  {
    law: 'L3',
    says: 'an order is ended, or about to be, only while each attempt was refused, denied, ended by the gateway or covered by a decision',
    holds: ({ fold }, numRuns) =>
      fc.assert(
        fc.property(someFacts, (facts) => {
          const { kind } = fold(facts);
          if (!isEnded(kind) && kind !== 'ending') return true;
          return Object.values(facts.attempts).every((it) => {
            const isRefused = it.answer?.kind === 'refused';
            const isDenied = Object.values(it.negatives).some(({ denies }) => denies);
            const isDecided = Object.values(facts.decisions).some(
              ({ kind, saw }) => kind === 'not-paid' && it.id in saw,
            );
            return isRefused || isDenied || it.reports.includes('declined') || isDecided;
          });
        }),
        { numRuns },
      ),
  },
  {
    law: 'L3',
    says: 'an order of which the gateway reported that money moved, under whatever id, is never ended: it is paid, or a person is asked',
    holds: ({ fold }, numRuns) =>
      fc.assert(
        fc.property(aSeveral, (facts) => {
          const isPaid = ({ reports }: Pick<Facts['attempts'][string], 'reports'>) =>
            reports.some((level) => level === 'approved' || level === 'reversed');
          const wasPaid =
            Object.values(facts.attempts).some((it) => isPaid(it)) || unexplained(facts).some(([, it]) => isPaid(it));
          return !wasPaid || ['approved', 'held'].includes(fold(facts).kind);
        }),
        { numRuns },
      ),
  },
  {
    law: 'L4',
    says: 'a report under an unknown id is the present attempt’s only where no other attempt can be meant',
    holds: ({ factsOfReport, attemptsOf }, numRuns) =>
      fc.assert(
        fc.property(someFacts, fc.boolean(), (facts, isLost) => {
          const attempts = attemptsOf(facts);
          const last = attempts.at(-1);
          if (!last) return true;
          const present = isLost ? { ...last, lost: true as const } : last;
          const all = { ...facts, attempts: { ...facts.attempts, [present.id]: present } };
          const added = factsOfReport(all, { id: '9999', level: 'declined', atMs: 6, account: 'account' });
          const isAttributed = Object.keys(added.attempts).length > 0;
          const others = attempts.slice(0, -1);
          const mayBeAnothers = others.some(
            ({ ids, answer }) => ids.length === 0 && !(answer?.kind === 'refused' && !answer.connected),
          );
          return !(isAttributed && (mayBeAnothers || isLost));
        }),
        { numRuns },
      ),
  },
  {
    law: 'L4',
    says: 'that money moved is heard under whatever id it came: the order is paid, or a person is asked',
    holds: ({ factsOfReport, join, fold }, numRuns) =>
      fc.assert(
        fc.property(someFacts, fc.constantFrom('9001', '9002', '9003'), (facts, id) => {
          const report = { id, level: 'approved', atMs: 6, account: 'account' } as const;
          return ['approved', 'held'].includes(fold(join(facts, factsOfReport(facts, report))).kind);
        }),
        { numRuns },
      ),
  },
  {
    law: 'L4',
    says: 'what an account reports is nothing to an attempt of another one, whether its id was known before or comes later',
    holds: ({ factsOfReport, join }, numRuns) =>
      fc.assert(
        fc.property(someFacts, someFact, fc.constantFrom('9001', '9002'), (facts, later, id) => {
          // Under an id alone there is what was called back before anything was sent.
          fc.pre(!(id in facts.unattributed));
          const now = join(facts, factsOfReport(facts, { id, level: 'declined', atMs: 6, account: 'elsewhere' }));
          const reportsOf = (of: Facts) => Object.values(of.attempts).map(({ reports }) => reports);
          return same(reportsOf(join(now, later)), reportsOf(join(facts, later)));
        }),
        { numRuns },
      ),
  },
  {
    law: 'L5',
    says: 'two orders of the gateway that belong to no attempt are held as two attempts are',
    holds: ({ fold, noFacts, ofAttempt }, numRuns) =>
      fc.assert(
        fc.property(someWord, someWord, fc.constantFrom(...closings, {}), (one, other, closing) => {
          const unattributed = { '9003': { reports: [one] }, '9004': { reports: [other] } };
          const status = fold({
            ...noFacts,
            ...ofAttempt({ ...posted, ...closing, id: 'a1', number: 1 }),
            unattributed,
          });
          return status.kind === 'held' && status.reason === 'several-alive';
        }),
        { numRuns: Math.min(numRuns, 50) },
      ),
  },
  {
    law: 'L5',
    says: 'a callback that may be about another transaction keeps back what nothing else keeps, and tells nothing of what is heard of',
    holds: ({ join, noFacts, fold, maySend }, numRuns) =>
      fc.assert(
        fc.property(someFacts, (facts) => {
          const before = fold(facts);
          const now = join(facts, { ...noFacts, unattributed: { '?1': { reports: ['said-paid'] } } });
          const after = fold(now);
          const isHeardOf = before.kind === 'accepted' || (before.kind === 'approved' && !before.decision);
          return isHeardOf
            ? same(after, before)
            : maySend(now, {}).kind === 'no' && !isEnded(after.kind) && after.kind !== 'ending';
        }),
        { numRuns },
      ),
  },
  {
    law: 'L5',
    says: 'with a sign of life, neither refusal nor denial nor an older decision closes an attempt',
    holds: ({ isClosed, ofAttempt, join, signOfLife, noFacts }, numRuns) =>
      fc.assert(
        fc.property(someAttempt, someAttempt, (attempt, before) => {
          if (!livesByWord(attempt)) return true;
          const saw = { [attempt.id]: signOfLife({ ...before, id: attempt.id }) };
          if (saw[attempt.id] === signOfLife(attempt)) return true;
          const decision = {
            id: 'd1',
            kind: 'not-paid' as const,
            by: 'p',
            reason: 'r',
            atMs: 1,
            saw,
            sawUnattributed: '',
          };
          return !isClosed(attempt, join(ofAttempt(attempt), { ...noFacts, decisions: { d1: decision } }));
        }),
        { numRuns },
      ),
  },
  {
    law: 'L5',
    says: 'two attempts with a sign of life are held, until a person who saw every sign says that the order is paid',
    holds: ({ fold }, numRuns) =>
      fc.assert(
        fc.property(aSeveral, (facts) => {
          const decisions = Object.values(facts.decisions);
          const replaced = new Set(decisions.map(({ replaces }) => replaces));
          const inForce = decisions.filter(({ id }) => !replaced.has(id));
          const sees = (of: (typeof decisions)[number], it: Facts['attempts'][string]) =>
            of.saw[it.id] === signOfLife(it);
          const isNotPaid = (it: Facts['attempts'][string]) =>
            !it.reports.some((level) => level === 'approved' || level === 'reversed') &&
            inForce.some((of) => of.kind === 'not-paid' && sees(of, it));
          const living = Object.values(facts.attempts).filter((it) => livesByWord(it) && !isNotPaid(it));
          if (living.length < 2) return true;
          const isPaid = inForce.some(
            (of) =>
              of.kind === 'paid' &&
              of.sawUnattributed === unattributedSign(facts) &&
              living.every((it) => sees(of, it)),
          );
          const { kind } = fold(facts);
          return isPaid ? kind === 'approved' : kind === 'held';
        }),
        { numRuns },
      ),
  },
  {
    law: 'L5',
    says: 'a decision without the proof of its second person closes nothing and ends nothing',
    holds: ({ join, noFacts, fold, livingAttempts }, numRuns) =>
      fc.assert(
        fc.property(someFacts, (facts) => {
          const saw = Object.fromEntries(Object.values(facts.attempts).map((it) => [it.id, signOfLife(it)]));
          const said = { id: 'd9', by: 'p', reason: 'r', atMs: 9, saw, sawUnattributed: unattributedSign(facts) };
          const decisions = { d9: { ...said, kind: 'not-paid' as const } };
          const now = join(facts, { ...noFacts, decisions, unproven: ['d9'] });
          const living = (of: Facts) => livingAttempts(of).map(({ id }) => id);
          return same(living(now), living(facts)) && (!isEnded(fold(now).kind) || isEnded(fold(facts).kind));
        }),
        { numRuns },
      ),
  },
  {
    law: 'L6',
    says: 'an order that ended or was in doubt is sent again only for a job that names its very end',
    holds: ({ fold, maySend, attemptsOf }, numRuns) =>
      fc.assert(
        fc.property(someFacts, fc.constantFrom(undefined, 'e15', 'e25', 'e35', 'e99'), (facts, resends) => {
          const may = maySend(facts, resends === undefined ? {} : { resends });
          if (may.kind === 'no') return true;
          const status = fold(facts);
          if (isEnded(status.kind)) return 'end' in status && status.end.id === resends && status.kind !== 'cancelled';
          const last = attemptsOf(facts).at(-1);
          const isOfSeries = resends === undefined || resends === last?.reopens;
          const series = Object.values(facts.attempts).filter(({ reopens }) => reopens === last?.reopens);
          return isOfSeries && !series.some(({ lapsed, overdue }) => lapsed !== undefined || overdue === true);
        }),
        { numRuns },
      ),
  },
  {
    law: 'L6',
    says: 'opened again and again, an order opens each time by the name of its present end alone, and that name opens once',
    holds: ({ join, noFacts, maySend, ofAttempt, endOf }, numRuns) =>
      fc.assert(
        fc.property(fc.array(fc.constantFrom(...closings), { minLength: 2, maxLength: 4 }), (ways) => {
          const names = ways.map((_, at) => `end-${at}`);
          const opensBy = (facts: Facts) => names.filter((resends) => maySend(facts, { resends }).kind === 'yes');
          let facts: Facts = noFacts;
          return ways.every((closing, at) => {
            const [before, id = ''] = [names[at - 1], names[at]];
            const reopens = before === undefined ? {} : { reopens: before };
            facts = join(facts, ofAttempt({ ...posted, ...reopens, ...closing, id: `a-${at}`, number: 2 * at + 1 }));
            const isShut = opensBy(facts).length === 0;
            const end = endOf(facts, { id, number: 2 * at + 2, reason: 'refused', code: 'X', message: 'x' }, 9);
            facts = join(facts, { ...noFacts, ends: { [id]: end } });
            return isShut && same(opensBy(facts), [id]) && maySend(facts, {}).kind === 'no';
          });
        }),
        { numRuns: Math.min(numRuns, 50) },
      ),
  },
  {
    law: 'L6',
    says: 'what was ended after its last attempt never goes on by itself, whether that end is still in force or not',
    holds: ({ attemptsOf, maySend, join, ofAttempt }, numRuns) =>
      fc.assert(
        fc.property(someFacts, someEnd, fc.constantFrom({}, { reopens: 'e25' }), (some, end, opened) => {
          // Its last attempt never left, so that nothing but the end keeps the order back.
          const last = { ...posted, ...unsent, ...opened, id: 'a4', number: 32 };
          return [join(some, end), join(join(some, ofAttempt(last)), end)].every((facts) => {
            const after = attemptsOf(facts).at(-1);
            const wasEnded = Object.values(facts.ends).some(({ number }) => !after || number > after.number);
            return !wasEnded || maySend(facts, {}).kind === 'no';
          });
        }),
        { numRuns },
      ),
  },
  {
    law: 'L6',
    says: 'what was held for an id of no attempt goes on by its name alone, though a person knew of the id before it was sent',
    holds: ({ join, noFacts, factsOfReport, knownBefore, ofAttempt, fold, maySend, endOf }, numRuns) =>
      fc.assert(
        fc.property(fc.array(someReport), fc.array(someReport, { minLength: 2 }), (before, after) => {
          const hear = (facts: Facts, report: ReturnType<typeof reported>) => join(facts, factsOfReport(facts, report));
          let facts = before.reduce<Facts>(hear, noFacts);
          const sawUnattributed = unattributedSign(facts);
          const decision = {
            id: 'd1',
            kind: 'not-paid',
            by: 'p',
            reason: 'r',
            atMs: 1,
            saw: {},
            sawUnattributed,
          } as const;
          facts = join(facts, { ...noFacts, decisions: { d1: decision } });
          const end = endOf(facts, { id: 'e1', number: 2, reason: 'decided', code: 'X', message: 'x' }, 9);
          facts = join(facts, { ...noFacts, ends: { e1: end } });
          const sent = { ...posted, ...unsent, reopens: 'e1', ...knownBefore(facts), id: 'a1', number: 3 };
          facts = join(facts, ofAttempt(sent));
          let wasHeld = false;
          return after.every((report) => {
            facts = hear(facts, report);
            wasHeld ||= fold(facts).kind === 'held';
            return !wasHeld || maySend(facts, {}).kind === 'no';
          });
        }),
        { numRuns },
      ),
  },
  {
    law: 'L6',
    says: 'a sign of life or another attempt takes an end’s name away',
    holds: ({ join, endInForce, ofAttempt, signOfLife }, numRuns) =>
      fc.assert(
        fc.property(someFacts, someAttempt, (facts, later) => {
          const end = endInForce(facts);
          if (!end) return true;
          const next = join(facts, ofAttempt(later));
          const joined = next.attempts[later.id];
          if (!joined) return false;
          const before = facts.attempts[later.id];
          const isNew = !before && later.number > end.number;
          const isHeard = signOfLife(joined) !== (before ? signOfLife(before) : '');
          return !(isNew || isHeard) || endInForce(next)?.id !== end.id;
        }),
        { numRuns },
      ),
  },
  {
    law: 'L7',
    says: 'one revision has one result for ever, and rises with the write that changes the result and with no other',
    holds: ({ recorded, resultToTell }, numRuns) =>
      fc.assert(
        fc.property(fc.array(someFact, { minLength: 1, maxLength: 8 }), (facts) => {
          const told = new Map<number, string>();
          let order = newOrder('acme-eu/INV-1', 1, { operation: 'payout', endpointId: '1', fingerprint: 'f' });
          let last: string | undefined;
          return facts.every((fact, at) => {
            const { revision: before } = order.published;
            order = recorded(order, fact, { nowMs: at + 2, endId: `end-${at}` });
            const { revision } = order.published;
            const is = resultOf({ ...viewOf(order), revision: 0, updatedAtMs: 0 });
            if (is === undefined || resultText(is) === last) return revision === before;
            last = resultText(is);
            const result = resultToTell(order);
            const text = result && resultText(result);
            const isNew = !told.has(revision) && revision === before + 1;
            if (text !== undefined) told.set(revision, text);
            return isNew && text !== undefined;
          });
        }),
        { numRuns },
      ),
  },
];
