// The common clock of all processes: the machine's clock, corrected by the Date headers of DynamoDB's answers (in the operator's tool also
// of Secrets Manager's). These show whole seconds, so each answer narrows the bounds of the error; a clock within the bounds is not changed.
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
  /** Takes the time of an answer, which AWS rounds down to the second. */
  saw(sentMs: number, receivedMs: number, dateMs: number): void;
  /** Reads the Dates of this client's answers; returns the client. */
  watching<Client extends Watched>(client: Client): Client;
}

/** The corrected clock; equal to the machine's until the first answer. */
export function createTableClock(machine: Clock): TableClock {
  let [least, greatest] = [-Infinity, Infinity];

  function saw(sentMs: number, receivedMs: number, dateMs: number): void {
    const [low, high] = [dateMs - receivedMs, dateMs + 1_000 - sentMs];
    // The new bounds exclude the old ones: the machine's clock was set, so only the new ones count.
    const isNews = low > greatest || high < least;
    [least, greatest] = isNews ? [low, high] : [Math.max(least, low), Math.min(greatest, high)];
  }

  function sawAnswer(sentMs: number, response: unknown): void {
    const date = (response as { headers?: Record<string, string> } | undefined)?.headers?.['date'];
    const dateMs = Date.parse(date ?? '');
    if (!Number.isNaN(dateMs)) saw(sentMs, machine.nowMs(), dateMs);
  }

  return {
    ...machine,
    nowMs: () => machine.nowMs() + Math.round(Math.max(least, Math.min(0, greatest))),
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
