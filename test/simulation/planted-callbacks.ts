// Planted bugs of callbacks: the forgeries of a stranger, the fields that `control` does not cover, and callbacks that come late.
import { newOrder } from '../../lib/payout/order/order.ts';
import { type Attempt, attemptsOf, type Facts, isStray, type ReportLevel } from '../../lib/payout/order/facts.ts';
import { fold } from '../../lib/payout/order/fold.ts';
import { formatMinorUnits } from '../../lib/gateway/money.ts';
import { type PlantedBug, step } from './planted-steps.ts';

type Inbox = typeof import('../../lib/payout/inquire/inbox.ts');
type Callbacks = typeof import('../../lib/gateway/payneteasy-callbacks.ts');
type Dialect = Callbacks['payneteasyCallbacks'];
type Reports = typeof import('../../lib/payout/order/attribute.ts');
type Read = ReturnType<Inbox['readInbox']>;

const inboxStep = (replace: (honest: Inbox['readInbox']) => Inbox['readInbox']) => [
  step('../../lib/payout/inquire/inbox.ts', ({ readInbox }: Inbox) => ({ readInbox: replace(readInbox) })),
];

const dialectStep = (replace: (honest: Dialect) => Partial<Dialect>) => [
  step('../../lib/gateway/payneteasy-callbacks.ts', ({ payneteasyCallbacks: honest }: Callbacks) => ({
    payneteasyCallbacks: { ...honest, ...replace(honest) },
  })),
];

/** The callback bugs that somebody thought of. */
export const callbackBugs: readonly PlantedBug[] = [
  {
    name: 'a callback is taken without its control',
    foundBy: 'seeds',
    breaks: /a forged callback/,
    steps: dialectStep(() => ({ isAuthentic: () => true, signersOf: (_, credentials) => [credentials] })),
  },
  {
    name: 'the door lets a callback in without its control',
    foundBy: 'seeds',
    breaks: /a forged callback/,
    steps: dialectStep(() => ({ isAuthentic: () => true })),
  },
  {
    name: 'the control of a callback is not verified again where it is judged',
    foundBy: 'any walk',
    breaks: /./,
    steps: dialectStep(() => ({ signersOf: (_, credentials) => [credentials] })),
  },
  {
    name: 'a callback by a control key of before is taken for forged',
    foundBy: 'any walk',
    breaks: /./,
    steps: dialectStep(({ signersOf }) => ({
      signersOf: (callback, secret) => signersOf(callback, { ...secret, earlierAccounts: [] }),
    })),
  },
  {
    name: 'a callback is taken whatever its amount',
    foundBy: 'seeds',
    breaks: /never approved it/,
    steps: inboxStep((readInbox) => (order, ...more) => {
      const { money } = order.content ?? {};
      const amount = money && formatMinorUnits(money.minorUnits, money.currency);
      const inbox = Object.entries(order.inbox).map(([place, it]) => [place, { ...it, ...(amount && { amount }) }]);
      return readInbox({ ...order, inbox: Object.fromEntries(inbox) }, ...more);
    }),
  },
  {
    name: 'a callback about another attempt is taken for one about this',
    foundBy: 'any walk',
    breaks: /./,
    steps: [
      step('../../lib/payout/order/attribute.ts', ({ factsOfReport }: Reports) => ({
        factsOfReport: (...[facts, report]: Parameters<Reports['factsOfReport']>) => {
          const id = attemptsOf(facts).at(-1)?.ids[0] ?? report.id;
          return factsOfReport(facts, { ...report, ...(id !== undefined && { id }) });
        },
      })),
    ],
  },
  {
    name: 'a callback of another account is an alarm alone',
    foundBy: 'seeds',
    breaks: /another account has paid/,
    steps: inboxStep((readInbox) => (...given): Read => {
      const read = readInbox(...given);
      const { facts } = read;
      const unattributed = Object.entries(facts.unattributed).filter(([, it]) => !isStray(it));
      return { ...read, facts: { ...facts, unattributed: Object.fromEntries(unattributed) } };
    }),
  },
  {
    name: 'a callback that comes after an end is thrown away',
    foundBy: 'seeds',
    breaks: /gateway's books|was asked by/,
    steps: inboxStep((readInbox) => (order, ...more) => {
      const isOpen = ['submitting', 'accepted', 'in-doubt', 'held'].includes(fold(order.facts).kind);
      return readInbox(isOpen ? order : { ...order, inbox: {} }, ...more);
    }),
  },
  {
    name: 'a callback that comes twice is counted as another',
    foundBy: 'any walk',
    breaks: /./,
    sabotage: {
      ports: (ports) => {
        let calls = 0;
        return {
          ...ports,
          orders: {
            ...ports.orders,
            note: (key, place, ...more) => ports.orders.note(key, `${place}${(calls += 1)}`, ...more),
          },
        };
      },
    },
  },
  {
    name: 'a callback about an order that nobody sent begins one',
    foundBy: 'seeds',
    breaks: /the ledger accounts for \d+ orders/,
    sabotage: {
      ports: (ports) => ({
        ...ports,
        orders: {
          ...ports.orders,
          async note(key, place, callback, nowMs) {
            const content = { operation: 'payout', endpointId: '39915', fingerprint: '' } as const;
            await ports.orders.put({ ...newOrder(key, nowMs, content), version: 1 });
            await ports.orders.note(key, place, callback, nowMs);
          },
        },
      }),
    },
  },
];

const withReports = (facts: Facts, change: (reports: readonly ReportLevel[]) => readonly ReportLevel[]): Facts => ({
  ...facts,
  attempts: Object.fromEntries(
    Object.values(facts.attempts).map((it): [string, Attempt] => [it.id, { ...it, reports: change(it.reports) }]),
  ),
  unattributed: Object.fromEntries(
    Object.entries(facts.unattributed).map(([id, it]) => [id, { ...it, reports: change(it.reports) }]),
  ),
});

const taken: readonly (readonly [ReportLevel, as: ReportLevel])[] = [
  ['seen', 'approved'],
  ['seen', 'declined'],
  ['approved', 'declined'],
  ['approved', 'seen'],
  ['declined', 'approved'],
  ['declined', 'seen'],
];

/** Each level of a callback is taken for another. */
export const misreadCallbackBugs: readonly PlantedBug[] = [
  ...taken.map(([level, as]): PlantedBug => ({
    name: `what a callback says is ${level} is taken for ${as}`,
    foundBy: 'any walk',
    breaks: /./,
    steps: inboxStep((readInbox) => (...given) => {
      const read = readInbox(...given);
      return { ...read, facts: withReports(read.facts, (all) => all.map((it) => (it === level ? as : it))) };
    }),
  })),
  {
    name: 'what a callback says that fits nowhere is dropped',
    foundBy: 'any walk',
    breaks: /./,
    steps: inboxStep((readInbox) => (...given): Read => {
      const { facts, moreSurprises: _, asked: _undone, ...read } = readInbox(...given);
      return { ...read, facts: { ...facts, surprises: [] }, moreSurprises: 0 };
    }),
  },
];
