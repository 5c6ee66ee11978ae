// Planted bugs of judgement: evidence misread, outcomes misjudged. Each claims more than is known about the money.
import type { Evidence } from '../../lib/gateway/ports.ts';
import type { GatewayOutcome } from '../../lib/gateway/gateway-outcome.ts';
import { type PlantedBug, step } from './planted-steps.ts';

type Judge = typeof import('../../lib/gateway/outcome.ts').judge;

const outcomeStep = (judge: (honest: Judge) => Judge) => [
  step('../../lib/gateway/outcome.ts', (honest: typeof import('../../lib/gateway/outcome.ts')) => ({
    judge: judge(honest.judge),
  })),
];

/** Evidence misread before it is judged. */
export const misread = (read: (evidence: Evidence) => Evidence) =>
  outcomeStep((judge) => (evidence, job, profile) => judge(read(evidence), job, profile));

/** An outcome misjudged. */
const misjudged = (change: (outcome: GatewayOutcome, evidence: Evidence) => GatewayOutcome) =>
  outcomeStep((judge) => (evidence, job, profile) => change(judge(evidence, job, profile), evidence));

const notSent = { kind: 'not-sent', reason: 'nothing was sent' } as const;
const failure = { code: 'NOT_SENT', message: 'nothing was sent' } as const;

/** The bugs of judgement. */
export const judgementBugs: readonly PlantedBug[] = [
  {
    name: 'a time-out is counted as not sent',
    foundBy: 'cuts',
    breaks: /is retryable, though its POST may have moved money/,
    steps: misread((it) => (it.kind === 'no-answer' && it.reason.includes('took longer') ? notSent : it)),
  },
  {
    name: 'a reset is counted as not sent',
    foundBy: 'cuts',
    breaks: /is retryable, though its POST may have moved money/,
    steps: misread((it) => (it.kind === 'no-answer' && it.reason.includes('ECONNRESET') ? notSent : it)),
  },
  {
    name: 'a 5xx is counted as declined',
    foundBy: 'cuts',
    breaks: /is declined, though its POST may have moved money/,
    steps: misjudged((outcome, it) =>
      it.kind === 'answer' && it.httpStatus >= 500 ? { kind: 'declined', failure } : outcome,
    ),
  },
  {
    name: 'a 409 is counted as declined',
    foundBy: 'cuts',
    breaks: /is declined, though its POST may have moved money/,
    steps: misjudged((outcome, it) =>
      it.kind === 'answer' && it.httpStatus === 409 ? { kind: 'declined', failure } : outcome,
    ),
  },
  {
    name: 'a 200 is counted as accepted without an id',
    foundBy: 'cuts',
    breaks: /is accepted, though the gateway committed nothing/,
    steps: misjudged((outcome, it) =>
      outcome.kind === 'in-doubt' && it.kind === 'answer' && it.httpStatus === 200 ? { kind: 'accepted' } : outcome,
    ),
  },
  {
    name: 'an answer about another order is accepted',
    foundBy: 'cuts',
    breaks: /is accepted, though the gateway committed nothing/,
    steps: misread((it) => (it.kind === 'answer' ? { ...it, body: it.body.replace('SOMEBODY-ELSES', 'order-1') } : it)),
  },
  {
    name: 'a refusal that says the order exists is counted as declined',
    foundBy: 'cuts',
    breaks: /is declined, though its POST may have moved money/,
    steps: misread((it) =>
      it.kind === 'answer'
        ? { ...it, body: it.body.replace('"503"', '"8"').replace('Order already completed', 'no') }
        : it,
    ),
  },
  {
    name: 'doubt is retried',
    foundBy: 'cuts',
    breaks: /is retryable, though its POST may have moved money/,
    steps: misjudged((outcome) =>
      outcome.kind === 'in-doubt' ? { kind: 'not-processed', reason: 'not-sent', failure } : outcome,
    ),
  },
  {
    name: 'the time is judged before connecting',
    foundBy: 'seeds',
    breaks: /after its (lease was over|slot was given)/,
    steps: [
      step(
        '../../lib/gateway/http-gateway.ts',
        ({ createGatewayOver }: typeof import('../../lib/gateway/http-gateway.ts')) => ({
          createGatewayOver: (...[wire, nowMs]: Parameters<typeof createGatewayOver>) => ({
            post: (request: Parameters<ReturnType<typeof createGatewayOver>['post']>[0]) => {
              const judged = nowMs() > request.notAfterMs ? () => Infinity : () => 0;
              return createGatewayOver(wire, judged, judged).post(request);
            },
          }),
        }),
      ),
    ],
  },
];
