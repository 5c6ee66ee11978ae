// Planted bugs as somebody would think of them who knows the trade and not this code: a forgotten await, a wrong unit, a
// mark that goes too early, a cached secret. Each is one slip in one place.
import type { Sabotage, WorldPorts } from './sabotage.ts';
import { type PlantedBug, step } from './planted-steps.ts';

type Claim = typeof import('../../lib/payout/claim.ts');
type Policy = typeof import('../../lib/payout/retry-policy.ts');
type Outcomes = typeof import('../../lib/gateway/outcome.ts');
type Due = typeof import('../../lib/payout/due-work.ts');
type Inquiry = typeof import('../../lib/gateway/inquiry.ts');

const anyWalk = { foundBy: 'any walk', breaks: /./ } as const;
const ofPorts = (change: (ports: WorldPorts) => Partial<WorldPorts>): { readonly sabotage: Sabotage } => ({
  sabotage: { ports: (ports) => ({ ...ports, ...change(ports) }) },
});
const claimStep = (replace: (honest: Claim) => object) => ({ steps: [step('../../lib/payout/claim.ts', replace)] });

/** All of them. */
export const outsideBugs: readonly PlantedBug[] = [
  {
    name: 'the write of an outcome is not awaited',
    ...ofPorts(({ ledger }) => ({
      ledger: {
        ...ledger,
        async advance(expected, next) {
          void ledger.advance(expected, next).catch(() => {});
          return { kind: 'advanced' };
        },
      },
    })),
  },
  {
    name: 'a lease is counted in seconds where it is in milliseconds',
    ...claimStep(({ newEntry, takenOver }) => ({
      takenOver: (...[entry, request]: Parameters<Claim['takenOver']>) =>
        takenOver(entry, { ...request, leaseMs: request.leaseMs / 1000 }),
      newEntry: (request: Parameters<Claim['newEntry']>[0]) =>
        newEntry({ ...request, leaseMs: request.leaseMs / 1000 }),
    })),
  },
  {
    name: 'a lease is over a minute before its time',
    ...claimStep(({ decideClaim }) => ({
      decideClaim: (...[entry, request]: Parameters<Claim['decideClaim']>) =>
        decideClaim({ ...entry, leaseUntilMs: entry.leaseUntilMs - 60_000 }, request),
    })),
  },
  {
    name: 'a claim that takes an order over does not raise its revision',
    ...claimStep(({ takenOver }) => ({
      takenOver: (...[entry, request]: Parameters<Claim['takenOver']>) => ({
        ...takenOver(entry, request),
        revision: entry.revision,
      }),
    })),
  },
  {
    name: 'a claim that takes an order over counts its attempts anew',
    ...claimStep(({ takenOver }) => ({
      takenOver: (...given: Parameters<Claim['takenOver']>) => ({ ...takenOver(...given), attempts: 1 }),
    })),
  },
  {
    name: 'a claim that takes an order over forgets the attempts before it',
    ...claimStep(({ takenOver }) => ({
      takenOver(...given: Parameters<Claim['takenOver']>) {
        const { earlierAttempts: _, ...entry } = takenOver(...given);
        return entry;
      },
    })),
  },
  {
    name: 'every message of an order that failed is a new request',
    ...claimStep(({ decideClaim }) => ({
      decideClaim: (...[entry, request]: Parameters<Claim['decideClaim']>) =>
        entry.state === 'failed' && entry.owner !== request.owner ? { kind: 'take-over' } : decideClaim(entry, request),
    })),
  },
  {
    name: 'the mark of a result that was not told is taken away',
    ...ofPorts(({ ledger }) => ({
      ledger: { ...ledger, markUnpublished: (entry) => ledger.markUnpublished(entry, false) },
    })),
  },
  {
    name: 'refused credentials are not fetched anew',
    ...ofPorts(({ credentials }) => ({
      credentials: { ...credentials, refresh: (merchant) => credentials.of(merchant) },
    })),
  },
  {
    name: 'a copy is delayed by milliseconds where SQS takes seconds',
    ...ofPorts(({ jobsQueue }) => ({
      jobsQueue: {
        ...jobsQueue,
        sendCopies: (copies) =>
          jobsQueue.sendCopies(copies.map((it) => ({ ...it, delaySeconds: it.delaySeconds * 1000 }))),
      },
    })),
  },
  {
    name: 'a check is delayed by milliseconds where SQS takes seconds',
    ...ofPorts(({ checksQueue }) => ({
      checksQueue: {
        send: (checks) => checksQueue.send(checks.map((it) => ({ ...it, delaySeconds: it.delaySeconds * 1000 }))),
      },
    })),
  },
  {
    name: 'the next check bears the number of the one after it',
    ...ofPorts(({ checksQueue }) => ({
      checksQueue: {
        send: (checks) =>
          checksQueue.send(checks.map((it) => ({ ...it, check: { ...it.check, inquiries: it.check.inquiries + 1 } }))),
      },
    })),
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
    name: 'the quiet period is counted in seconds where it is in milliseconds',
    steps: [
      step('../../lib/payout/retry-policy.ts', ({ isUnknownToGateway }: Policy) => ({
        isUnknownToGateway: (...[entry, inquiries, profile, nowMs]: Parameters<Policy['isUnknownToGateway']>) =>
          isUnknownToGateway(
            entry,
            inquiries,
            { ...profile, quietPeriodSeconds: profile.quietPeriodSeconds / 1000 },
            nowMs,
          ),
      })),
    ],
  },
  {
    name: 'an unclear status counts among the denials',
    steps: [
      step('../../lib/payout/retry-policy.ts', ({ inquiredOnce }: Policy) => ({
        inquiredOnce: (...[inquiries, , nowMs]: Parameters<Policy['inquiredOnce']>) =>
          inquiredOnce(inquiries, true, nowMs),
      })),
    ],
  },
  {
    name: 'a check that changes nothing takes the mark of an untold result away',
    steps: [
      step('../../lib/payout/due-work.ts', ({ looked }: Due) => ({
        looked(...given: Parameters<Due['looked']>) {
          const { unpublished: _, ...entry } = looked(...given);
          return entry;
        },
      })),
    ],
  },
  {
    name: 'an order id with another content is taken for the same order',
    steps: [step('../../lib/payout/fingerprint.ts', () => ({ comparedWith: () => 'same' }))],
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
