// Planted bugs of a payout in two steps: doubt about its payment is taken for rest, for refusal or for acceptance.
import type { GatewayOutcome } from '../../lib/gateway/gateway-outcome.ts';
import type { SeenOrder } from './seen.ts';
import { type PlantedBug, step } from './planted-steps.ts';

const failure = { code: 'CHECK_VALIDATED', message: 'it seems to rest' } as const;
/** Back at its check, as if no payment had been sent. */
const atRest = (entry: SeenOrder): SeenOrder => {
  const { unproven: _, inquiries: _looks, ...rest } = entry;
  return { ...rest, operation: 'payout-check', state: 'held', final: false, failure, revision: entry.revision + 1 };
};

type Outcome = typeof import('../../lib/gateway/outcome.ts');
type Settlement = typeof import('../../lib/payout/settlement.ts');
type Steps = typeof import('../../lib/payout/inquiry-step.ts');
type Inquiry = typeof import('../../lib/gateway/inquiry.ts');

/** All of them. */
export const twoStepBugs: readonly PlantedBug[] = [
  {
    name: 'a refusal of a payment is counted as declined',
    foundBy: 'steps',
    breaks: /paid, and told as declined/,
    steps: [
      step('../../lib/gateway/outcome.ts', ({ judge }: Outcome) => ({
        judge: (...[evidence, order, profile]: Parameters<typeof judge>): GatewayOutcome => {
          const outcome = judge(evidence, order, profile);
          const isRefusal = evidence.kind === 'answer' && evidence.body.includes('error-code');
          return order.operation === 'payout-pay' && isRefusal && outcome.kind === 'in-doubt'
            ? { kind: 'declined', failure: outcome.failure }
            : outcome;
        },
      })),
    ],
  },
  {
    name: 'a payment whose worker died goes back to its rest',
    foundBy: 'steps',
    breaks: /was paid \d times/,
    steps: [
      step('../../lib/payout/settlement.ts', ({ abandoned }: Settlement) => ({
        abandoned: (...[entry, context]: Parameters<typeof abandoned>) =>
          entry.operation === 'payout-pay' ? atRest(entry) : abandoned(entry, context),
      })),
    ],
  },
  {
    name: 'a payment in doubt that the gateway shows at its check goes back to its rest',
    foundBy: 'steps',
    breaks: /was paid \d times/,
    steps: [
      step('../../lib/payout/inquiry-step.ts', ({ afterInquiry }: Steps) => ({
        afterInquiry: (...[entry, finding, it]: Parameters<typeof afterInquiry>) =>
          entry.operation === 'payout-pay' && finding.kind === 'unclear' && finding.reason.includes('stage')
            ? { next: atRest(entry) }
            : afterInquiry(entry, finding, it),
      })),
    ],
  },
  {
    name: 'the stage of a check is taken for that of its payment',
    foundBy: 'steps',
    breaks: /told as accepted, and nothing was paid/,
    steps: [
      step('../../lib/gateway/inquiry.ts', ({ judgeInquiry }: Inquiry) => ({
        judgeInquiry: (...[evidence, order, profile]: Parameters<typeof judgeInquiry>) =>
          judgeInquiry(
            evidence.kind === 'answer' && order.operation === 'payout-pay'
              ? { ...evidence, body: evidence.body.replace('payout_check_validated', 'payout_processing') }
              : evidence,
            order,
            profile,
          ),
      })),
    ],
  },
];
