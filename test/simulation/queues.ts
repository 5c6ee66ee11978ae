// The jobs queue with its dead-letter queue, as SQS keeps them: at least once, in any order, counting receives. And the
// results queue, whose every message is compared with the truth.
import type { SQSRecord } from 'aws-lambda';
import type { JobsQueue, Results } from '../../lib/payout/ports.ts';
import type { Process } from './process.ts';
import { batchCall, nextVisible, type QueuedMessage, recordOf } from './queue-calls.ts';
import type { Story } from './story.ts';
import type { Timeline } from './timeline.ts';
import type { Truth } from './truth.ts';
import type { Weather } from './weather.ts';

/** A message as the queue keeps it. */
interface Message extends QueuedMessage {
  /** The message that a sender sent; copies and dead letters of it keep its id. */
  readonly origin: string;
  readonly attributes: Readonly<Record<string, string>>;
  deleted: boolean;
}

/** The surroundings of the queues. */
export interface QueueSurroundings {
  readonly timeline: Timeline;
  readonly weather: () => Weather;
  readonly truth: Truth;
  readonly story: Story;
  readonly visibilityMs: number;
  readonly maxReceiveCount: number;
  /** True while a job of this message is parked. */
  readonly isKept: (messageId: string) => boolean;
}

/** The queues, as the world and its senders see them. */
export interface Queues {
  /** Puts a job message on the jobs queue, as a sender does, and returns its id. */
  send(body: string, attributes?: Readonly<Record<string, string>>): string;
  /** Up to `atMost` visible messages; those received too often are moved to the dead-letter queue instead. */
  receive(atMost: number, who: string): SQSRecord[];
  delete(receiptHandle: string): void;
  /** The job of this message is parked no more. */
  leavesIfGone(messageId: string): void;
  /** Delivers a message that was deleted long ago once more, under its old id. */
  redeliver(messageId: string): void;
  /** An operator moves all dead letters back; SQS gives each a new id and keeps its attributes. */
  redriveDeadLetters(): readonly { readonly messageId: string; readonly origin: string }[];
  readonly jobs: readonly Message[];
  readonly deadLetters: readonly Message[];
  /** Wakes the pollers when a message may be visible now. */
  onVisible(wake: () => void): void;
  portsFor(process: Process): {
    readonly jobsQueue: JobsQueue;
    readonly results: Results;
  };
}

/**
 * Duplicates are far more frequent here than at SQS, so that a message that goes round for long would become thousands.
 * A message with so many copies gets no further duplicates: more of them would show nothing that these do not.
 */
const duplicatesAtMost = 12;

