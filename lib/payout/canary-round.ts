// When the canary order is sent: one a minute while traffic shifts from one version to another, else one at each whole hour. It
// follows the round that knows whether traffic shifts, as nobody else has to.
import type { SweepRound } from './inquire/due-work.ts';
import { errorFields } from './log-fields.ts';
import { type Canary, canaryJob } from './message/canary.ts';
import type { Clock, Log } from './ports.ts';

/** The jobs queue, as its sender uses it. */
interface CanaryPorts {
  readonly sendJob: (body: string) => Promise<void>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Log;
}

const minuteMs = 60_000;
const minutesOfHour = 60;

/** The round with a canary after it, and its figures with those of the canary. */
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
