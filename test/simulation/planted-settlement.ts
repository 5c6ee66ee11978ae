// Planted bugs of settlement: inquiry, doubt, sweeper, controls, caps and the operator's tool.
import { formatMinorUnits } from '../../lib/gateway/money.ts';
import { type Attempt, attemptsOf, type Facts, join } from '../../lib/payout/order/facts.ts';
import { clockSkewMs, type Contract } from '../../lib/payout/order/next.ts';
import { type PlantedBug, step } from './planted-steps.ts';
import type { WorldPorts } from './sabotage.ts';

type Next = typeof import('../../lib/payout/order/next.ts');
type Inquiry = typeof import('../../lib/gateway/inquiry.ts');
type Findings = typeof import('../../lib/payout/inquire/finding-facts.ts');
type Rhythm = typeof import('../../lib/payout/inquire/rhythm.ts');
type OpenWork = typeof import('../../lib/payout/order/open-work.ts');
type Asked = Parameters<Inquiry['judgeInquiry']>[1];

/** The facts of time, by a contract that was misread. */
const timeUnder = (misread: (contract: Contract) => Contract) => [
  step('../../lib/payout/order/next.ts', ({ factsOfTime }: Next) => ({
    factsOfTime: (...[facts, nowMs, contract]: Parameters<Next['factsOfTime']>) =>
      factsOfTime(facts, nowMs, misread(contract)),
  })),
];

/** Misreads an answer about a status before it is judged. */
const misheard = (hear: (body: string, asked: Asked) => string) => [
  step('../../lib/gateway/inquiry.ts', ({ judgeInquiry }: Inquiry) => ({
    judgeInquiry: (...[evidence, asked, profile]: Parameters<typeof judgeInquiry>) =>
      judgeInquiry(
        evidence.kind === 'answer' ? { ...evidence, body: hear(evidence.body, asked) } : evidence,
        asked,
        profile,
      ),
  })),
];

const amountOf = ({ money }: Asked) => (money ? formatMinorUnits(money.minorUnits, money.currency) : '');

/** The attempt as if it had never left this machine. */
const asUnsent = (attempt: Attempt): Attempt => {
  const { lapsed: _, ...rest } = attempt;
  const said = { code: 'NOT_SENT', message: 'it seems to rest' } as const;
  return { ...rest, answer: { kind: 'refused', about: 'pace', connected: false, atMs: attempt.atMs, ...said } };
};

const eachAttempt = (facts: Facts, change: (attempt: Attempt) => Attempt): Facts => ({
  ...facts,
  attempts: Object.fromEntries(attemptsOf(facts).map((it) => [it.id, change(it)])),
});

/** The attempt with a lease that was over from the beginning. */
const withoutLease = (attempt: Attempt): Attempt => ({ ...attempt, leaseUntilMs: attempt.atMs - clockSkewMs });

/** Money is counted only once it has left. */
function countedAfterwards(ports: WorldPorts): WorldPorts {
  let waiting: (() => Promise<unknown>)[] = [];
  return {
    ...ports,
    spending: {
      ...ports.spending,
      async count(cap, units) {
        waiting.push(() => ports.spending.count(cap, units));
        return 'counted';
      },
    },
    gateway: {
      async post(request) {
        const counts = waiting;
        waiting = [];
        const evidence = await ports.gateway.post(request);
        for (const count of counts) await count();
        return evidence;
      },
    },
  };
}

