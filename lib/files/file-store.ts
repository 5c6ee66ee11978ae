// The rows of a file, read once. Every later question is one to this store: which row named an order or a payment first, what is sent, what
// was approved, what became of each row.
import type { CheckedRow } from './check-rows.ts';
import { judgeJob } from '../payout/message/job.ts';
import { onScratch, openScratch } from './scratch.ts';

/** The store of one file. */
export type FileStore = ReturnType<typeof openFileStore>;

const rowsAtOnce = 100;

/** An empty store. Throws UsageError if the disk for temporary files is full; `name` is the file's. */
export function openFileStore(name: string) {
  const database = openScratch(
    `CREATE TABLE orders (key TEXT PRIMARY KEY, row INTEGER) WITHOUT ROWID;
     CREATE TABLE payments (key BLOB PRIMARY KEY, row INTEGER) WITHOUT ROWID;
     CREATE TABLE rows (n INTEGER PRIMARY KEY, text TEXT, rest TEXT)`,
  );
  const onDisk = <Result>(work: () => Result) => onScratch(`the rows of ${name}`, work);
  const [orders, payments] = ['orders', 'payments'].map((table) => {
    const note = database.prepare(`INSERT OR IGNORE INTO ${table} VALUES (?, ?)`);
    const find = database.prepare(`SELECT row FROM ${table} WHERE key = ?`);
    const rowOf = (key: string | Uint8Array) => onDisk(() => find.get(key))?.['row'] as number | undefined;
    return {
      rowOf,
      first: (key: string | Uint8Array, row: number) =>
        onDisk(() => note.run(key, row)).changes === 0 ? rowOf(key) : undefined,
    };
  }) as [Noted, Noted];
  const insert = database.prepare('INSERT INTO rows (text, rest) VALUES (?, ?)');
  const select = database.prepare('SELECT n, text, rest FROM rows WHERE n > ? ORDER BY n LIMIT ?');
  return {
    /** The row that named the order first; undefined, and noted, if it is this one. */
    firstOfOrder: orders.first,
    hasOrder: (key: string) => orders.rowOf(key) !== undefined,
    /** The same for a payment, by the digest of its payee and amount. */
    firstOfPayment: payments.first,
    rowOfPayment: payments.rowOf,
    /** Keeps a row for {@link rows}. */
    add(row: CheckedRow): void {
      const { text, rest } = packed(row);
      onDisk(() => insert.run(text, rest));
    },
    /** The rows that were kept, in their order, some at a time; any number of times. */
    async *rows(): AsyncGenerator<readonly CheckedRow[]> {
      for (let after = 0; ;) {
        const found = onDisk(() => select.all(after, rowsAtOnce));
        if (found.length === 0) return;
        yield found.map(({ text, rest }) => unpacked(text as string | null, String(rest)));
        after = Number(found.at(-1)?.['n']);
      }
    },
    /** Gives back what it takes of the disk. */
    close: () => database.close(),
  };
}

interface Noted {
  readonly rowOf: (key: string | Uint8Array) => number | undefined;
  readonly first: (key: string | Uint8Array, row: number) => number | undefined;
}

/** A good row is its message; its job is read from that again. */
function packed(row: CheckedRow): { readonly text: string | null; readonly rest: string } {
  if (row.kind === 'rejected') return { text: null, rest: JSON.stringify(row) };
  const { row: number, original, place } = row;
  return { text: row.text, rest: JSON.stringify({ row: number, original, place }) };
}

function unpacked(text: string | null, rest: string): CheckedRow {
  const its = JSON.parse(rest);
  if (text === null) return its;
  const message = JSON.parse(text);
  const parsed = judgeJob(message, text);
  if (parsed.kind === 'rejected') throw new Error('a row that was a job is none');
  return { kind: 'job', ...its, text, message, job: parsed.job };
}
