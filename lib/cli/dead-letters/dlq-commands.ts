// The commands on dead letters. Exit codes: 0 done, 1 not (all) done, 2 bad input.
import {
  chosenBy,
  type DeadLetterFilter,
  fits,
  scanDeadLetters,
  type Walk,
} from '../../dead-letters/scan-dead-letters.ts';
import { type DeadLetterView, letterView } from '../../dead-letters/dead-letter.ts';
import { type Discarded, discardDeadLetter, type DiscardPorts } from '../../dead-letters/discard-dead-letter.ts';
import {
  planRedrive,
  type Redriven,
  redriveDeadLetters,
  type RedrivePorts,
  movable,
  type RedrivePlan,
} from '../../dead-letters/redrive-dead-letters.ts';
import { interruptible, requireSomebody, saysYes } from '../asking.ts';
import { createDeadLetterPorts } from './dlq-ports.ts';
import { planAsJson, readPlanFile } from './dlq-plan-file.ts';
import { counted } from '../quantities.ts';
import { lettersAsText, planAsText, walkNote } from './dlq-text.ts';
import { configured, type OperatorOptions, partsOf, notDone, say, why } from '../command-line.ts';
import { merchantOf } from '../../local/verdict.ts';
import { tellMoney } from '../live-money.ts';
import { UsageError } from '../usage-error.ts';
import { whoDecides } from '../tool-ports.ts';

/** Which letters are meant. */
type ChoiceOptions = DeadLetterFilter & { readonly json: boolean };

/** Options of `payouts dlq list`. */
type ListOptions = ChoiceOptions & { readonly limit?: number };

/** Options of `payouts dlq redrive`. */
type RedriveOptions = ChoiceOptions & { readonly all: boolean; readonly plan?: string; readonly yes: boolean };

/** Options of `payouts dlq discard`. */
type DiscardOptions = OperatorOptions & {
  readonly order?: string;
  readonly message?: string;
  readonly yes: boolean;
};

const ports = () => configured(createDeadLetterPorts);

/** `payouts dlq list`: what lies there, the oldest first. */
export async function listDeadLetters({ limit = Infinity, json, ...choice }: ListOptions): Promise<number> {
  requireOrder(choice);
  const its = ports();
  const found: DeadLetterView[] = [];
  const walk = await interruptible((signal) =>
    scanDeadLetters(
      async (deadLetters) => {
        found.push(...deadLetters.map(letterView).filter((view) => fits(view, choice)));
        return { enough: found.length >= limit };
      },
      its,
      { signal },
    ),
  );
  const shown = found.toSorted((a, b) => a.sentAtMs - b.sentAtMs).slice(0, limit);
  const deadLetters = shown.map(({ sentAtMs, ...it }) => ({ ...it, sentAt: new Date(sentAtMs).toISOString() }));
  say({ json }, { deadLetters, walk }, lettersAsText(shown, its.clock.nowMs(), walk.seen === 0));
  return endOf(walk);
}

/** `payouts dlq plan`: what each would do if it were sent again now. */
export async function planDeadLetters({ json, ...choice }: ChoiceOptions): Promise<number> {
  const { plan, walk } = await planned(choice, ports());
  say({ json }, planAsJson(plan), planAsText(plan));
  return endOf(walk);
}

/** `payouts dlq redrive`: plans, shows, asks, and moves what the plan still holds for. */
export async function redrive({ json, all, plan: file, yes, ...choice }: RedriveOptions): Promise<number> {
  const chosen = Object.values(choice).some((it) => it !== undefined);
  if ([all, file !== undefined, chosen].filter(Boolean).length !== 1)
    throw new UsageError('say which: --all, --plan FILE, or some of --order, --batch, --merchant, --code, --message');
  if (!yes && file === undefined) requireSomebody('say --yes, or agree on a plan and give it with --plan FILE');
  const its = ports();
  const plan = file === undefined ? await shownPlan(choice, its) : await readPlanFile(file);
  if (!plan) return 1;
  const count = movable(plan).size;
  if (count === 0) return say({ json }, { planned: 0, redriven: 0 }, 'nothing to redrive');
  await tellMoney(merchantsIn(plan), its.credentials);
  if (!yes && file === undefined && !(await saysYes(`Redrive ${counted(count, 'letter')}?`)))
    return notDone({ json }, { planned: count, redriven: 0, outcome: 'declined' }, 'nothing was moved');
  return report(count, await interruptible((signal) => redriveDeadLetters(plan, its, { signal })), json);
}

const merchantsIn = ({ deadLetters }: Pick<RedrivePlan, 'deadLetters'>): readonly string[] =>
  deadLetters.flatMap(({ order }) => (order === undefined ? [] : [merchantOf(order)]));

