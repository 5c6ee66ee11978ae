// What waits for a person, in words: the same under `payouts todo` and in the console.
import type { LookedLetter, Question } from './operator.ts';
import { redriveClasses } from '../dead-letters/judge-dead-letter.ts';
import type { Money } from '../gateway/money.ts';
import { namesOfKey } from '../payout/order/order.ts';
import { endedBy } from '../payout/wait/reasons.ts';

/** A question in words. */
interface QuestionText {
  /** Order, message, lane or batch. */
  readonly what: string;
  readonly why: string;
  readonly sinceMs?: number;
  readonly money?: Money;
}

/** Why a message is a dead letter, and what would become of it if it were sent again now. */
export function whyDead({ code, reason, class: name, because }: LookedLetter): string {
  const said = [code, reason].filter((it) => it !== undefined).join(': ');
  const now = because === code ? '' : ` (${because})`;
  return `${said === '' ? 'each worker that received it failed' : said}; a redrive: ${redriveClasses[name].says}${now}`;
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
