// Dead letters and plans as a person reads them.
import { counted } from '../../payout/operate/spelling.ts';
import { codeOf } from '../../dead-letters/scan-dead-letters.ts';
import type { DeadLetterView } from '../../dead-letters/dead-letter.ts';
import { amountFields, formatMinorUnits, moneyText } from '../../gateway/money.ts';
import { type RedriveClass, redriveClasses, type JudgedDeadLetter } from '../../dead-letters/judge-dead-letter.ts';
import { movable, type RedrivePlan } from '../../dead-letters/redrive-dead-letters.ts';
import { span } from '../quantities.ts';
import { plainTable } from '../plain-table.ts';

/** Letters, the oldest first. */
export function lettersAsText(deadLetters: readonly DeadLetterView[], nowMs: number, isEmpty: boolean): string {
  if (isEmpty) return 'the dead-letter queue is empty';
  if (deadLetters.length === 0) return 'no such dead letter';
  const rows = deadLetters.map((it) => [
    span(Math.max(0, nowMs - it.sentAtMs)),
    it.order ?? '(unreadable)',
    it.from === 'sqs' ? 'moved by SQS' : codeOf(it),
    [it.redrives > 0 && `redriven ${it.redrives}×`, it.reason].filter(Boolean).join('; '),
    it.messageId,
  ]);
  const head = ['age', 'order', 'code', 'reason', 'message id'];
  return `${plainTable(head, ['right', 'left', 'left', 'left', 'left'], rows)}\n\n${counted(deadLetters.length, 'dead letter')}`;
}

/** The totals of the plan, and each letter where there are few. */
export function planAsText(plan: RedrivePlan): string {
  if (plan.deadLetters.length === 0) return 'no such dead letter: nothing would move';
  const classes = Object.keys(redriveClasses) as RedriveClass[];
  const rows = classes.flatMap((name) => {
    const total = plan.totals[name];
    return total ? [[name, total.count, moneyLines(total.money), redriveClasses[name].says]] : [];
  });
  const table = plainTable(
    ['class', 'number', 'money', 'what a redrive does'],
    ['left', 'right', 'right', 'left'],
    rows,
  );
  const deadLetters =
    plan.deadLetters.length <= listedAtMost ? `\n\n${plan.deadLetters.map(letterLine).join('\n')}` : '';
  return `${table}${deadLetters}\n\n${movable(plan).size} of ${counted(plan.deadLetters.length, 'dead letter')} would move`;
}

const listedAtMost = 20;

function letterLine({ class: kind, because, order, messageId }: JudgedDeadLetter): string {
  return `  ${kind.padEnd(8)} ${(order ?? messageId).padEnd(40)} ${because}`;
}

function moneyLines(money: Readonly<Record<string, bigint>>): string {
  return Object.entries(money)
    .map(([currency, minorUnits]) => moneyText({ currency, minorUnits }))
    .join('\n');
}

/** The plan as plain data. */
export function planAsJson(plan: RedrivePlan) {
  const totals = Object.entries(plan.totals).map(([name, { count, money }]) => {
    const sums = Object.entries(money).map(
      ([currency, units]) => [currency, formatMinorUnits(units, currency)] as const,
    );
    return [name, { count, money: Object.fromEntries(sums) }] as const;
  });
  const deadLetters = plan.deadLetters.map(({ money, ...it }) => ({ ...it, ...(money && amountFields(money)) }));
  return { totals: Object.fromEntries(totals), moves: movable(plan).size, deadLetters };
}
