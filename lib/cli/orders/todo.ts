// `payouts todo`: everything that waits for a person, as questions. Each question bears every way out that there is, as commands; none is
// ready to be run without a reason of one's own.
import type { Question, Todo } from '../../operate/operator.ts';
import { systemClock } from '../../aws/system.ts';
import { type OperatorOptions, say } from '../command-line.ts';
import { operator } from './operator-commands.ts';
import { amountFields } from '../../gateway/money.ts';
import { questionText, waysOut, waysOutOfLetter } from '../../operate/questions.ts';
import { counted, reasonToFill, shellWord, tool } from '../../payout/operate/spelling.ts';
import { namesOfKey } from '../../payout/order/order.ts';
import type { OrderView } from '../../payout/order/projection.ts';
import { plainTable } from '../plain-table.ts';
import { span } from '../quantities.ts';

/** A question as it is shown: order, message, lane or batch, and all that a person can do about it. */
export function shownQuestion(question: Question) {
  const { money, ...text } = questionText(question);
  return {
    kind: question.kind,
    ...text,
    ...(money && amountFields(money)),
    message: question.kind === 'dead-letter' ? question.letter.messageId : undefined,
    commands: commandsFor(question),
  };
}

function commandsFor(question: Question): readonly string[] {
  switch (question.kind) {
    case 'held':
    case 'surprise': {
      const { key } = question.entry;
      return [`${tool} order ${shellWord(key)}`, ...waysOut(question.entry)];
    }
    case 'dead-letter':
      return waysOutOfLetter(question.letter);
    case 'lane':
      return [`${tool} lanes`, `${tool} resume ${shellWord(question.lane.merchant)}`];
    case 'waiting': {
      const { key, because } = question.row;
      const merchant = shellWord(namesOfKey(key).merchant);
      const mends = [
        ...(because === 'secret' ? [`${tool} secrets check ${merchant}`] : []),
        ...(because === 'account-unknown' ? [`${tool} safeguards show ${merchant}`] : []),
      ];
      const cancel = `${tool} cancel ${shellWord(key)} --reason "${reasonToFill}"`;
      return [`${tool} order ${shellWord(key)}`, ...mends, cancel];
    }
    case 'batch': {
      const { batchId, state } = question.batch;
      const id = shellWord(batchId);
      const goes = state === 'uploading' ? `${tool} batch ${id}` : `${tool} approve ${id} FILE`;
      return [goes, `${tool} cancel --batch ${id} --reason "${reasonToFill}"`];
    }
  }
}

/** The list for a terminal. */
export function todoAsText({ questions, mayBeMore, notRead }: Todo, nowMs: number): string {
  const missing = notRead.map(({ part }) => `could not be read: ${part}\n`).join('');
  if (questions.length === 0) return missing === '' ? 'nothing waits for a person\n' : missing;
  const shown = questions.map(shownQuestion);
  const rows = shown.map(({ kind, what, why, sinceMs, amount = '', currency = '' }) => [
    kind,
    what,
    `${amount} ${currency}`.trim(),
    sinceMs === undefined ? '' : `${span(Math.max(0, nowMs - sinceMs))} ago`,
    why,
  ]);
  const table = plainTable(['what', 'which', 'money', 'since', 'why'], ['left', 'left', 'right', 'left', 'left'], rows);
  const ways = [...new Set(shown.flatMap(({ commands }) => commands))];
  const more = mayBeMore ? '\nThere may be more: only the first 1,000 of a kind were read.' : '';
  return `${table}\n\n${counted(shown.length, 'question')}; commands:\n${ways.map((it) => `  ${it}\n`).join('')}${more}${missing}`;
}

/** `payouts todo`: exit code 0 where nothing waits, 1 where something does. */
export async function runTodo(options: OperatorOptions & { readonly held: boolean }): Promise<number> {
  const port = operator();
  const todo = options.held ? heldOf(await port.held()) : await port.todo();
  const { questions, mayBeMore, notRead } = todo;
  // Where nothing could be read, that is the failure of AWS that it is.
  if (questions.length === 0 && notRead[0]) throw notRead[0].error;
  say(
    options,
    { questions: questions.map(shownQuestion), mayBeMore, notRead: notRead.map(({ part }) => part) },
    todoAsText(todo, systemClock.nowMs()),
  );
  return questions.length === 0 ? 0 : 1;
}

const heldOf = (entries: readonly OrderView[]): Todo => ({
  questions: entries.map((entry): Question => ({ kind: 'held', entry })),
  mayBeMore: false,
  money: [],
  notRead: [],
});
