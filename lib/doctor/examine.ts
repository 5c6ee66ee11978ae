// The doctor: every rule on one stack.
import { accessRules } from './access-rules.ts';
import { alarmRules } from './alarm-rules.ts';
import { functionRules } from './function-rules.ts';
import { ledgerRules } from './ledger-rules.ts';
import { queueRules } from './queue-rules.ts';
import type { StackFinding, Rule } from './rule.ts';
import type { Stack } from './stack.ts';
import { workerStackOf } from './worker-stack.ts';

/** Every rule, in the order in which they are told. */
export const rules: readonly Rule[] = [...functionRules, ...queueRules, ...ledgerRules, ...accessRules, ...alarmRules];

/** A rule that does not hold. */
export interface Diagnosis extends StackFinding {
  readonly rule: string;
  readonly danger: string;
}

/** Everything that is wrong with a stack; none when it is safe to deploy. */
export function examine(stack: Stack): readonly Diagnosis[] {
  const worker = workerStackOf(stack);
  return rules.flatMap(({ name, danger, check }) =>
    check(worker).map((finding) => ({ rule: name, ...finding, danger })),
  );
}
