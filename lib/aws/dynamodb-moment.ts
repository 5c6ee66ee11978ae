// The time of the store's answer, by its own clock: the common time of all lanes.
import type { LaneMoment } from '../payout/lanes/lane.ts';

/** The common part of every command of DynamoDB. */
interface Watched {
  readonly middlewareStack: {
    add(
      middleware: <Args, Answer>(next: (args: Args) => Promise<Answer>) => (args: Args) => Promise<Answer>,
      options: { readonly step: 'deserialize'; readonly priority: 'high' },
    ): void;
  };
}

/**
 * The Date of the answer to this command, also of one that refuses; of several tries the last one's. The SDK does not expose
 * it, but compares it with this machine's clock, and only heeds five minutes and more (`systemClockOffset`).
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
