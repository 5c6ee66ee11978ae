// A plan of redrives as JSON: for a person to read, for a file to be agreed on, and back. Its hash is over everything that
// a redrive goes by, so that a plan that was cut short or touched since is refused.
import { tool } from '../../payout/operate/spelling.ts';
import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { amountFields, formatMinorUnits } from '../../gateway/money.ts';
import { type RedriveClass, redriveClasses, type JudgedDeadLetter } from '../../dead-letters/judge-dead-letter.ts';
import { movable, type RedrivePlan } from '../../dead-letters/redrive-dead-letters.ts';
import { jsonFile } from '../file-failure.ts';
import { UsageError } from '../usage-error.ts';

const letterSchema = v.object({
  messageId: v.string(),
  class: v.picklist(Object.keys(redriveClasses) as RedriveClass[]),
  because: v.string(),
  changes: v.boolean(),
  resends: v.exactOptional(v.string()),
  order: v.exactOptional(v.string()),
  batchId: v.exactOptional(v.string()),
  amount: v.exactOptional(v.string()),
  currency: v.exactOptional(v.string()),
});
type DeadLetterLine = v.InferOutput<typeof letterSchema>;

const fileSchema = v.object({ version: v.literal(1), deadLetters: v.array(letterSchema), hash: v.string() });

/** The plan as plain data. */
export function planAsJson(plan: RedrivePlan) {
  const deadLetters = plan.deadLetters.map(lineOf);
  const totals = Object.entries(plan.totals).map(([name, { count, money }]) => {
    const sums = Object.entries(money).map(
      ([currency, units]) => [currency, formatMinorUnits(units, currency)] as const,
    );
    return [name, { count, money: Object.fromEntries(sums) }] as const;
  });
  return {
    version: 1,
    totals: Object.fromEntries(totals),
    moves: movable(plan).size,
    deadLetters,
    hash: hashOf(deadLetters),
  };
}

function lineOf(it: JudgedDeadLetter): DeadLetterLine {
  const { messageId, class: kind, because, changes, resends, order, batchId, money } = it;
  return {
    messageId,
    class: kind,
    because,
    changes,
    ...(resends !== undefined && { resends }),
    ...(order !== undefined && { order }),
    ...(batchId !== undefined && { batchId }),
    ...(money && amountFields(money)),
  };
}

/** Over class, order and opened end of each letter, in the plan's order. */
function hashOf(deadLetters: readonly DeadLetterLine[]): string {
  const agreed = deadLetters.map(({ messageId, class: kind, ...it }) => {
    const { order = null, resends = null, amount = null, currency = null } = it;
    return [messageId, kind, order, resends, amount, currency];
  });
  return createHash('sha256').update(JSON.stringify(agreed)).digest('hex');
}

/** Reads a plan that `payouts dlq plan --json` has printed. Throws {@link UsageError}. */
export async function readPlanFile(path: string): Promise<Pick<RedrivePlan, 'deadLetters'>> {
  const read = v.safeParse(fileSchema, await jsonFile(path));
  if (!read.success) throw new UsageError(`${path} is not a plan; make one with \`${tool} dlq plan --json > ${path}\``);
  const { deadLetters, hash } = read.output;
  if (hashOf(deadLetters) !== hash)
    throw new UsageError(`${path} is not as it was made: its hash does not fit its dead letters; plan again`);
  return { deadLetters: deadLetters.map(({ amount: _amount, currency: _currency, ...deadLetter }) => deadLetter) };
}