/** Empty queues. */
export function createQueues(surroundings: QueueSurroundings): Queues {
  const { timeline, weather, truth, story, visibilityMs, maxReceiveCount, isKept } = surroundings;
  let jobs: Message[] = [];
  let deadLetters: Message[] = [];
  const byId = new Map<string, Message>();
  let wakers: (() => void)[] = [];
  let ids = 0;

  function isFlooded(origin: string): boolean {
    let alive = 0;
    for (const it of jobs) if (it.origin === origin) alive += 1;
    return alive >= duplicatesAtMost;
  }

  const orderOf = (origin: string) => truth.messages.get(origin)?.order?.key ?? '';

  function put(message: Omit<Message, 'receives' | 'deleted'>): void {
    const kept = { sentAtMs: timeline.nowMs(), ...message, receives: 0, deleted: false };
    jobs.push(kept);
    byId.set(kept.id, kept);
    becomesVisible(kept, message.visibleAtMs);
  }

  function becomesVisible(message: Message, atMs: number): void {
    truth.changed();
    message.visibleAtMs = atMs;
    timeline.at(atMs, () => {
      for (const wake of wakers) wake();
    });
  }

  function forget(message: Message): void {
    truth.changed();
    message.deleted = true;
    jobs = jobs.filter((it) => it !== message);
    leavesIfGone(message.origin);
  }

  /** A message is gone once neither queue nor table holds it. */
  function leavesIfGone(origin: string): void {
    if (!isKept(origin) && ![...jobs, ...deadLetters].some((it) => it.origin === origin)) truth.leaves(origin);
  }

  function moveToDeadLetters(message: Message): void {
    story.tell(
      'queue',
      orderOf(message.origin),
      () => `moves ${message.id} to the dead-letter queue after ${message.receives} receives`,
    );
    deadLetters.push(message);
    jobs = jobs.filter((it) => it !== message);
  }

  function byHandle(receiptHandle: string): Message | undefined {
    const [id = '', receive] = receiptHandle.split('#');
    const message = byId.get(id);
    if (!message || message.deleted || deadLetters.includes(message)) return undefined;
    const isStale = Number(receive) !== message.receives;
    return isStale && !weather().staleHandleWorks() ? undefined : message;
  }

  function receiveOne(who: string): SQSRecord | undefined {
    for (;;) {
      const message = nextVisible(jobs, timeline.nowMs(), weather().nextOf);
      if (!message) return undefined;
      if (message.receives < maxReceiveCount) return hand(message, who);
      moveToDeadLetters(message);
    }
  }

  function hand(message: Message, who: string): SQSRecord {
    message.receives += 1;
    const againAfterMs = isFlooded(message.origin) ? undefined : weather().deliveredTwiceAfterMs();
    becomesVisible(message, timeline.nowMs() + (againAfterMs ?? visibilityMs));
    story.tell(who, orderOf(message.origin), () => `receives ${message.id} (receive ${message.receives})`);
    return recordOf(message, 'jobs', message.attributes);
  }

  function send(body: string, attributes: Readonly<Record<string, string>> = {}): string {
    const id = `message-${(ids += 1)}`;
    const origin = attributes['originMessageId'] ?? id;
    put({ id, origin, body, attributes, visibleAtMs: timeline.nowMs() });
    return origin;
  }

  return {
    get jobs() {
      return jobs;
    },
    get deadLetters() {
      return deadLetters;
    },
    onVisible: (wake) => void wakers.push(wake),
    leavesIfGone,
    send,
    receive(atMost, who) {
      const records: SQSRecord[] = [];
      while (records.length < atMost) {
        const record = receiveOne(who);
        if (!record) break;
        records.push(record);
      }
      return records;
    },
    delete(receiptHandle) {
      const message = byHandle(receiptHandle);
      if (!message) return;
      story.tell('queue', orderOf(message.origin), () => `deletes ${message.id}`);
      const survivesMs = isFlooded(message.origin) ? undefined : weather().survivesDeletionForMs();
      if (survivesMs === undefined) forget(message);
      else becomesVisible(message, timeline.nowMs() + survivesMs);
    },
    redeliver(messageId) {
      const message = byId.get(messageId);
      if (message?.deleted) put({ ...message, visibleAtMs: timeline.nowMs() });
    },
    redriveDeadLetters() {
      const moved = deadLetters;
      deadLetters = [];
      return moved.map(({ body, attributes, origin }) => ({ messageId: send(body, attributes), origin }));
    },
    portsFor: (process) => ({
      results: {
        send: (results) =>
          process.effect('results', '', () =>
            batchCall(weather().queue('results'), results, (result) => {
              story.tell(
                process.name,
                result.resultId.slice(0, result.resultId.lastIndexOf('/')),
                () => `TELLS ${result.status} (${result.resultId})`,
              );
              truth.tells(result);
            }),
          ),
      },
      jobsQueue: {
        sendDeadLetters: (letters) =>
          process.effect('letters', '', () =>
            batchCall(weather().queue('letters'), letters, ({ body, reason, originMessageId: origin }) => {
              story.tell(
                process.name,
                orderOf(origin),
                () => `lays ${origin} on the dead-letter queue: ${reason.code}`,
              );
              truth.changed();
              const attributes = { reasonCode: reason.code, originalMessageId: origin };
              const id = `letter-${(ids += 1)}`;
              deadLetters.push({ id, origin, body, attributes, receives: 0, visibleAtMs: 0, deleted: false });
            }),
          ),
      },
    }),
  };
}
