// Everything that waits for a person, as questions: the same under `payouts todo` and in the console. Each question bears every way out that
// there is, as commands; none is ready to be run without a reason of one's own.
import type { Question, Todo } from '../../client/operator.ts';
import { systemClock } from '../../aws/system.ts';
import { type OperatorOptions, say } from '../command-line.ts';
import { operator } from '../orders/operator-commands.ts';
import { amountFields } from '../../gateway/money.ts';
import { reasonToFill, shellWord, tool } from '../../payout/operate/spelling.ts';
import { waysOut, waysOutOfLetter, whyDead } from '../orders/order-text.ts';
import { namesOfKey } from '../../payout/order/order.ts';
import type { OrderView } from '../../payout/order/projection.ts';
import type { ParkedHead } from '../../payout/wait/parked-job.ts';
import { endedBy } from '../../payout/wait/reasons.ts';
import { plainTable } from '../plain-table.ts';
import { counted, span } from '../quantities.ts';

/** A question as it is shown. */
interface ShownQuestion {
  readonly kind: Question['kind'];
  /** Order, message, lane or batch. */
  readonly what: string;
  readonly why: string;
  readonly sinceMs?: number;
  readonly amount?: string;
  readonly currency?: string;
  /** The message of a dead letter. */
  readonly message?: string;
  /** All that a person can do about it. */
  readonly commands: readonly string[];
}

/** One question. */
export function shownQuestion(question: Question): ShownQuestion {
  const { kind } = question;
  switch (kind) {
    case 'held':
    case 'surprise': {
      const { entry } = question;
      const { key, money, failure, updatedAtMs: sinceMs, surprises = [] } = entry;
      const words = {
        held: failure ? `${failure.code}: ${failure.message}` : 'held',
        surprise: `the gateway called back with something that contradicts the ledger: ${surprises.join('; ')}`,
      };
      const commands = [`${tool} order ${shellWord(key)}`, ...waysOut(entry)];
      return { kind, what: key, why: words[kind], sinceMs, ...(money && amountFields(money)), commands };
    }
    case 'dead-letter': {
      const { letter } = question;
      const { order, messageId, sentAtMs: sinceMs, money } = letter;
      return {
        kind,
        what: order ?? messageId,
        why: whyDead(letter),
        sinceMs,
        message: messageId,
        ...(money && amountFields(money)),
        commands: waysOutOfLetter(letter),
      };
    }
    case 'lane': {
      const { merchant, endpointId, condition, reason: why, sinceMs, remedy } = question.lane;
      return {
        kind,
        what: `${merchant} at ${endpointId}`,
        why: `${condition}: ${why}${remedy === undefined ? '' : `. ${remedy.replaceAll('`', '')}`}`,
        ...(sinceMs !== undefined && { sinceMs }),
        commands: [`${tool} lanes`, `${tool} resume ${shellWord(merchant)}`],
      };
    }
    case 'waiting':
      return waitingQuestion(question.row);
    case 'batch': {
      const { batchId, by, state, createdAtMs, uploadMovedAtMs = createdAtMs } = question.batch;
      const isHalfSent = state === 'uploading';
      return {
        kind,
        what: batchId,
        why: isHalfSent
          ? `half sent by ${by}, and left: go on with the same command over the same file, or call it off`
          : `registered by ${by}; somebody else must approve it`,
        sinceMs: isHalfSent ? uploadMovedAtMs : createdAtMs,
        commands: [
          isHalfSent ? `${tool} batch ${shellWord(batchId)}` : `${tool} approve ${shellWord(batchId)} FILE`,
          `${tool} cancel --batch ${shellWord(batchId)} --reason "${reasonToFill}"`,
        ],
      };
    }
  }
}

/** A message that was never claimed, by all of it that is not sealed. */
function waitingQuestion({ key, lane, because, sinceMs, money }: ParkedHead): ShownQuestion {
  const { merchant } = namesOfKey(key);
  const where = lane ? `the line of ${merchant} at ${lane.endpointId}` : 'the common line';
  const mends = [
    ...(because === 'secret' ? [`${tool} secrets check ${shellWord(merchant)}`] : []),
    ...(because === 'account-unknown' ? [`${tool} safeguards show ${shellWord(merchant)}`] : []),
  ];
  return {
    kind: 'waiting',
    what: key,
    why: `never sent; waits in ${where}: ${because}, ended by ${endedBy(because)}`,
    sinceMs,
    ...(money && amountFields(money)),
    commands: [
      `${tool} order ${shellWord(key)}`,
      ...mends,
      `${tool} cancel ${shellWord(key)} --reason "${reasonToFill}"`,
    ],
  };
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
  return `${table}\n\n${counted(shown.length, 'question')}; the ways out:\n${ways.map((it) => `  ${it}\n`).join('')}${more}${missing}`;
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
  notRead: [],
});
