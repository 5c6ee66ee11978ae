// When the store answered, by its own clock: what lanes share as their time.
import type { LaneMoment } from '../payout/lane.ts';

/** What every command of DynamoDB has. */
interface Watched {
  readonly middlewareStack: {
    add(
      middleware: <Args, Answer>(next: (args: Args) => Promise<Answer>) => (args: Args) => Promise<Answer>,
      options: { readonly step: 'deserialize'; readonly priority: 'high' },
    ): void;
  };
}

/**
 * The Date of the answer to this command, also of one that refuses; of several tries the last one's. The SDK keeps it to
 * itself: it compares it with this machine's clock, and only heeds five minutes and more (`systemClockOffset`).
 */
export function momentOf(command: Watched): () => LaneMoment {
  let date: string | undefined;
  const note = (response: unknown) => {
    date = (response as { headers?: Record<string, string> } | undefined)?.headers?.['date'];
  };
  command.middlewareStack.add(
    (next) => async (args) => {
      try {
        const result = await next(args);
        note((result as { response?: unknown }).response);
        return result;
      } catch (error) {
        note((error as { $response?: unknown }).$response);
        throw error;
      }
    },
    { step: 'deserialize', priority: 'high' },
  );
  return () => {
    const atMs = Date.parse(date ?? '');
    if (Number.isNaN(atMs))
      throw new Error(
        "DynamoDB's answer bears no Date, by which workers share time; what stands between must pass it on",
      );
    return { atMs };
  };
}