/** The bugs of settlement. */
export const settlementBugs: readonly PlantedBug[] = [
  {
    name: 'an answer on the own queue is acknowledged before it is written',
    foundBy: 'any walk',
    breaks: /./,
    sabotage: {
      checksHandler:
        (handler, { own }) =>
        (event, context) => {
          for (const { receiptHandle } of event.Records) own.delete(receiptHandle);
          return handler(event, context);
        },
    },
  },
  {
    name: 'the result of an inquiry is written without its mark',
    foundBy: 'any walk',
    breaks: /./,
    sabotage: {
      ports: (ports) => ({
        ...ports,
        orders: {
          ...ports.orders,
          write(before, next) {
            if (before.unpublished) return ports.orders.write(before, next);
            const { unpublished: _, ...unmarked } = next;
            return ports.orders.write(before, unmarked);
          },
        },
      }),
    },
  },
  {
    name: 'a check that changes nothing takes the mark of an untold result away',
    foundBy: 'seeds',
    breaks: /does not come to rest|sender (last )?heard/,
    steps: [
      step('../../lib/payout/order/open-work.ts', ({ lookedAt }: OpenWork) => ({
        lookedAt(...given: Parameters<OpenWork['lookedAt']>) {
          const { unpublished: _, ...order } = lookedAt(...given);
          return order;
        },
      })),
    ],
  },
  {
    name: 'the order of a lost worker is sent again',
    foundBy: 'seeds',
    breaks: /past its horizon|may have moved money/,
    steps: [
      step('../../lib/payout/order/next.ts', ({ factsOfTime }: Next) => ({
        factsOfTime: (...given: Parameters<Next['factsOfTime']>) =>
          eachAttempt(factsOfTime(...given), (it) => (it.lapsed?.code === 'WORKER_LOST' ? asUnsent(it) : it)),
      })),
    ],
  },
  {
    name: 'a single negative answer is taken as proof',
    foundBy: 'seeds',
    breaks: /after \d+ denials|inside the quiet period/,
    steps: timeUnder((contract) => ({ ...contract, quietPeriodMs: 0 })),
  },
  {
    name: 'a negative answer inside the quiet period is taken as proof',
    foundBy: 'seeds',
    breaks: /inside the quiet period/,
    steps: timeUnder((contract) => ({ ...contract, quietPeriodMs: Math.min(contract.quietPeriodMs, 60_000) })),
  },
  {
    name: 'the gateway does not know what is still under its lease, and that is taken as proof',
    foundBy: 'any walk',
    breaks: /./,
    steps: [
      step('../../lib/payout/order/next.ts', ({ factsOfTime }: Next) => ({
        factsOfTime: (...[facts, nowMs, contract]: Parameters<Next['factsOfTime']>) =>
          factsOfTime(eachAttempt(facts, withoutLease), nowMs, contract),
      })),
      step('../../lib/payout/inquire/finding-facts.ts', ({ factsOfFinding }: Findings) => ({
        factsOfFinding: (...[question, finding, nowMs]: Parameters<Findings['factsOfFinding']>) => {
          const order = { ...question.order, facts: eachAttempt(question.order.facts, withoutLease) };
          return factsOfFinding({ ...question, order, attempt: withoutLease(question.attempt) }, finding, nowMs);
        },
      })),
    ],
  },
  {
    name: "another order's status is taken",
    foundBy: 'seeds',
    breaks: /never approved it|committed nothing/,
    steps: misheard((body, { orderId }) => body.replace('SOMEBODY-ELSES', orderId)),
  },
  {
    name: 'a status of another amount is taken',
    foundBy: 'seeds',
    breaks: /never approved it|committed nothing/,
    steps: misheard((body, asked) => body.replace('"99999"', JSON.stringify(amountOf(asked)))),
  },
  {
    name: 'an approval of another transaction is taken',
    foundBy: 'any walk',
    breaks: /./,
    steps: misheard((body) => body.replace(',"transaction-type":"reversal"', '')),
  },
  {
    name: 'a status of error is taken for a decline',
    foundBy: 'seeds',
    breaks: /never declined it/,
    steps: misheard((body) => body.replace('"status":"error"', '"status":"declined"')),
  },
  {
    name: 'a refusal of the question is taken for a denial',
    foundBy: 'seeds',
    breaks: /counts as unknown/,
    steps: misheard((body) => body.replace('"type":"validation-error"', '"type":"error"')),
  },
  {
    name: 'inquiries keep the rhythm of the first minutes',
    foundBy: 'seeds',
    breaks: /inquiries about .* in an hour/,
    steps: [
      step('../../lib/payout/inquire/rhythm.ts', ({ nextLookSeconds }: Rhythm) => ({
        nextLookSeconds: (...given: Parameters<Rhythm['nextLookSeconds']>) =>
          nextLookSeconds(...given) === undefined ? undefined : 5,
      })),
    ],
  },
  {
    name: 'the next check bears the number of the one after it',
    foundBy: 'seeds',
    breaks: /past its horizon|never settled/,
    sabotage: {
      ports: (ports) => ({
        ...ports,
        ownQueue: {
          send: (messages) =>
            ports.ownQueue.send(
              messages.map((it) =>
                it.message.kind === 'check' ? { ...it, message: { ...it.message, number: it.message.number + 1 } } : it,
              ),
            ),
        },
      }),
    },
  },
  {
    name: 'a check is asked about whatever its number',
    foundBy: 'seeds',
    breaks: /without having taken its turn/,
    sabotage: {
      ports: (ports) => ({
        ...ports,
        orders: {
          ...ports.orders,
          write: (before, next) =>
            next.looks > before.looks
              ? ports.orders.write(before, next).then(() => ({ kind: 'written' }))
              : ports.orders.write(before, next),
        },
      }),
    },
  },
  {
    name: 'the sweeper sends doubtful orders again instead of asking',
    foundBy: 'seeds',
    breaks: /was wiped out|may have moved money/,
    sabotage: {
      ports: (ports) => ({
        ...ports,
        dueWork: {
          ...ports.dueWork,
          async *dueWork(kind, beforeMs, which) {
            for await (const order of ports.dueWork.dueWork(kind, beforeMs, which)) {
              yield order;
              if (kind !== 'in-doubt') continue;
              const stands = await ports.orders.read(order.key);
              if (stands.kind !== 'found') continue;
              const [version, facts] = [stands.order.version + 1, eachAttempt(stands.order.facts, asUnsent)];
              await ports.orders.write(stands.order, { ...stands.order, version, facts });
            }
          },
        },
      }),
    },
  },
  {
    name: 'the horizon of doubt is ignored',
    foundBy: 'seeds',
    breaks: /past its horizon/,
    steps: timeUnder((contract) => ({ ...contract, horizonMs: 8.64e15 })),
  },
  {
    name: 'a pause is not honoured',
    foundBy: 'seeds',
    breaks: /was paused before/,
    steps: [
      step(
        '../../lib/payout/operate/control.ts',
        ({ askControls }: typeof import('../../lib/payout/operate/control.ts')) => ({
          askControls: async (...asked: Parameters<typeof askControls>) => {
            const verdict = await askControls(...asked);
            return 'because' in verdict && verdict.because === 'paused' ? { kind: 'go' } : verdict;
          },
        }),
      ),
    ],
  },
  {
    name: 'an order is counted towards its cap only after its POST',
    foundBy: 'seeds',
    breaks: /above its cap/,
    sabotage: { ports: countedAfterwards },
  },
  {
    name: 'an order is released without asking the gateway',
    foundBy: 'paths',
    breaks: /gateway's books|paid twice/,
    sabotage: {
      operatorPorts: (ports) => ({
        ...ports,
        credentials: {
          ...ports.credentials,
          async of(merchant) {
            const answer = await ports.credentials.of(merchant);
            if (answer.kind === 'unavailable') return answer;
            const { credentials } = answer;
            return {
              ...answer,
              credentials: { ...credentials, profile: { ...credentials.profile, statusInquiry: false } },
            };
          },
        },
      }),
    },
  },
  {
    name: 'a late truth bears the revision of what it corrects',
    foundBy: 'seeds',
    breaks: /a revision got another content/,
    sabotage: {
      store: (orders) => ({
        ...orders,
        write: (before, next) =>
          orders.write(before, {
            ...next,
            published: {
              ...next.published,
              revision: Math.max(before.published.revision, Math.min(next.published.revision, 1)),
            },
          }),
      }),
    },
  },
  {
    name: 'the record is deleted on an error',
    foundBy: 'seeds',
    breaks: /a second POST left/,
    sabotage: {
      store: (orders, items) => ({
        ...orders,
        async write(before, next) {
          const write = await orders.write(before, next);
          const isUnclear = attemptsOf(next.facts).some(({ lapsed }) => lapsed);
          if (write.kind === 'written' && isUnclear) items.delete(next.key);
          return write;
        },
      }),
    },
  },
  {
    name: 'the answer of a POST is not added to what others have written meanwhile',
    foundBy: 'seeds',
    breaks: /past its horizon|wiped out|vanished uncounted/,
    sabotage: {
      store: (orders) => ({
        ...orders,
        async write(before, next) {
          const write = await orders.write(before, next);
          if (write.kind !== 'found') return write;
          const { version } = write.order;
          return orders.write(write.order, { ...next, version: version + 1 });
        },
      }),
    },
  },
  {
    name: 'what one look finds takes the place of what was known',
    foundBy: 'seeds',
    breaks: /a report of an attempt was wiped out/,
    steps: [
      step('../../lib/payout/order/facts.ts', ({ join: honest }: { readonly join: typeof join }) => ({
        join: (...[before, added]: Parameters<typeof join>) => {
          const joined = honest(before, added);
          return eachAttempt(joined, (it) => {
            const word = added.attempts[it.id]?.reports ?? [];
            return word.length > 0 ? { ...it, reports: word } : it;
          });
        },
      })),
    ],
  },
];
