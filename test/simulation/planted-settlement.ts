// Planted bugs of settlement: inquiry, doubt, callbacks, sweeper, controls, caps and the operator's tool.
import { type PlantedBug, step } from './planted-steps.ts';
import { formatMinorUnits } from '../../lib/gateway/money.ts';
import type { WorldPorts } from './sabotage.ts';

type Policy = typeof import('../../lib/payout/retry-policy.ts');
type Inquiry = typeof import('../../lib/gateway/inquiry.ts');
type Judge = typeof import('../../lib/payout/judge-callback.ts');

const policyStep = (replace: (honest: Policy) => object) => [step('../../lib/payout/retry-policy.ts', replace)];

type Asked = Parameters<Inquiry['judgeInquiry']>[1];

/** Reads an answer about a status otherwise before it is judged. */
const misheard = (hear: (body: string, entry: Asked) => string) => [
  step('../../lib/gateway/inquiry.ts', ({ judgeInquiry }: Inquiry) => ({
    judgeInquiry: (...[evidence, entry, profile]: Parameters<typeof judgeInquiry>) =>
      judgeInquiry(
        evidence.kind === 'answer' ? { ...evidence, body: hear(evidence.body, entry) } : evidence,
        entry,
        profile,
      ),
  })),
];

const amountOf = ({ money }: Pick<Asked, 'money'>) =>
  money ? { amount: formatMinorUnits(money.minorUnits, money.currency), currency: money.currency } : {};

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

