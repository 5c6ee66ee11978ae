// ONE CLOCK for all processes: the machine's, moved as little as the Dates of DynamoDB's answers demand. They show whole seconds, so each
// answer narrows bounds, and a clock that is right within them is left alone.
import type { Clock } from '../payout/ports.ts';

/** The common part of a client of the SDK. */
interface Watched {
  readonly middlewareStack: {
    add(
      middleware: <Args, Answer>(next: (args: Args) => Promise<Answer>) => (args: Args) => Promise<Answer>,
      options: { readonly step: 'deserialize'; readonly priority: 'high' },
    ): void;
  };
}

/** The corrected clock. */
interface TableClock extends Clock {
  /** An answer that bears this time of the table, rounded down to the second. */
  saw(sentMs: number, receivedMs: number, dateMs: number): void;
  /** The same client, whose answers are seen. */
  watching<Client extends Watched>(client: Client): Client;
}

/** The machine's clock before any answer. */
export function createTableClock(machine: Clock): TableClock {
  let [least, most] = [-Infinity, Infinity];

  function saw(sentMs: number, receivedMs: number, dateMs: number): void {
    const [low, high] = [dateMs - receivedMs, dateMs + 1_000 - sentMs];
    // The machine's clock was set, or has run away: the answer is believed.
    const isNews = low > most || high < least;
    [least, most] = isNews ? [low, high] : [Math.max(least, low), Math.min(most, high)];
  }

  function sawAnswer(sentMs: number, response: unknown): void {
    const date = (response as { headers?: Record<string, string> } | undefined)?.headers?.['date'];
    const dateMs = Date.parse(date ?? '');
    if (!Number.isNaN(dateMs)) saw(sentMs, machine.nowMs(), dateMs);
  }

  return {
    ...machine,
    nowMs: () => machine.nowMs() + Math.round(Math.max(least, Math.min(0, most))),
    saw,
    watching(client) {
      client.middlewareStack.add(
        (next) => async (args) => {
          const sentMs = machine.nowMs();
          try {
            const result = await next(args);
            sawAnswer(sentMs, (result as { response?: unknown }).response);
            return result;
          } catch (error) {
            sawAnswer(sentMs, (error as { $response?: unknown }).$response);
            throw error;
          }
        },
        { step: 'deserialize', priority: 'high' },
      );
      return client;
    },
  };
}
