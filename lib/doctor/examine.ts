// The doctor: a stack beside the one that ships, the rules that a comparison can't hold, and what somebody has waived.
import { type Difference, differencesOf } from './as-shipped.ts';
import intended from './intended-stack.json' with { type: 'json' };
import { rules } from './rules.ts';
import { readStack, type Stack } from './stack.ts';
import { type Waiver, waiverOf } from './waivers.ts';
import { withValues } from './with-values.ts';
import { workerStackOf, type StackFinding } from './worker-stack.ts';

/** Something that is wrong with a stack. */
export interface Diagnosis extends StackFinding {
  /** The rule that does not hold; `as-shipped` for a difference from the stack that ships. */
  readonly rule: string;
  readonly danger: string;
}

/** The result of an examination. */
export interface Examination {
  /** Dangers; none where it is safe to deploy. */
  readonly found: readonly Diagnosis[];
  /** Dangers that a waiver takes upon itself. */
  readonly waived: readonly (Diagnosis & { readonly waiver: Waiver })[];
  /** Differences that an owner may choose: allowed, and worth knowing. */
  readonly chosen: readonly StackFinding[];
  /** Waivers that waive nothing here: what they were for is gone, or named otherwise. */
  readonly idle: readonly Waiver[];
}

/** Examines a stack; `waivers` are those that hold today. */
export function examine(stack: Stack, waivers: readonly Waiver[] = []): Examination {
  const worker = workerStackOf(withValues(stack));
  const broken = rules.flatMap(({ name, danger, check }) =>
    check(worker).map((finding): Diagnosis => ({ rule: name, ...finding, danger })),
  );
  // Without a worker in it, it is another stack, and the rule `worker-functions` says so.
  const changes: readonly Difference[] = worker.functions.length === 0 ? [] : differencesOf(stack, shippedStack());
  const changed = changes.flatMap(({ refused, ...it }): Diagnosis[] =>
    refused ? [{ rule: 'as-shipped', ...it }] : [],
  );
  const all = [...broken, ...changed].map((it) => ({ it, waiver: waiverOf(it, waivers) }));
  const waived = all.flatMap(({ it, waiver }) => (waiver ? [{ ...it, waiver }] : []));
  return {
    found: all.flatMap(({ it, waiver }) => (waiver ? [] : [it])),
    waived,
    chosen: changes.flatMap(({ refused, where, fault }) => (refused ? [] : [{ where, fault }])),
    idle: waivers.filter((it) => !waived.some(({ waiver }) => waiver === it)),
  };
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
