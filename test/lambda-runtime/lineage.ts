// Lambda's recursive-loop detection as AWS tells it: each invocation bears a lineage in its trace header, which of the
// chain's functions ran how often; the SDK passes the header on, SQS keeps it with the message, and Lambda stops a
// function that its own chain would invoke for the seventeenth time, unless that function may go round.
import { createHash } from 'node:crypto';

/** Invocations of one function in one chain; the next one is stopped. */
const invocationsOfOneChain = 16;

/** How often each function has run in a chain, by the mark that Lambda gives it. */
export type Lineage = Readonly<Record<string, number>>;

/** What Lambda does with a batch. */
export type Admission =
  | { readonly kind: 'invoked'; readonly traceId: string; readonly round: number }
  | { readonly kind: 'stopped'; readonly round: number };

const markOf = (functionName: string) => createHash('sha256').update(functionName).digest('hex').slice(0, 8);

/** Reads `Root=…;Lineage=a87bd80c:3|68fd508a:1`; without a lineage a chain begins. */
export function lineageOf(traceHeader: string | undefined): Lineage {
  const [, text = ''] = /(?:^|;)Lineage=([^;]*)/.exec(traceHeader ?? '') ?? [];
  const parts = text.split('|').flatMap((part) => {
    const [mark, count] = part.split(':');
    return mark && count ? [[mark, Number(count)] as const] : [];
  });
  return Object.fromEntries(parts);
}

/** A batch belongs to every chain of its messages, each counted at its longest. */
export function longestOf(lineages: readonly Lineage[]): Lineage {
  const all: Record<string, number> = {};
  for (const [mark, count] of lineages.flatMap((it) => Object.entries(it))) {
    all[mark] = Math.max(all[mark] ?? 0, count);
  }
  return all;
}

/** Whether Lambda invokes the function for a batch of this lineage, and with which trace header. */
export function admit(functionName: string, recursiveLoop: 'Allow' | 'Terminate', batch: Lineage): Admission {
  const mark = markOf(functionName);
  const round = (batch[mark] ?? 0) + 1;
  if (recursiveLoop === 'Terminate' && round > invocationsOfOneChain) return { kind: 'stopped', round };
  const lineage = Object.entries({ ...batch, [mark]: round }).map(([name, count]) => `${name}:${count}`);
  const root = 'Root=1-6553f100-0123456789abcdef01234567;Parent=0123456789abcdef;Sampled=0';
  return { kind: 'invoked', traceId: `${root};Lineage=${lineage.join('|')}`, round };
}
