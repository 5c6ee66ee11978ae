// The laws of an order as properties of the pure kernel, for the kernel that ships and for broken ones.
import { createHash, createSecretKey } from 'node:crypto';
import * as fc from 'fast-check';
import { payneteasyCallbacks } from '../../../lib/gateway/payneteasy-callbacks.ts';
import {
  type Attempt,
  type Facts,
  noFacts,
  type TransactionReports,
  unknownAt,
} from '../../../lib/payout/order/facts.ts';
import { resultText } from '../../../lib/payout/message/result.ts';
import { newOrder, type Order } from '../../../lib/payout/order/order.ts';
import { viewOf, resultOf } from '../../../lib/payout/order/projection.ts';
import { standings } from '../../../lib/payout/order/standing.ts';
import type { Kernel } from '../../model/order/kernel.ts';
import { someControlKey, someCredentials } from '../../support/fake-credentials.ts';
import { createMemoryOrders } from '../../support/memory-orders.ts';
import { createManualClock, createSeededRandom, startMs } from '../../support/time-and-chance.ts';
import { someAttempt, someEnd, someFact, someFacts } from './generated-facts.ts';

/** A law, as a property of a kernel. Throws, with the shortest counter-example, where it is broken. */
export interface Law {
  readonly law: string;
  readonly says: string;
  readonly holds: (kernel: Kernel, runs: number) => void | Promise<void>;
}

