// Planted bugs of a payout in two steps: doubt about its payment is taken for refusal or for acceptance.
import type { GatewayOutcome } from '../../lib/gateway/gateway-outcome.ts';
import { type PlantedBug, step } from './planted-steps.ts';

type Outcome = typeof import('../../lib/gateway/outcome.ts');
type Inbox = typeof import('../../lib/payout/inquire/inbox.ts');
type Inquiry = typeof import('../../lib/gateway/inquiry.ts');

/** The bugs of two steps. */
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
  {
    name: 'an approval of a check or its payment is taken for one of the payment',
    foundBy: 'steps',
    breaks: /told as approved, and nothing was paid/,
    steps: [
      step('../../lib/payout/inquire/inbox.ts', ({ readInbox }: Inbox) => ({
        readInbox: (...[order, credentials, ...rest]: Parameters<typeof readInbox>) => {
          const profile = { ...credentials.profile, statusInquiry: false };
          return readInbox(order, { ...credentials, profile }, ...rest);
        },
      })),
    ],
  },
];