/** Undefined when it was interrupted. */
async function shownPlan(choice: DeadLetterFilter, its: RedrivePorts): Promise<RedrivePlan | undefined> {
  const { plan, walk } = await planned(choice, its);
  process.stderr.write(`${planAsText(plan)}\n`);
  return endOf(walk) === 0 || walk.end === 'time' ? plan : undefined;
}

function planned(choice: DeadLetterFilter, its: RedrivePorts) {
  requireOrder(choice);
  return interruptible((signal) => planRedrive(chosenBy(choice), its, { signal }));
}

function report(planned: number, { moved, walk }: Redriven, json: boolean): number {
  const count = (end: string) => [...moved.values()].filter((it) => it === end).length;
  const notDeleted = count('redriven-not-deleted');
  const redriven = count('redriven') + notDeleted;
  const left = { changed: count('changed'), notTaken: count('not-taken'), gone: planned - moved.size };
  const lines = [
    `${redriven} of ${counted(planned, 'letter')} redriven`,
    notDeleted > 0 && `${notDeleted} of these could not be deleted and may come a second time, which is harmless`,
    left.changed > 0 && `${left.changed} left: the plan does not hold for them any more; plan again`,
    left.notTaken > 0 && `${left.notTaken} left: the jobs queue did not take them; try again`,
    left.gone > 0 && `${left.gone} not found: gone meanwhile, or somebody else looks at them`,
  ];
  say({ json }, { planned, redriven, notDeleted, ...left, walk }, lines.filter(Boolean).join('\n'));
  return redriven === planned ? endOf(walk) : 1;
}

/** `payouts dlq discard`: ends letters in a result, with who and why, and deletes them. */
export async function discard(options: DiscardOptions): Promise<number> {
  const { json, yes, order, message } = options;
  if ((order === undefined) === (message === undefined)) throw new UsageError('name either --order or --message');
  const choice = { ...(order !== undefined && { order }), ...(message !== undefined && { message }) };
  requireOrder(choice);
  const reason = why(options);
  if (!yes) requireSomebody('say --yes');
  const saying = { by: await whoDecides(), reason };
  const its = ports();
  const { plan, walk } = await planned(choice, its);
  const found = new Set(plan.deadLetters.map(({ messageId }) => messageId));
  if (found.size === 0) {
    say({ json }, { discarded: 0, found: 0 }, 'no such dead letter');
    return endOf(walk) || 1;
  }
  process.stderr.write(`${planAsText(plan)}\n`);
  await tellMoney(merchantsIn(plan), its.credentials);
  const question = `Discard ${counted(found.size, 'letter')}? What was never sent will not be, and a result says so.`;
  if (!yes && !(await saysYes(question)))
    return notDone({ json }, { discarded: 0, found: found.size, outcome: 'declined' }, 'nothing was discarded');
  const ends = await interruptible((signal) => discardAll(found, saying, its, signal));
  return discardReport(found.size, ends, json);
}

async function discardAll(
  chosen: ReadonlySet<string>,
  saying: { readonly by: string; readonly reason: string },
  its: DiscardPorts,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Discarded>> {
  const ends = new Map<string, Discarded>();
  await scanDeadLetters(
    async (deadLetters) => {
      const these = deadLetters.filter(({ messageId }) => chosen.has(messageId));
      // One after the other: two letters of one order must not end it at once.
      for (const deadLetter of these) ends.set(deadLetter.messageId, await discardDeadLetter(deadLetter, saying, its));
      const gone = these.filter(({ messageId }) => ends.get(messageId)?.kind === 'discarded');
      return { gone, enough: ends.size === chosen.size };
    },
    its,
    { signal },
  );
  return ends;
}

function discardReport(found: number, ends: ReadonlyMap<string, Discarded>, json: boolean): number {
  const lines = [...ends].map(([messageId, end]) => {
    if (end.kind === 'refused') return { messageId, outcome: end.kind, why: end.why };
    return { messageId, outcome: end.kind, resultId: end.result.resultId, status: end.result.status };
  });
  const text = lines.map(({ messageId, outcome, ...it }) => {
    if ('why' in it) return `${messageId}  not discarded: ${it.why}`;
    const kept = outcome === 'not-deleted' ? '; it could not be deleted, discard it again' : '';
    return `${messageId}  its result says ${it.status} (${it.resultId})${kept}`;
  });
  const discarded = lines.filter(({ outcome }) => outcome === 'discarded').length;
  const summary = `${discarded} of ${counted(found, 'letter')} discarded`;
  say({ json }, { discarded, found, deadLetters: lines }, [...text, '', summary].join('\n'));
  return discarded === found ? 0 : 1;
}

/** The note on a walk that did not see everything; its exit code. */
function endOf(walk: Walk): number {
  const note = walkNote(walk);
  if (note !== undefined) process.stderr.write(`payouts: ${note}\n`);
  return walk.end === 'interrupted' ? 1 : 0;
}

function requireOrder({ order }: DeadLetterFilter): void {
  if (order !== undefined) partsOf(order);
}
