// The ledger's export and the results of a reconciliation, each line as a record under its order's key. What can't be read
// is told with its line, and nothing is compared: what was left out would look like what is missing.
import * as v from 'valibot';
import { exportedOrderSchema } from '../../reconcile/ledger-export.ts';
import { createInputFaults } from '../csv.ts';
import { linesOf } from '../json-lines.ts';
import type { Books } from './books.ts';

/** How many lines were read, and how many of them were left out on purpose. */
export interface Counted {
  readonly lines: number;
  readonly leftOut: number;
}

/** Told to the person who waits. */
export type OnBytes = (bytes: number) => void;

/** The ledger's export (`payouts export`). */
export async function readLedger(path: string, books: Books, onBytes: OnBytes): Promise<Counted> {
  return readJson(path, onBytes, (value) => {
    const read = v.safeParse(exportedOrderSchema, value);
    if (!read.success) return `is not a line of \`payouts export\` (${read.issues[0].path?.[0]?.key ?? 'no object'})`;
    books.addLedger(read.output);
    return 'taken';
  });
}

const resultLine = v.object({
  resultId: v.string(),
  kind: v.exactOptional(v.string()),
  revision: v.exactOptional(v.number()),
  status: v.string(),
  final: v.boolean(),
  amount: v.exactOptional(v.string()),
  currency: v.exactOptional(v.string()),
});

/** The results as they were received, a message body each; of a message that was refused or a whole batch they say nothing. */
export async function readResults(path: string, books: Books, onBytes: OnBytes): Promise<Counted> {
  return readJson(path, onBytes, (value) => {
    const read = v.safeParse(resultLine, value);
    if (!read.success) return `is not a result (${read.issues[0].path?.[0]?.key ?? 'no object'})`;
    const { resultId, kind, revision, ...word } = read.output;
    if (kind !== undefined || revision === undefined) return 'left out';
    books.addResult(resultId.slice(0, resultId.lastIndexOf('/')), { revision, ...word });
    return 'taken';
  });
}

async function readJson(path: string, onBytes: OnBytes, take: (value: unknown) => string): Promise<Counted> {
  const faults = createInputFaults(path);
  let [lines, leftOut] = [0, 0];
  for await (const some of linesOf(path)) {
    let bytes = 0;
    for (const [place, line] of some.lines.entries()) {
      bytes += line.length + 1;
      if (line.trim() === '') continue;
      const end = taken(line, take);
      if (end === 'taken') lines += 1;
      else if (end === 'left out') leftOut += 1;
      else faults.add(`line ${some.firstLine + place} ${end}`);
    }
    onBytes(bytes);
  }
  faults.end();
  return { lines, leftOut };
}

function taken(line: string, take: (value: unknown) => string): string {
  try {
    return take(JSON.parse(line));
  } catch {
    return 'is not JSON';
  }
}
