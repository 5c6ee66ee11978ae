// The records of the three books, gathered by order. A row is written as it is read, into a database in a file
// without a name that goes with this process: memory does not grow with the orders.
import type { GatewayRecord, LedgerRecord, OrderInBooks, ResultRecord } from '../../reconcile/reconcile.ts';
import { onScratch, openScratch } from '../../files/scratch.ts';
import { UsageError } from '../../files/usage-error.ts';

/** The books, opened. */
export type Books = ReturnType<typeof createBooks>;

/** The most that is held of one order at once: more than any order can have, unless a column holds no order ids. */
const recordsAtMost = 1_000;
type Book = 'ledger' | 'results' | 'gateway';

/** Books in which nothing is written yet. Throws UsageError where the disk for temporary files is full. */
export function createBooks() {
  const database = openScratch('CREATE TABLE records (key TEXT, book TEXT, record TEXT)');
  const insert = database.prepare('INSERT INTO records VALUES (?, ?, ?)');
  const add = (key: string, book: Book, record: object) =>
    onDisk(() => void insert.run(key, book, JSON.stringify(record)));
  return {
    addLedger: (key: string, record: LedgerRecord) => add(key, 'ledger', record),
    addResult: (key: string, record: ResultRecord) => add(key, 'results', record),
    addGateway: (key: string, record: GatewayRecord) => add(key, 'gateway', record),
    /** Each order once, by its key. */
    *orders(): Generator<readonly [key: string, OrderInBooks]> {
      const rows = onDisk(() =>
        database.prepare('SELECT key, book, record FROM records ORDER BY key, rowid').iterate(),
      );
      let [key, order] = ['', nothing()];
      for (;;) {
        const { value, done } = onDisk(() => rows.next());
        if (done) break;
        const next = String(value['key']);
        if (next !== key) {
          if (key !== '') yield [key, order];
          [key, order] = [next, nothing()];
        }
        take(order, String(value['book']) as Book, String(value['record']));
      }
      if (key !== '') yield [key, order];
    },
    /** Gives back what they take of the disk. */
    close: () => database.close(),
  };
}

interface Gathered {
  ledger?: LedgerRecord;
  readonly results: ResultRecord[];
  readonly gateway: GatewayRecord[];
}

const nothing = (): Gathered => ({ results: [], gateway: [] });

/** Adds a row that this very run has written. */
function take(order: Gathered, book: Book, record: string): void {
  if (order.results.length + order.gateway.length >= recordsAtMost)
    throw new UsageError(
      `one order has more than ${recordsAtMost} lines: is the column of order ids the right one? (--map "<column>=orderId")`,
    );
  if (book === 'results') order.results.push(JSON.parse(record));
  else if (book === 'gateway') order.gateway.push(JSON.parse(record));
  else {
    const ledger: LedgerRecord = JSON.parse(record);
    // An export that was made while orders moved may have one twice.
    if (!order.ledger || order.ledger.revision < ledger.revision) order.ledger = ledger;
  }
}

const onDisk = <Result>(work: () => Result): Result => onScratch('the books', work);
