// `payouts redrive`: the scheduled retry as a process, for containers and by hand.
import { setTimeout as sleep } from 'node:timers/promises';
import { redriveDue, type RedriveRun } from '../../dead-letters/redrive-due.ts';
import { redrivePorts } from '../../../functions/redrive.ts';
import { interruptible } from '../asking.ts';
import { awsFailureOf } from '../aws-failure.ts';
import { counted } from './dlq-text.ts';
import { configured, say } from '../orders/operator-commands.ts';

/** Options of `payouts redrive`. Times in seconds. */
export interface ScheduledOptions {
  readonly after?: number;
  readonly budget?: number;
  readonly times?: number;
  readonly every: number;
  readonly once: boolean;
  readonly json: boolean;
}

/** One run after the other until it is interrupted; one alone with `--once`. */
export async function runScheduled(options: ScheduledOptions): Promise<number> {
  const { every, once, json } = options;
  const { redriveAfterSeconds, redriveBudget, redriveTimes } = configured(({ limits }) => limits);
  const ports = configured((config) => redrivePorts(config, () => {}));
  const rules = {
    afterSeconds: options.after ?? redriveAfterSeconds,
    budget: options.budget ?? redriveBudget,
    timesAtMost: options.times ?? redriveTimes,
  };
  return interruptible(async (signal) => {
    for (;;) {
      try {
        const run = await redriveDue(rules, ports, { signal });
        say({ json }, { ...run }, runAsText(run));
      } catch (error) {
        // An outage of AWS ends one run, not the schedule; what was held is seen again by itself.
        const failure = awsFailureOf(error);
        if (once || failure === undefined) throw error;
        process.stderr.write(`payouts: AWS did not answer as it should (${failure}); the next run follows\n`);
      }
      if (once || signal.aborted) return 0;
      await sleep(every * 1000, undefined, { signal }).catch(() => {});
      if (signal.aborted) return 0;
    }
  });
}

/** Why letters stay, in words; classes of the plan stand for themselves. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['too-young', 'not old enough'],
  ['often-enough', 'brought back often enough: a person decides'],
  ['needs-a-person', 'ended, held, or decided by a person'],
  ['budget', 'above the budget of this run'],
  ['not-taken', 'not taken by the jobs queue'],
  ['wait', 'merchant paused or stopped, or a worker is at it'],
  ['reject', 'would come straight back'],
  ['after', 'another letter of the order goes first'],
]);

function runAsText({ redriven, left }: RedriveRun): string {
  const stays = Object.entries(left).map(([why, count]) => `  ${count} left: ${reasons.get(why) ?? why}`);
  return [`${counted(redriven, 'letter')} brought back`, ...stays].join('\n');
}