/** The first of these laws that the kernel breaks. */
export async function lawBrokenBy(kernel: Kernel, some: readonly Law[], runs: number): Promise<Law | undefined> {
  for (const law of some) {
    const isKept = await Promise.resolve()
      .then(() => law.holds(kernel, runs))
      .then(
        () => true,
        () => false,
      );
    if (!isKept) return law;
  }
  return undefined;
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

const wasPaid = ({ reports }: Pick<TransactionReports, 'reports'>): boolean =>
  reports.some((level) => level === 'approved' || level === 'reversed');

/** The gateway has paid the attempt, or took it or reported of it and has not ended it. */
const livesByWord = (it: Attempt): boolean => {
  if (wasPaid(it)) return true;
  const isEnded = it.ids.length < 2 && it.reports.some((level) => level === 'declined' || level === 'filtered');
  return !isEnded && (it.answer?.kind === 'taken' || it.ids.length > 0 || it.reports.length > 0);
};

/** An attempt of which nothing was heard. */
const posted: Omit<Attempt, 'id' | 'number'> = {
  atMs: 1,
  accounts: ['account'],
  askable: true,
  leaseUntilMs: 1,
  ids: [],
  aliases: [],
  reports: [],
  amounts: [],
  absent: {},
};

/** How it may be closed so that its order ends. */
const closings: readonly Partial<Attempt>[] = [
  { answer: { kind: 'refused', about: 'order', connected: true, code: 'X', message: 'x', atMs: 5 } },
  { reports: ['declined'], ids: ['9001'] },
  { lapsed: { code: 'X', message: 'x' }, absent: { account: { firstMs: 5, lastMs: 9, denies: true } } },
];

const refusal = { kind: 'refused', about: 'pace', code: 'X', message: 'x', atMs: 5 } as const;

/** Not a byte of it left. */
const unsent = {
  answer: { kind: 'refused', about: 'pace', connected: false, code: 'X', message: 'x', atMs: 5 },
} as const satisfies Partial<Attempt>;

/** The facts, and a person who saw all of them. */
const decided = (kernel: Kernel, facts: Facts, kind: 'paid' | 'not-paid'): Facts =>
  kernel.join(facts, {
    ...noFacts,
    decisions: { d9: { id: 'd9', kind, by: 'p', reason: 'r', atMs: 9, saw: kernel.signsOf(facts) } },
  });

/** All laws. */
export const laws: readonly Law[] = [
  {
    law: 'L1',
    says: 'an order goes on by itself only where its last attempt was refused for reasons that are not its own',
    holds: ({ maySend, attemptsOf }, numRuns) =>
      fc.assert(
        fc.property(someFacts, (facts) => {
          const last = attemptsOf(facts).at(-1);
          if (!last || !maySend(facts)) return true;
          const { answer, absent, askable } = last;
          if (answer?.kind !== 'refused' || answer.about === 'order') return false;
          return !answer.connected || !askable || Object.values(absent).some(({ sinceRefusal }) => sinceRefusal);
        }),
        { numRuns },
      ),
  },
  {
    law: 'L2',
    says: 'the same facts in any order and any number are the same record',
    holds: ({ join }, numRuns) =>
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
          return fold(a).kind === fold(b).kind && same(maySend(a), maySend(b));
        }),
        { numRuns },
      ),
  },
  {
    law: 'L3',
    says: 'an order is over only while each attempt was refused, denied, ended by the gateway or covered by a decision',
    holds: ({ fold }, numRuns) =>
      fc.assert(
        fc.property(someFacts, (facts) => {
          if (fold(facts).kind !== 'over') return true;
          const reportsOf = (it: Attempt) => [
            ...it.reports,
            ...Object.values(facts.unknown).flatMap(({ id = '', reports }) => (it.ids.includes(id) ? reports : [])),
          ];
          return Object.values(facts.attempts).every(
            (it) =>
              it.answer?.kind === 'refused' ||
              Object.values(it.absent).some(({ denies }) => denies) ||
              reportsOf(it).some((level) => level === 'declined' || level === 'filtered') ||
              Object.values(facts.decisions).some(({ kind, saw }) => kind === 'not-paid' && it.id in saw),
          );
        }),
        { numRuns },
      ),
  },
  {
    law: 'L3',
    says: 'an order of which the gateway reported that money moved, under whatever id, is never over: it is paid, or a person is asked',
    holds: ({ fold }, numRuns) =>
      fc.assert(
        fc.property(someFacts, (facts) => {
          const isPaid = [...Object.values(facts.attempts), ...Object.values(facts.unknown)].some(wasPaid);
          return !isPaid || ['approved', 'held'].includes(fold(facts).kind);
        }),
        { numRuns },
      ),
  },
  {
    law: 'L3',
    says: 'an order is approved only where an attempt of it was paid, or a person said so',
    holds: ({ fold, factsOfReport, join }, numRuns) =>
      fc.assert(
        fc.property(someFacts, fc.constantFrom('9001', '9004'), (facts, id) => {
          const bare = { ...facts, attempts: {} };
          const report = { id, level: 'approved', atMs: 6, account: 'account', callback: 'proven' } as const;
          const isSaid = Object.values(facts.decisions).some(({ kind }) => kind === 'paid');
          return isSaid || fold(join(bare, factsOfReport(bare, report, 40))).kind !== 'approved';
        }),
        { numRuns },
      ),
  },
  {
    law: 'L3',
    says: 'a decline ends no attempt of two ids, and a filter none beside which another was sent',
    holds: ({ join, ofAttempt, isClosed }) => {
      const closed = (it: Partial<Attempt>, ...others: readonly Facts[]) => {
        const attempt = { ...posted, id: 'a2', number: 2, ...it };
        return isClosed(
          attempt,
          others.reduce((before, other) => join(before, other), ofAttempt(attempt)),
        );
      };
      const silent = ofAttempt({ ...posted, id: 'a1', number: 1, lapsed: { code: 'X', message: 'x' } });
      const seen = [
        closed({ ids: ['9001'], reports: ['declined'] }),
        closed({ ids: ['9001', '9002'], reports: ['declined'] }),
        closed({ ids: ['9001'], reports: ['filtered'] }),
        closed({ ids: ['9001'], reports: ['filtered'] }, silent),
      ];
      if (!same(seen, [true, false, true, false])) throw new Error(JSON.stringify(seen));
    },
  },
  {
    law: 'L3',
    says: 'a proven callback of an order that was never sent from here is no approval, only the word that it was paid',
    holds: ({ factsOfReport }) => {
      const report = { id: '9001', level: 'approved', atMs: 6, account: 'account', callback: 'proven' } as const;
      const seen = Object.values(factsOfReport(noFacts, report, 40).unknown).map(({ reports }) => reports);
      if (!same(seen, [['said-paid']])) throw new Error(JSON.stringify(seen));
    },
  },
  {
    law: 'L3',
    says: 'an account denies only what it did not know over the whole quiet period',
    holds: ({ factsOfTime, ofAttempt }) => {
      const quietPeriodMs = 1_000;
      const usual = { horizonMs: 1e9, acceptedHorizonMs: 1e9, endsDenied: true, visibleAfterMs: 0, namesNewest: false };
      const isDeniedAfter = (silentMs: number) => {
        const absence = { firstMs: 100_000, lastMs: 100_000 + silentMs };
        const facts = ofAttempt({ ...posted, id: 'a1', number: 1, absent: { account: absence } });
        const now = factsOfTime(facts, 200_000, { ...usual, quietPeriodMs });
        return Object.values(now.attempts).some(({ absent }) => absent['account']?.denies === true);
      };
      const seen = [isDeniedAfter(0), isDeniedAfter(quietPeriodMs - 1), isDeniedAfter(quietPeriodMs)];
      if (!same(seen, [false, false, true])) throw new Error(JSON.stringify(seen));
    },
  },
  {
    law: 'L4',
    says: 'a report under an unknown id is an attempt’s only where no other can be meant',
    holds: ({ factsOfReport, attemptsOf, isProvenNowhere }, numRuns) =>
      fc.assert(
        fc.property(someFacts, fc.boolean(), (facts, isLost) => {
          const attempts = attemptsOf(facts);
          const [first] = attempts;
          const all =
            first && isLost
              ? { ...facts, attempts: { ...facts.attempts, [first.id]: { ...first, lost: true as const } } }
              : facts;
          const added = factsOfReport(all, { id: '9999', level: 'declined', atMs: 6, account: 'account' }, 40);
          if (Object.keys(added.attempts).length === 0) return true;
          const meant = attemptsOf(all).filter((it) => it.ids.length === 0 && !isProvenNowhere(it, all));
          return meant.length === 1 && meant.every(({ lost }) => !lost);
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
          fc.pre(facts.attempts['a1'] !== undefined);
          const report = { id, level: 'approved', atMs: 6, account: 'account' } as const;
          return ['approved', 'held'].includes(fold(join(facts, factsOfReport(facts, report, 40))).kind);
        }),
        { numRuns },
      ),
  },
  {
    law: 'L4',
    says: 'what an account reports is nothing to an attempt of another one',
    holds: ({ factsOfReport, join, heardOf }, numRuns) =>
      fc.assert(
        fc.property(someFacts, someFact, fc.constantFrom('9001', '9002'), (facts, later, id) => {
          const report = { id, level: 'declined', atMs: 6, account: 'elsewhere' } as const;
          // Under an id alone there is what was called back before the order had a job.
          fc.pre(!Object.values(facts.unknown).some((it) => it.account === undefined && it.id === id));
          const now = join(facts, factsOfReport(facts, report, 40));
          const reportsOf = (of: Facts) => Object.values(of.attempts).map((it) => heardOf(it, of).reports);
          return same(reportsOf(join(now, later)), reportsOf(join(facts, later)));
        }),
        { numRuns },
      ),
  },
  {
    law: 'L5',
    says: 'with a sign of life, neither refusal nor denial nor an older decision closes an attempt',
    holds: ({ isClosed, ofAttempt, join, signOf }, numRuns) =>
      fc.assert(
        fc.property(someAttempt, someAttempt, (attempt, before) => {
          if (!livesByWord(attempt)) return true;
          const saw = { [attempt.id]: signOf({ ...before, id: attempt.id }, noFacts) };
          if (saw[attempt.id] === signOf(attempt, noFacts)) return true;
          const decision = { id: 'd1', kind: 'not-paid', by: 'p', reason: 'r', atMs: 1, saw } as const;
          return !isClosed(attempt, join(ofAttempt(attempt), { ...noFacts, decisions: { d1: decision } }));
        }),
        { numRuns },
      ),
  },
  {
    law: 'L5',
    says: 'two attempts with a sign of life are held, until a person who saw every sign says that the order is paid',
    holds: (kernel, numRuns) =>
      fc.assert(
        fc.property(someFacts, fc.boolean(), (some, isDecided) => {
          const facts = { ...some, unknown: {}, decisions: {} };
          const living = Object.values(facts.attempts).filter(livesByWord);
          if (living.length < 2) return true;
          return isDecided
            ? kernel.fold(decided(kernel, facts, 'paid')).kind === 'approved'
            : kernel.fold(facts).kind === 'held';
        }),
        { numRuns },
      ),
  },
  {
    law: 'L5',
    says: 'a decision without the proof of its second person closes nothing and ends nothing',
    holds: (kernel, numRuns) =>
      fc.assert(
        fc.property(someFacts, (facts) => {
          const now = kernel.join(decided(kernel, facts, 'not-paid'), { ...noFacts, unproven: ['d9'] });
          const living = (of: Facts) => kernel.livingAttempts(of).map(({ id }) => id);
          return (
            same(living(now), living(facts)) && (kernel.fold(now).kind !== 'over' || kernel.fold(facts).kind === 'over')
          );
        }),
        { numRuns },
      ),
  },
  {
    law: 'L5',
    says: 'a callback that is sent again with another amount says nothing new',
    holds: ({ factsOfReport, join, signsOf }, numRuns) =>
      fc.assert(
        fc.property(someFacts, fc.constantFrom('seen', 'declined', 'approved'), (facts, level) => {
          const told = (of: Facts) =>
            join(
              of,
              factsOfReport(of, { id: '9003', level, atMs: 6, account: 'account', callback: 'contradicting' }, 40),
            );
          const once = told(facts);
          return same(signsOf(told(once)), signsOf(once));
        }),
        { numRuns },
      ),
  },
  {
    law: 'L2',
    says: 'a refused attempt with a sign of life is never dropped, however many follow it',
    holds: ({ join, drop, ofAttempt, fold }, numRuns) =>
      fc.assert(
        fc.property(
          fc.constantFrom<Partial<Attempt>>({ ids: ['9001'] }, { reports: ['seen'] }, { aliases: ['x'] }),
          (sign) => {
            const refused = { ...posted, answer: { ...refusal, connected: true } };
            const all = [1, 2, 3, 4, 5].map((at) =>
              ofAttempt({ ...refused, ...(at === 1 && sign), id: `a${at}`, number: at }),
            );
            const facts = all.reduce((before, it) => join(before, it), noFacts);
            return 'a1' in drop(facts).attempts && same(fold(drop(facts)).kind, fold(facts).kind);
          },
        ),
        { numRuns: Math.min(numRuns, 20) },
      ),
  },
  {
    law: 'L5',
    says: 'of several transactions, the word “paid” counts only if its person saw each',
    holds: ({ join, ofAttempt, fold, signsOf }, numRuns) =>
      fc.assert(
        fc.property(fc.boolean(), fc.nat(2), (hasAttempt, unseenAt) => {
          const unknown = ['9002', '9003', '9004'].map((id): Facts => {
            const it = { account: 'account', id, reports: ['seen' as const], since: 5, amounts: [] };
            return { ...noFacts, unknown: { [unknownAt(it)]: it } };
          });
          const taken = ofAttempt({
            ...posted,
            id: 'a1',
            number: 1,
            ids: ['9001'],
            answer: { kind: 'taken', atMs: 2 },
          });
          const facts = [...unknown, ...(hasAttempt ? [taken] : [])].reduce((before, it) => join(before, it), noFacts);
          const signs = signsOf(facts);
          const unseen = Object.keys(signs).toSorted()[unseenAt];
          const kindAfter = (saw: typeof signs) => {
            const decision = { id: 'd1', kind: 'paid', by: 'p', reason: 'r', atMs: 1, saw } as const;
            return fold(join(facts, { ...noFacts, decisions: { d1: decision } })).kind;
          };
          const partly = Object.fromEntries(Object.entries(signs).filter(([name]) => name !== unseen));
          return kindAfter(signs) === 'approved' && kindAfter(partly) === 'held';
        }),
        { numRuns: Math.min(numRuns, 100) },
      ),
  },
  {
    law: 'L6',
    says: 'an order that was stopped is sent again only for a job that names its very end',
    holds: ({ fold, maySend, attemptsOf }, numRuns) =>
      fc.assert(
        fc.property(someFacts, fc.constantFrom(undefined, 'e15', 'e25', 'e35', 'e99'), (facts, resends) => {
          const may = maySend(facts, resends === undefined ? {} : { resends });
          if (!may) return true;
          const status = fold(facts);
          if (status.kind === 'over') return status.end?.id === resends && status.reason !== 'cancelled';
          const last = attemptsOf(facts).at(-1);
          return (last?.number ?? 1) > facts.stoppedAt && (resends === undefined || resends === last?.reopens);
        }),
        { numRuns },
      ),
  },
  {
    law: 'L6',
    says: 'opened again and again, an order opens each time by the name of its present end alone, and that name opens once',
    holds: ({ join, maySend, ofAttempt, endOf }, numRuns) =>
      fc.assert(
        fc.property(fc.array(fc.constantFrom(...closings), { minLength: 2, maxLength: 4 }), (ways) => {
          const names = ways.map((_, at) => `end-${at}`);
          const opensBy = (facts: Facts) => names.filter((resends) => maySend(facts, { resends }));
          let facts: Facts = noFacts;
          return ways.every((closing, at) => {
            const [before, id = ''] = [names[at - 1], names[at]];
            const reopens = before === undefined ? {} : { reopens: before };
            facts = join(facts, ofAttempt({ ...posted, ...reopens, ...closing, id: `a-${at}`, number: 2 * at + 1 }));
            const isShut = opensBy(facts).length === 0;
            const end = endOf(facts, { id, number: 2 * at + 2, reason: 'refused', code: 'X', message: 'x' }, 9);
            facts = join(facts, { ...noFacts, ends: { [id]: end }, stoppedAt: 2 * at + 2 });
            return isShut && same(opensBy(facts), [id]) && !maySend(facts);
          });
        }),
        { numRuns: Math.min(numRuns, 50) },
      ),
  },
  {
    law: 'L6',
    says: 'what was stopped after its last attempt never goes on by itself, whatever has closed it since',
    holds: ({ maySend, join, ofAttempt, recorded }, numRuns) =>
      fc.assert(
        fc.property(someFacts, fc.array(someFact, { maxLength: 3 }), (some, later) => {
          // Its last attempt never left, so that nothing but the stop keeps the order back.
          const last = { ...posted, ...unsent, id: 'a4', number: 32 };
          const facts = join({ ...some, stoppedAt: 0, unproven: [] }, ofAttempt(last));
          const sent: Order = { ...newOrder('acme-eu/INV-1', 1), version: 40, facts };
          const written = [...later, noFacts].reduce<Order>(
            (order, fact, at) => recorded(order, fact, { nowMs: at + 2, endId: `end-${at}` }),
            sent,
          );
          return written.facts.stoppedAt < last.number || !maySend(written.facts);
        }),
        { numRuns },
      ),
  },
  {
    law: 'L6',
    says: 'a sign of life or another attempt takes an end’s name away',
    holds: ({ join, fold, ofAttempt, signOf }, numRuns) =>
      fc.assert(
        fc.property(someFacts, someAttempt, (facts, later) => {
          const endIn = (of: Facts) => {
            const status = fold(of);
            return status.kind === 'over' ? status.end : undefined;
          };
          const end = endIn(facts);
          if (!end || end.reason === 'cancelled') return true;
          const next = join(facts, ofAttempt(later));
          const joined = next.attempts[later.id];
          if (!joined) return false;
          const before = facts.attempts[later.id];
          const isNew = !before && later.number > end.number;
          const isHeard = signOf(joined, next) !== (before ? signOf(before, facts) : '');
          return !(isNew || isHeard) || endIn(next)?.id !== end.id;
        }),
        { numRuns },
      ),
  },
  {
    law: 'L7',
    says: 'one revision has one result for ever; it rises with the write that changes the result and with no other, and is marked by it',
    holds: ({ recorded, lastResult }, numRuns) =>
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
            const result = lastResult(order);
            const text = result && resultText(result);
            const isNew = !told.has(revision) && revision === before + 1;
            if (text !== undefined) told.set(revision, text);
            return isNew && text !== undefined && order.unpublished === true;
          });
        }),
        { numRuns },
      ),
  },
  {
    law: 'L7',
    says: 'a hold has a code of holds, and a name is told only where it opens',
    holds: ({ maySend }, numRuns) =>
      fc.assert(
        fc.property(someFacts, (facts) => {
          const { standing, failure, endId } = viewOf({ ...newOrder('acme-eu/INV-1', 1), facts });
          const isNamed = !standings[standing].needsPerson || failure?.code.startsWith('HELD_') === true;
          return isNamed && (endId === undefined || maySend(facts, { resends: endId }) !== undefined);
        }),
        { numRuns },
      ),
  },
  {
    law: 'L8',
    says: 'no order waits without an end: time alone brings it to an end or to a person',
    holds: ({ recorded, fold }, numRuns) =>
      fc.assert(
        fc.property(someFacts, (facts) => {
          const contract = {
            quietPeriodMs: 1,
            horizonMs: 1,
            acceptedHorizonMs: 1,
            endsDenied: false,
            visibleAfterMs: 1,
            namesNewest: false,
          };
          let order = { ...newOrder('acme-eu/INV-1', 1), version: 40, facts };
          for (const at of [1, 2, 3])
            order = recorded(order, noFacts, { nowMs: at * 10 ** 12, contract, endId: `far-${at}` });
          const status = fold(order.facts);
          if (status.kind === 'accepted') return !status.attempt.askable;
          if (status.kind === 'over') return status.end !== undefined;
          return ['new', 'approved', 'held'].includes(status.kind);
        }),
        { numRuns },
      ),
  },
  {
    law: 'L9',
    says: 'a callback is answered as stored only once the ledger has heard of its transaction, whatever its writes meet',
    holds: ({ handleCallback }, numRuns) =>
      fc.assert(
        fc.asyncProperty(
          someFacts,
          fc.array(someFault, { maxLength: 4 }),
          someStatus,
          async (facts, faults, status) => {
            const { key, ports } = calledAbout(facts, faults);
            const said = { status, orderid: '9009', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };
            const control = createHash('sha1').update(`${status}9009INV-1${someControlKey}`).digest('hex');
            const parameters = new Map(Object.entries({ ...said, control }));
            const answer = await handleCallback({ merchant: 'acme-eu', parameters }, ports);
            const read = await ports.orders.read(key);
            return answer === 'refused' || (read.kind === 'found' && JSON.stringify(read.order.facts).includes('9009'));
          },
        ),
        { numRuns },
      ),
  },
  {
    law: 'L10',
    says: 'no byte leaves so late that its exchange could outlast the lease, by either clock, however long it takes to connect',
    holds: ({ createGatewayOver, notAfter }, numRuns) =>
      fc.assert(
        fc.asyncProperty(someTime, someTime, someTime, fc.integer({ min: -300, max: 300 }), async (...drawn) => {
          const [leaseMs = 0, remainingMs = 0, connectMs = 0, setMs = 0] = drawn.map((seconds) => seconds * 1000);
          const exchangeMs = 30_000;
          let [nowMs, uptimeMs, lastByteMs] = [startMs, 0, -Infinity];
          const wire = {
            connect: async () => {
              [nowMs, uptimeMs] = [nowMs + connectMs + setMs, uptimeMs + connectMs];
              return { kind: 'connected', socket: {} } as const;
            },
            isQuiet: () => true,
            exchange: async () => {
              lastByteMs = Math.max(nowMs - startMs, uptimeMs) + exchangeMs;
              return { kind: 'no-answer', reason: 'none' } as const;
            },
            close: async () => {},
          };
          const limits = { gatewayTotalTimeoutMs: exchangeMs, settleReserveMs: 20_000 };
          const it = notAfter({ nowMs, uptimeMs }, { leaseUntilMs: nowMs + leaseMs }, nowMs + remainingMs, { limits });
          const gateway = createGatewayOver(
            wire,
            () => nowMs,
            () => uptimeMs,
          );
          await gateway.post({ url: 'https://gateway.test', headers: {}, body: '', ...it });
          return lastByteMs <= Math.min(leaseMs, remainingMs);
        }),
        { numRuns },
      ),
  },
];