/** All of them. */
export const settlementBugs: readonly PlantedBug[] = [
  {
    name: 'a check is acknowledged before it is made',
    foundBy: 'paths',
    // The chain is only delayed; a callback that nobody repeats is lost.
    breaks: /never settled|gateway's books/,
    sabotage: {
      checksHandler: (handler, checks) => (event, context) => {
        for (const { receiptHandle } of event.Records) checks.delete(receiptHandle);
        return handler(event, context);
      },
    },
  },
  {
    name: 'the result of an inquiry is written without its mark',
    foundBy: 'paths',
    breaks: /sender heard of|last heard of/,
    steps: [
      step('../../lib/payout/due-work.ts', ({ withMark }: typeof import('../../lib/payout/due-work.ts')) => ({
        withMark: (...[entry]: Parameters<typeof withMark>) => withMark(entry, false),
      })),
    ],
  },
  {
    name: 'a negative answer inside the quiet period is taken as proof',
    foundBy: 'paths',
    breaks: /inside the quiet period/,
    steps: policyStep(() => ({
      isUnknownToGateway: (...[, inquiries]: Parameters<Policy['isUnknownToGateway']>) => inquiries.negatives >= 2,
    })),
  },
  {
    name: 'a single negative answer is taken as proof',
    foundBy: 'paths',
    breaks: /after 1 denials/,
    steps: policyStep(() => ({
      isUnknownToGateway: (...[, inquiries]: Parameters<Policy['isUnknownToGateway']>) => inquiries.negatives >= 1,
    })),
  },
  {
    name: "another order's status is taken",
    foundBy: 'seeds',
    breaks: /never approved it|committed nothing/,
    steps: misheard((body, { orderId }) => body.replace('SOMEBODY-ELSES', orderId)),
  },
  {
    name: 'a status of another amount is taken',
    foundBy: 'paths',
    breaks: /never approved it|committed nothing/,
    steps: misheard((body, entry) => body.replace('"99999"', JSON.stringify(amountOf(entry).amount))),
  },
  {
    name: 'an approval of another transaction is taken',
    foundBy: 'any walk',
    breaks: /never approved it|committed nothing/,
    steps: misheard((body) => body.replace(',"transaction-type":"reversal"', '')),
  },
  {
    name: 'a status of error is taken for a decline',
    foundBy: 'any walk',
    breaks: /never declined it/,
    steps: misheard((body) => body.replace('"status":"error"', '"status":"declined"')),
  },
  {
    name: 'a refusal of the question is taken for a denial',
    foundBy: 'any walk',
    breaks: /counts as unknown/,
    steps: misheard((body) => body.replace('"type":"validation-error"', '"type":"error"')),
  },
  {
    name: 'inquiries keep the rhythm of the first minutes',
    foundBy: 'seeds',
    breaks: /inquiries about .* in an hour/,
    steps: policyStep(() => ({ nextInquirySeconds: () => 5, nextInquiryInTimeSeconds: () => 5 })),
  },
  {
    name: 'an end by a callback is written over an end that stands',
    foundBy: 'any walk',
    breaks: /never approved it|never declined it|not in the table|gateway's books/,
    steps: [
      step('../../lib/payout/judge-callback.ts', ({ judgeCallback }: Judge) => ({
        judgeCallback: (...[callback, entry, profile]: Parameters<Judge['judgeCallback']>) =>
          judgeCallback(callback, entry.state === 'submitting' ? entry : { ...entry, state: 'accepted' }, profile),
      })),
    ],
  },
  {
    name: 'a callback is taken without its control',
    foundBy: 'seeds',
    breaks: /a forged callback|never approved it/,
    steps: [step('../../lib/gateway/callback.ts', () => ({ isAuthentic: () => true }))],
  },
  {
    name: 'a callback by a control key of before is taken for forged',
    foundBy: 'seeds',
    breaks: /gateway's books|undone/,
    steps: [
      step('../../lib/gateway/callback.ts', ({ signersOf }: typeof import('../../lib/gateway/callback.ts')) => ({
        signersOf: (...[callback, secret]: Parameters<typeof signersOf>) =>
          signersOf(callback, { ...secret, earlierAccounts: [] }),
      })),
    ],
  },
  {
    name: 'a callback is taken whatever its amount',
    foundBy: 'seeds',
    breaks: /never approved it/,
    steps: [
      step('../../lib/payout/judge-callback.ts', ({ judgeCallback }: Judge) => ({
        judgeCallback: (...[callback, entry, profile]: Parameters<Judge['judgeCallback']>) =>
          judgeCallback({ ...callback, ...amountOf(entry) }, entry, profile),
      })),
    ],
  },
  {
    name: 'the sweeper sends doubtful orders again instead of asking',
    foundBy: 'seeds',
    breaks: /may have moved money|stranded as retryable/,
    sabotage: {
      ports: (ports) => ({
        ...ports,
        dueWork: {
          async *dueWork(kind, beforeMs, which) {
            for await (const entry of ports.dueWork.dueWork(kind, beforeMs, which)) {
              yield entry;
              if (!['submitting', 'in-doubt'].includes(entry.state) || beforeMs === Number.MAX_SAFE_INTEGER) continue;
              const { failure: _, ...rest } = entry;
              const again = { ...rest, state: 'retryable' as const, revision: entry.revision + 1 };
              await ports.ledger.advance(entry, again);
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
    steps: [step('../../lib/payout/accepted-rhythm.ts', () => ({ isPastHorizon: () => false }))],
  },
  {
    name: 'a pause is not honoured',
    foundBy: 'seeds',
    breaks: /was paused before/,
    steps: [
      step('../../lib/payout/control.ts', ({ askControls }: typeof import('../../lib/payout/control.ts')) => ({
        askControls: async (...asked: Parameters<typeof askControls>) => {
          const verdict = await askControls(...asked);
          return 'because' in verdict && verdict.because === 'paused' ? { kind: 'go' } : verdict;
        },
      })),
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
    breaks: /under the same revision|told differently|which was not|was followed by/,
    sabotage: {
      store: (ledger, entries) => ({
        ...ledger,
        async advance(expected, next) {
          if (!['approved', 'declined'].includes(expected.state)) return ledger.advance(expected, next);
          entries.set(next.key, { ...next, revision: expected.revision });
          return { kind: 'advanced' };
        },
      }),
    },
  },
];
