// The worker's own queue: a message comes after its delay, in any order, perhaps twice. A check may get
// lost, and all that are there at once. A message that is not deleted comes again after the visibility time-out.
import type { SQSRecord } from 'aws-lambda';
import { type OwnQueue, type OwnTask, writeOwnTask } from '../../lib/payout/inquire/own-queue.ts';
import type { Process } from './process.ts';
import { faultOfDelays, batchCall, nextVisible, type QueuedMessage, recordOf } from './queue-calls.ts';
import type { Queues } from './queues.ts';
import type { Story } from './story.ts';
import type { Truth } from './truth.ts';
import type { Timeline } from './timeline.ts';
import type { Weather } from './weather.ts';

/** The queue, as the world sees it. */
export interface Checks {
  readonly own: Pick<Queues, 'receive' | 'delete' | 'onVisible'>;
  portFor(process: Process): { readonly ownQueue: OwnQueue };
  readonly waiting: () => number;
  /** Every message of the own queue is lost at once. */
  loseAll(): void;
}

/** The surroundings of the queue. */
export interface ChecksSurroundings {
  readonly timeline: Timeline;
  readonly weather: () => Weather;
  readonly story: Story;
  readonly truth: Pick<Truth, 'breaks' | 'losesAnswer'>;
  readonly visibilityMs: number;
}

/** A queue of which messages are received, and deleted. */
export function createQueue(name: string, { timeline, weather, visibilityMs }: ChecksSurroundings) {
  let messages: QueuedMessage[] = [];
  const wakers: (() => void)[] = [];
  let ids = 0;

  function becomesVisible(message: QueuedMessage, atMs: number): void {
    message.visibleAtMs = atMs;
    timeline.at(atMs, () => {
      if (messages.includes(message)) for (const wake of wakers) wake();
    });
  }

  function hand(message: QueuedMessage): SQSRecord {
    message.receives += 1;
    becomesVisible(message, timeline.nowMs() + (weather().checkTwiceAfterMs() ?? visibilityMs));
    return recordOf(message, name);
  }

  return {
    put(body: string, delaySeconds: number): void {
      const message = { id: `${name}-${(ids += 1)}`, body, visibleAtMs: 0, receives: 0 };
      messages.push(message);
      becomesVisible(message, timeline.nowMs() + delaySeconds * 1000);
    },
    receive(atMost: number) {
      const records: SQSRecord[] = [];
      while (records.length < atMost) {
        const message = nextVisible(messages, timeline.nowMs(), weather().nextOf);
        if (!message) break;
        records.push(hand(message));
      }
      return records;
    },
    delete(receiptHandle: string) {
      const [id] = receiptHandle.split('#');
      messages = messages.filter((it) => it.id !== id);
    },
    onVisible: (wake: () => void) => void wakers.push(wake),
    waiting: () => messages.length,
    loseAll(): readonly QueuedMessage[] {
      const lost = messages;
      messages = [];
      return lost;
    },
  };
}

/** The queue, empty. */
export function createChecks(surroundings: ChecksSurroundings): Checks {
  const { weather, story, truth } = surroundings;
  const own = createQueue('own', surroundings);

  /** A message with an answer may be the only record of it. */
  function loses(word: Pick<OwnTask, 'kind' | 'key'>): void {
    if (word.kind === 'answer') truth.losesAnswer(word.key);
  }

  return {
    own,
    waiting: own.waiting,
    loseAll() {
      const lost = own.loseAll();
      story.tell('own', '', () => `loses all its ${lost.length} messages`);
      for (const { body } of lost) loses(JSON.parse(body));
    },
    portFor: (process) => ({
      ownQueue: {
        send: (messages) =>
          process.effect('checks', '', () => {
            const fault = faultOfDelays(messages);
            if (fault !== undefined) truth.breaks(fault);
            return batchCall(
              weather().queue('checks'),
              messages,
              ({ message, delaySeconds }) => {
                // SQS loses nothing; a message that never came to it is as good as lost.
                if (message.kind === 'check' && weather().checkLost())
                  return story.tell('own', message.key, () => 'loses the question');
                own.put(writeOwnTask(message), delaySeconds);
              },
              ({ message }) => loses(message),
            );
          }),
      },
    }),
  };
}