/** Seconds of a lease, of an invocation, or of a connection. */
const someTime = fc.integer({ min: 0, max: 200 });

/** What a write of the ledger meets. */
type Fault = 'none' | 'down' | 'answer lost' | 'another first';
const someFault = fc.constantFrom<Fault>('none', 'down', 'answer lost', 'another first');
const someStatus = fc.constantFrom('approved', 'declined', 'filtered', 'processing', 'unknown');

/** A payout with these facts, whose writes meet these faults, each once. */
function calledAbout(facts: Facts, faults: readonly Fault[]) {
  const content = { operation: 'payout', endpointId: '39915', fingerprint: 'f', money: tenEuros } as const;
  const order: Order = { ...newOrder('acme-eu/INV-1', startMs, content), version: 40, facts };
  const orders = createMemoryOrders(new Map([[order.key, order]]));
  const coming = [...faults];
  const write: typeof orders.write = async (before, next) => {
    const fault = coming.shift();
    if (fault === 'down') throw new Error('no answer');
    if (fault === 'another first') await orders.write(before, { ...before, version: before.version + 1 });
    const written = await orders.write(before, next);
    if (fault === 'answer lost') throw new Error('no answer');
    return written;
  };
  const known = { kind: 'credentials', credentials: someCredentials() } as const;
  return {
    key: order.key,
    ports: {
      callbacks: payneteasyCallbacks,
      controlKeys: { all: async () => new Map([['acme-eu', [createSecretKey(someControlKey, 'utf8')]]]) },
      credentials: { of: async () => known, refresh: async () => known },
      orders: { ...orders, write },
      clock: createManualClock(),
      random: createSeededRandom(),
      log: { write: () => {} },
      metrics: { publish: () => {} },
    },
  };
}

const tenEuros = { currency: 'EUR', minorUnits: 1042n };
