// The doctor: every rule on one stack.
import { accessRules } from './access-rules.ts';
import { alarmRules } from './alarm-rules.ts';
import { type Difference, differencesOf } from './as-shipped.ts';
import { functionRules } from './function-rules.ts';
import intended from './intended-stack.json' with { type: 'json' };
import { ledgerRules } from './ledger-rules.ts';
import { networkRules } from './network-rules.ts';
import { queueRules } from './queue-rules.ts';
import type { Rule, StackFinding } from './rule.ts';
import { readStack, type Stack } from './stack.ts';
import { workerStackOf } from './worker-stack.ts';

/** Every rule, in the order in which they are told. */
export const rules: readonly Rule[] = [
  ...functionRules,
  ...queueRules,
  ...ledgerRules,
  ...accessRules,
  ...networkRules,
  ...alarmRules,
];

/** A rule that does not hold. */
export interface Diagnosis extends StackFinding {
  readonly rule: string;
  readonly danger: string;
}

/** The name under which refused differences from the shipped stack are found. */
const asShipped = 'as-shipped';

/** Everything that is wrong with a stack; none when it is safe to deploy. */
export function examine(stack: Stack): readonly Diagnosis[] {
  const worker = workerStackOf(stack);
  const broken = rules.flatMap(({ name, danger, check }) =>
    check(worker).map((finding) => ({ rule: name, ...finding, danger })),
  );
  const changed = changesOf(stack).filter(({ refused }) => refused);
  return [...broken, ...changed.map(({ where, fault, danger }) => ({ rule: asShipped, where, fault, danger }))];
}

/** What an owner has chosen otherwise than it ships: allowed, and worth knowing. */
export function choices(stack: Stack): readonly StackFinding[] {
  return changesOf(stack).filter(({ refused }) => !refused);
}

/** Of a stack that is asked about twice. */
const compared = new WeakMap<Stack, readonly Difference[]>();

function changesOf(stack: Stack): readonly Difference[] {
  const known = compared.get(stack);
  if (known) return known;
  // Without a worker in it, it is another stack, and the rule `worker-functions` says so.
  const changes = workerStackOf(stack).functions.length === 0 ? [] : differencesOf(stack, shippedStack());
  compared.set(stack, changes);
  return changes;
}

let shipped: Stack | undefined;

/** Read at the first use. */
function shippedStack(): Stack {
  if (shipped) return shipped;
  const read = readStack(JSON.stringify(intended));
  if (read.kind === 'unreadable') throw new Error(`the shipped stack can't be read: ${read.reason}`);
  shipped = read.stack;
  return shipped;
}
