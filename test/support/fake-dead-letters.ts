// The dead-letter queue in memory: it hides messages that were taken, shows them again when they are given back or their time is over, and
// fails when a story says so.
import type { SQSRecord } from 'aws-lambda';
import type {
  DeadLetters,
  DeadMessage,
  MessageAttribute,
  RedrivenMessage,
} from '../../lib/dead-letters/dead-letter.ts';
import type { FailureOf } from '../../lib/gateway/gateway-outcome.ts';
import type { Clock, DeadLetter } from '../../lib/payout/ports.ts';
import { deadLetterHiddenSeconds } from '../../lib/payout/limits.ts';
import { aRecord } from './records.ts';

/** The fake queue. */
export interface FakeDeadLetters extends DeadLetters {
  /** Every letter on the queue, hidden or not. */
  readonly letters: readonly DeadMessage[];
  /** The messages that were put back on the jobs queue. */
  readonly sent: readonly RedrivenMessage[];
  /** Ids of the letters that were given back last; one that has left the queue is none to give back. */
  readonly givenBack: readonly string[];
  /** Ids of the letters that are visible now. */
  visible(): string[];
  /** Puts a letter there as a worker of any version does. */
  lay(letter: Omit<DeadLetter, 'reason'> & { readonly reason: FailureOf<string> }, messageId?: string): DeadMessage;
  /** Puts a message there as SQS does when its receives are used up: with its id and all its attributes. */
  move(message: SQSRecord, messageId?: string): DeadMessage;
  /** These places of the next calls fail; `all` makes the call reject. */
  fails(call: 'send' | 'remove', places: readonly number[] | 'all'): void;
}

/** A queue without letters. */
export function createFakeDeadLetters({ nowMs }: Pick<Clock, 'nowMs'>): FakeDeadLetters {
  const letters: DeadMessage[] = [];
  const hiddenUntilMs = new Map<string, number>();
  const sent: RedrivenMessage[] = [];
  const givenBack: string[] = [];
  const failing = new Map<string, readonly number[] | 'all'>();
  let ids = 0;
  let takings = 0;

  const isVisible = ({ messageId }: DeadMessage) => (hiddenUntilMs.get(messageId) ?? 0) <= nowMs();
  function failuresOf(call: string, count: number): ReadonlySet<number> {
    const places = failing.get(call) ?? [];
    failing.delete(call);
    if (places === 'all') throw new Error('the queue is down');
    return new Set(places.filter((place) => place < count));
  }
  function put(letter: Omit<DeadMessage, 'handle' | 'messageId'>, messageId = `letter-${(ids += 1)}`): DeadMessage {
    const added = { ...letter, messageId, handle: '' };
    letters.push(added);
    return added;
  }

  return {
    letters,
    sent,
    givenBack,
    visible: () => letters.filter(isVisible).map(({ messageId }) => messageId),
    lay: ({ body, reason, originMessageId, redrives, groupId }, messageId) =>
      put(
        {
          body,
          attributes: textAttributes({
            reasonCode: reason.code,
            reason: reason.message,
            originalMessageId: originMessageId,
            redrives: redrives?.toString(),
          }),
          sentAtMs: nowMs(),
          movedBySqs: false,
          ...(groupId !== undefined && { groupId }),
        },
        messageId,
      ),
    move(message, messageId) {
      const { body } = message;
      return put({ body, attributes: attributesOf(message), sentAtMs: nowMs(), movedBySqs: true }, messageId);
    },
    fails: (call, places) => void failing.set(call, places),
    async take() {
      const taken = letters.filter(isVisible).slice(0, 10);
      takings += 1;
      for (const { messageId } of taken) hiddenUntilMs.set(messageId, nowMs() + deadLetterHiddenSeconds * 1000);
      return taken.map((letter) => ({ ...letter, handle: `${letter.messageId}-${takings}` }));
    },
    async giveBack(these) {
      givenBack.splice(0, givenBack.length, ...these.map(({ messageId }) => messageId));
      for (const { messageId } of these) hiddenUntilMs.delete(messageId);
    },
    async send(messages) {
      const failed = failuresOf('send', messages.length);
      sent.push(...messages.filter((_, place) => !failed.has(place)));
      return failed;
    },
    async remove(these) {
      const failed = failuresOf('remove', these.length);
      const ids = new Set(these.filter((_, place) => !failed.has(place)).map(({ messageId }) => messageId));
      const left = letters.filter(({ messageId }) => !ids.has(messageId));
      letters.splice(0, letters.length, ...left);
      return failed;
    },
    depth: async () => letters.length,
  };
}

function attributesOf({ messageAttributes }: SQSRecord): ReadonlyMap<string, MessageAttribute> {
  const texts = Object.entries(messageAttributes).map(([name, { stringValue }]) => [name, stringValue]);
  return textAttributes(Object.fromEntries(texts) as Record<string, string | undefined>);
}

function textAttributes(values: Readonly<Record<string, string | undefined>>): ReadonlyMap<string, MessageAttribute> {
  const given = Object.entries(values).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return new Map(given.map(([name, text]) => [name, { dataType: 'String', text }]));
}

/** The first delivery of a letter that came back to the jobs queue. */
export function deliveryOfRedriven({ body, attributes, groupId }: RedrivenMessage, sentAtMs?: number): SQSRecord {
  const texts = [...attributes].flatMap(([name, { text }]) => (text === undefined ? [] : [[name, text] as const]));
  const sent = sentAtMs === undefined ? {} : { sentAtMs };
  return aRecord(body, { attributes: Object.fromEntries(texts), ...sent, ...(groupId !== undefined && { groupId }) });
}
