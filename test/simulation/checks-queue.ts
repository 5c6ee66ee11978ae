// The checks queue: a message comes after its delay, in any order, perhaps twice, perhaps never: it may lose any of its
// messages, and all of them at once. What is not deleted comes again after the visibility time-out.
import type { SQSRecord } from 'aws-lambda';
import type { ChecksQueue } from '../../lib/payout/due-work.ts';
import type { Process } from './process.ts';
import { faultOfDelays, batchCall, nextVisible, type QueuedMessage, recordOf } from './queue-calls.ts';
import type { Queues } from './queues.ts';
import type { Story } from './story.ts';
import type { Truth } from './truth.ts';
import type { Timeline } from './timeline.ts';
import type { Weather } from './weather.ts';

/** The checks queue, as the world sees it. */
export interface Checks extends Pick<Queues, 'receive' | 'delete' | 'onVisible'> {
  portFor(process: Process): ChecksQueue;
  readonly waiting: () => number;
  /** Every message is lost at once. */
  loseAll(): void;
}

/** What it lives in. */
export interface ChecksSurroundings {
  readonly timeline: Timeline;
  readonly weather: () => Weather;
  readonly story: Story;
  readonly truth: Pick<Truth, 'breaks'>;
  readonly visibilityMs: number;
  /** A message is gone that nobody has worked on. */
  readonly onLoss: (body: string) => void;
}

/** An empty checks queue. */
export function createChecks({ timeline, weather, story, truth, visibilityMs, onLoss }: ChecksSurroundings): Checks {
  let messages: QueuedMessage[] = [];
  const wakers: (() => void)[] = [];
  let ids = 0;

  function becomesVisible(message: QueuedMessage, atMs: number): void {
    message.visibleAtMs = atMs;
    timeline.at(atMs, () => {
      if (messages.includes(message)) for (const wake of wakers) wake();
    });
  }

  function put(body: string, delaySeconds: number): void {
    if (weather().checkLost()) {
      story.tell('checks', '', () => `loses ${body}`);
      return onLoss(body);
    }
    const message = { id: `check-${(ids += 1)}`, body, visibleAtMs: 0, receives: 0 };
    messages.push(message);
    becomesVisible(message, timeline.nowMs() + delaySeconds * 1000);
  }

  function hand(message: QueuedMessage): SQSRecord {
    message.receives += 1;
    becomesVisible(message, timeline.nowMs() + (weather().checkTwiceAfterMs() ?? visibilityMs));
    return recordOf(message, 'checks');
  }

  return {
    receive(atMost) {
      const records: SQSRecord[] = [];
      while (records.length < atMost) {
        const message = nextVisible(messages, timeline.nowMs(), weather().nextOf);
        if (!message) break;
        records.push(hand(message));
      }
      return records;
    },
    delete(receiptHandle) {
      const [id] = receiptHandle.split('#');
      const message = messages.find((it) => it.id === id);
      if (!message) return;
      messages = messages.filter((it) => it !== message);
    },
    onVisible: (wake) => void wakers.push(wake),
    waiting: () => messages.length,
    loseAll() {
      story.tell('checks', '', () => `loses all its ${messages.length} messages`);
      for (const { body } of messages) onLoss(body);
      messages = [];
    },
    portFor: (process) => ({
      send: (checks) =>
        process.effect('checks', '', () => {
          const fault = faultOfDelays(checks);
          if (fault !== undefined) truth.breaks(fault);
          return batchCall(weather().queue('checks'), checks, ({ check, delaySeconds }) =>
            put(JSON.stringify({ version: 1, ...check }), delaySeconds),
          );
        }),
    }),
  };
}
