// The canary order: a check of one card, which moves no money, sent by the sweeper as any sender would send it: one a minute while
// traffic shifts from one version to another, else one at each whole hour. It goes all the way of an order, through whichever
// version takes it. Its merchant has a name of its own, by which readers of results leave it aside.
import type { OperationName } from '../gateway/operations.ts';
import type { SweepRound } from './inquire/due-work.ts';
import { errorFields } from './log-fields.ts';
import type { Clock, Log } from './ports.ts';

/** The canary's merchant; `SECRET_PREFIX` and this name the secret. */
export const canaryMerchant = 'canary';

const canaryOperation = 'pan-eligibility' satisfies OperationName;

/** The card that the canary checks, and the endpoint. */
export interface Canary {
  readonly endpointId: string;
  /** The gateway's reference of a card that is eligible. */
  readonly cardReference: string;
}

/** Reads "39915:1234567890"; undefined where it can't be read. */
export function readCanary(text: string): Canary | undefined {
  const [, endpointId, cardReference] = /^((?:group\/)?[A-Za-z0-9_-]{1,16}):(\d{1,20})$/.exec(text) ?? [];
  return endpointId === undefined || cardReference === undefined ? undefined : { endpointId, cardReference };
}

/** The job of a minute: two sweeps in it send one order. No minute comes again, so neither does an order id. */
function canaryJob({ endpointId, cardReference }: Canary, nowMs: number): string {
  const minute = new Date(nowMs).toISOString().slice(0, 16).replaceAll(/\D/g, '');
  return JSON.stringify({
    version: 1,
    operation: canaryOperation,
    merchant: canaryMerchant,
    endpointId,
    orderId: `canary-${minute}`,
    params: { 'sending-card-ref-id': cardReference },
  });
}

/** True for the canary's order or result. Any other order of that merchant's name is its sender's. */
export function isCanary({
  merchant,
  operation,
  orderId = '',
}: {
  readonly merchant?: string;
  readonly operation?: OperationName;
  readonly orderId?: string;
}): boolean {
  return merchant === canaryMerchant && operation === canaryOperation && /^canary-\d{12}$/.test(orderId);
}

/** The jobs queue, as its sender uses it. */
interface CanaryPorts {
  readonly sendJob: (body: string) => Promise<void>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Log;
}

const minuteMs = 60_000;
const minutesOfHour = 60;

/**
 * The round with a canary after it, and its figures with those of the canary: it follows the round that knows whether traffic
 * shifts, as nobody else has to.
 */
export function withCanary(live: SweepRound, canary: Canary, { sendJob, clock, log }: CanaryPorts): SweepRound {
  return {
    ...live,
    async run(deadlineMs) {
      const values = await live.run(deadlineMs);
      const nowMs = clock.nowMs();
      const isWholeHour = Math.floor(nowMs / minuteMs) % minutesOfHour === 0;
      if (values.trafficShifts === undefined && !isWholeHour) return values;
      try {
        await sendJob(canaryJob(canary, nowMs));
        return { ...values, canariesSent: 1 };
      } catch (error) {
        // The sweep goes on, as it has more to do: an alarm of its own rings when no canary is answered.
        log.write('error', 'canary-unsent', errorFields(error));
        return values;
      }
    },
  };
}
