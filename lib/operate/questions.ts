// What waits for a person, in words, and what a person can do about it: the same under `payouts todo` and in the console.
import type { LookedLetter, Question } from './operator.ts';
import { redriveClasses } from '../dead-letters/judge-dead-letter.ts';
import type { Money } from '../gateway/money.ts';
import { reasonToFill, shellWord, tool } from '../payout/operate/spelling.ts';
import { namesOfKey } from '../payout/order/order.ts';
import { type OrderView, waitsForCardData } from '../payout/order/projection.ts';
import { standings } from '../payout/order/standing.ts';
import { endedBy } from '../payout/wait/reasons.ts';

/** A question in words. */
interface QuestionText {
  /** Order, message, lane or batch. */
  readonly what: string;
  readonly why: string;
  readonly sinceMs?: number;
  readonly money?: Money;
}

/** Why SQS has moved a message itself. */
export const workersFailed = 'each worker that received it failed';

/** Why a message is a dead letter, and what would become of it if it were sent again now. */
export function whyDead({ code, reason, class: name, because }: LookedLetter): string {
  const said = [code, reason].filter((it) => it !== undefined).join(': ');
  const now = because === code ? '' : ` (${because})`;
  return `${said === '' ? workersFailed : said}; a redrive: ${redriveClasses[name].says}${now}`;
}

/** The words of one question. */
export function questionText(question: Question): QuestionText {
  switch (question.kind) {
    case 'held':
    case 'surprise': {
      const { key: what, money, failure, updatedAtMs: sinceMs, surprises = [] } = question.entry;
      const held = failure ? `${failure.code}: ${failure.message}` : 'held';
      const surprise = `the gateway called back with something that contradicts the ledger: ${surprises.join('; ')}`;
      return { what, why: question.kind === 'held' ? held : surprise, sinceMs, money };
    }
    case 'dead-letter': {
      const { order, messageId, sentAtMs: sinceMs, money } = question.letter;
      return { what: order ?? messageId, why: whyDead(question.letter), sinceMs, money };
    }
    case 'lane': {
      const { merchant, endpointId, condition, reason, sinceMs, remedy } = question.lane;
      const mends = remedy === undefined ? '' : `. ${remedy.replaceAll('`', '')}`;
      const why = `${condition}: ${reason}${mends}`;
      return { what: `${merchant} at ${endpointId}`, why, sinceMs };
    }
    case 'waiting': {
      const { key: what, lane, because, sinceMs, money } = question.row;
      const where = lane ? `the line of ${namesOfKey(what).merchant} at ${lane.endpointId}` : 'the common line';
      const why = `never sent; waits in ${where}: ${because}, ended by ${endedBy(because)}`;
      return { what, why, sinceMs, money };
    }
    case 'batch': {
      const { batchId: what, by, state, createdAtMs, uploadMovedAtMs = createdAtMs } = question.batch;
      return state === 'uploading'
        ? {
            what,
            why: `half sent by ${by}, and left: go on with the same command over the same file, or call it off`,
            sinceMs: uploadMovedAtMs,
          }
        : { what, why: `registered by ${by}; another person must approve it`, sinceMs: createdAtMs };
    }
  }
}

// What a person can do about it.

/** The act that ends a held order; undefined where a new message does. */
export function actOnHeld(entry: OrderView): 'release' | 'cancel' | undefined {
  if (!standings[entry.standing].needsPerson || waitsForCardData(entry)) return undefined;
  return entry.failure?.code === 'HELD_TOO_MANY' ? 'cancel' : 'release';
}

const releaseOf = ({ key, seen = 'SEEN' }: OrderView, end: 'paid' | 'not-paid') =>
  `${tool} release ${shellWord(key)} --as ${end} --reason "${reasonToFill}" --seen ${seen}`;

/**
 * The commands that end a held order. Both are shown, and never one alone: a person who runs a command unchanged signs that somebody has
 * looked. An order that was never sent, or moves no money, has one way out: it can't have been paid.
 */
export function waysOut(entry: OrderView): readonly string[] {
  const { key, seen = 'SEEN' } = entry;
  const act = actOnHeld(entry);
  if (act === undefined) return [];
  if (act === 'cancel') return [`${tool} cancel ${shellWord(key)} --reason "${reasonToFill}" --seen ${seen}`];
  if (entry.standing === 'held-unpaid') return [releaseOf(entry, 'not-paid')];
  const refused =
    entry.failure?.code === 'HELD_NOT_AT_GATEWAY'
      ? '   # refused while the gateway, asked first, knows no such order'
      : '';
  return [`${releaseOf(entry, 'paid')}${refused}`, releaseOf(entry, 'not-paid')];
}

/** The commands that do something about a dead letter now. */
export const waysOutOfLetter = ({ messageId, class: name }: LookedLetter): readonly string[] => [
  ...(redriveClasses[name].moves ? [`${tool} dlq redrive --message ${shellWord(messageId)}`] : []),
  `${tool} dlq discard --message ${shellWord(messageId)} --reason "${reasonToFill}"`,
];
