// The scheduled retry: dead letters that have waited long enough and that it is safe and useful to send again without a
// person, within a budget for the run and a number of times for each message. Nothing that a person or an inquiry has
// ended, nothing that would come straight back, nothing for a merchant that is paused or stopped on doubt.
import { isRetriedUnattended, redriveClasses } from './redrive.ts';
import { type JudgedDeadLetter, redrivePlan } from './redrive-plan.ts';
import { redrivesOf } from './dead-letter.ts';
import type { DeadMessage } from './dead-letter-ports.ts';
import { judgeDeadLetter } from './plan-redrive.ts';
import type { Log } from '../payout/ports.ts';
import { moveDeadLetters, type RedrivePorts } from './redrive-dead-letters.ts';
import { type Walk, scanDeadLetters, type WalkLimits } from './scan-dead-letters.ts';

/** What the scheduled retry needs. */
export interface RedriveDuePorts extends RedrivePorts {
  readonly log: Log;
}

/** The rules of the scheduled retry. */
export interface RedriveRules {
  /** Letters younger than this are left alone. */
  readonly afterSeconds: number;
  /** Letters moved in one run at most. */
  readonly budget: number;
  /** Times that one message is brought back at most; then it waits for a person. */
  readonly timesAtMost: number;
}

/** What one run did. */
export interface RedriveRun {
  readonly redriven: number;
  /** Letters that stay, by why: too young, brought back often enough, or their class. */
  readonly left: Readonly<Record<string, number>>;
  readonly walk: Walk;
}

/** One run. */
export async function redriveDue(
  rules: RedriveRules,
  ports: RedriveDuePorts,
  limits: WalkLimits = {},
): Promise<RedriveRun> {
  const left = new Map<string, number>();
  const leave = (why: string) => void left.set(why, (left.get(why) ?? 0) + 1);
  const chosen: JudgedDeadLetter[] = [];
  let redriven = 0;

  async function look(deadLetters: readonly DeadMessage[]) {
    const going: DeadMessage[] = [];
    for (const deadLetter of deadLetters) {
      const why =
        whyNotDue(deadLetter, rules, ports.clock.nowMs()) ?? (await whyLeft(deadLetter, chosen, rules, ports));
      if (why === undefined) going.push(deadLetter);
      else leave(why);
    }
    const ends = await moveDeadLetters(going, ports.deadLetters);
    const gone = [...ends].filter(([, end]) => end === 'redriven').map(([deadLetter]) => deadLetter);
    redriven += [...ends].filter(([, end]) => end !== 'not-taken').length;
    for (const end of ends.values()) if (end === 'not-taken') leave('not-taken');
    return { gone, enough: chosen.length >= rules.budget };
  }

  const walk = await scanDeadLetters(look, ports, limits);
  ports.log.write('info', 'redrive', { records: redriven, failedRecords: walk.seen - redriven });
  return { redriven, left: Object.fromEntries(left), walk };
}

function whyNotDue(
  deadLetter: DeadMessage,
  { afterSeconds, timesAtMost }: RedriveRules,
  nowMs: number,
): string | undefined {
  if (nowMs - deadLetter.sentAtMs < afterSeconds * 1000) return 'too-young';
  return redrivesOf(deadLetter) >= timesAtMost ? 'often-enough' : undefined;
}

/** Judged together with what this run has moved already; where it may go, it is counted among them. */
async function whyLeft(
  deadLetter: DeadMessage,
  chosen: JudgedDeadLetter[],
  { budget }: RedriveRules,
  ports: RedriveDuePorts,
): Promise<string | undefined> {
  if (chosen.length >= budget) return 'budget';
  const judged = await judgeDeadLetter(deadLetter, ports);
  const planned = redrivePlan([...chosen, judged]).deadLetters.at(-1) ?? judged;
  if (!redriveClasses[planned.class].moves) return planned.class;
  if (!isRetriedUnattended(planned)) return 'needs-a-person';
  chosen.push(judged);
  return undefined;
}
