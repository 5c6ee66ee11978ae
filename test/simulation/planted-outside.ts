// Planted bugs of a person who knows the trade and not this code: a wrong unit, a cached
// secret, another currency. Each is one slip in one place.
import type { Sabotage, WorldPorts } from './sabotage.ts';
import { type PlantedBug, step } from './planted-steps.ts';

type Outcomes = typeof import('../../lib/gateway/outcome.ts');
type Inquiry = typeof import('../../lib/gateway/inquiry.ts');

const anyWalk = { foundBy: 'any walk', breaks: /./ } as const;
const ofPorts = (change: (ports: WorldPorts) => Partial<WorldPorts>): { readonly sabotage: Sabotage } => ({
  sabotage: { ports: (ports) => ({ ...ports, ...change(ports) }) },
});

/** The bugs from outside. */
export const outsideBugs: readonly PlantedBug[] = [
  {
    name: 'refused credentials are not fetched anew',
    ...ofPorts(({ credentials }) => ({
      credentials: { ...credentials, refresh: (merchant) => credentials.of(merchant) },
    })),
  },
  {
    name: "a line's message is delayed by milliseconds where SQS takes seconds",
    ...ofPorts(({ waiting }) => ({
      waiting: {
        ...waiting,
        lines: {
          send: (messages) =>
            waiting.lines.send(messages.map((it) => ({ ...it, delaySeconds: it.delaySeconds * 1000 }))),
        },
      },
    })),
  },
  {
    name: 'a check is delayed by milliseconds where SQS takes seconds',
    ...ofPorts(({ ownQueue }) => ({
      ownQueue: {
        send: (messages) => ownQueue.send(messages.map((it) => ({ ...it, delaySeconds: it.delaySeconds * 1000 }))),
      },
    })),
  },
  {
    name: 'a lease is counted in seconds where it is in milliseconds',
    ...ofPorts(({ limits }) => ({ limits: { ...limits, leaseMs: limits.leaseMs / 1000 } })),
  },
  {
    name: 'an answer that was cut off is taken for nothing sent',
    steps: [
      step('../../lib/gateway/outcome.ts', ({ judge }: Outcomes) => ({
        judge: (...[evidence, order, profile]: Parameters<Outcomes['judge']>) =>
          judge(
            evidence.kind === 'no-answer' && evidence.httpStatus !== undefined
              ? { kind: 'not-sent', reason: 'cut off' }
              : evidence,
            order,
            profile,
          ),
      })),
    ],
  },
  {
    name: 'an order id with another content is taken for the same order',
    steps: [step('../../lib/payout/message/fingerprint.ts', () => ({ comparedWith: () => 'same' }))],
  },
  {
    name: 'the currency of a request is another than its order',
    ...ofPorts(({ gateway }) => ({
      gateway: {
        post: (request) => gateway.post({ ...request, body: request.body.replace('currency=EUR', 'currency=USD') }),
      },
    })),
  },
  {
    name: 'a refused message is laid on no dead-letter queue',
    ...ofPorts(({ jobsQueue }) => ({ jobsQueue: { ...jobsQueue, sendDeadLetters: async () => new Set<number>() } })),
  },
  {
    name: 'a status 404 is taken for a denial',
    steps: [
      step('../../lib/gateway/inquiry.ts', ({ judgeInquiry }: Inquiry) => ({
        judgeInquiry: (...given: Parameters<Inquiry['judgeInquiry']>) => {
          const [evidence] = given;
          const isThere = evidence.kind !== 'answer' || evidence.httpStatus !== 404;
          return isThere ? judgeInquiry(...given) : { kind: 'unknown-order' };
        },
      })),
    ],
  },
].map((bug) => ({ ...anyWalk, ...bug }));
