// The books of a reconciliation: ledger, results and the gateway's report gathered by order, and what moved by the ledger. A
// row is written as it is read, into a database in a file without a name that goes with this process: memory does not grow.
import { formatMinorUnits, minorUnitsOfOthers } from '../../gateway/money.ts';
import type { OrderView } from '../../payout/order/projection.ts';
import { type Movement, movementsOf } from '../../reconcile/journal.ts';
import { ledgerRecordOf, type LedgerRecord } from '../../reconcile/ledger-record.ts';
import type { GatewayRecord, OrderInBooks, ResultRecord } from '../../reconcile/reconcile.ts';
import type { Scope } from '../../reconcile/scope.ts';
import { onScratch, openScratch } from '../../files/scratch.ts';
import { UsageError } from '../../files/usage-error.ts';

/** The books, opened. */
export type Books = ReturnType<typeof createBooks>;

const tables = `CREATE TABLE records (key TEXT, book TEXT, record TEXT);
  CREATE TABLE movements (key TEXT, place INTEGER, time TEXT, day TEXT, movement TEXT, currency TEXT, units INTEGER, line TEXT,
    PRIMARY KEY (key, place))`;

/** Epoch milliseconds; without a bound, all. */
type Days = Pick<Scope, 'fromMs' | 'toMs'>;
const between = 'WHERE time >= ? AND time < ?';
const boundsOf = ({ fromMs = 0, toMs }: Days) => [
  new Date(fromMs).toISOString(),
  toMs === undefined ? '~' : new Date(toMs).toISOString(),
];

function unitsOf({ amount, currency }: Movement): bigint {
  const units = minorUnitsOfOthers(amount.replace('-', ''), currency) ?? 0n;
  return amount.startsWith('-') ? -units : units;
}

/** The most that is held of one order at once: more than any order can have, unless a column holds no order ids. */
const recordsAtMost = 1_000;
type Book = 'ledger' | 'results' | 'gateway';

/** Books in which nothing is written yet. Throws UsageError if the disk for temporary files is full. */
export function createBooks() {
  const database = openScratch(tables);
  const insert = database.prepare('INSERT INTO records VALUES (?, ?, ?)');
  const insertMovement = database.prepare('INSERT OR REPLACE INTO movements VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const add = (key: string, book: Book, record: object) =>
    onDisk(() => void insert.run(key, book, JSON.stringify(record)));
  return {
    /** An order that is read again has its newest state alone. */
    addLedger(entry: OrderView): void {
      add(entry.key, 'ledger', ledgerRecordOf(entry));
      for (const [place, it] of movementsOf(entry).entries()) {
        const { time, day, movement, currency } = it;
        const columns = [entry.key, place, time, day, movement, currency, unitsOf(it), JSON.stringify(it)];
        onDisk(() => void insertMovement.run(...columns));
      }
    },
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
    /** What moved between these moments, in the order of time. */
    *movements({ fromMs, toMs }: Days): Generator<Movement> {
      const query = `SELECT line FROM movements ${between} ORDER BY time, key, place`;
      const rows = onDisk(() => database.prepare(query).iterate(...boundsOf({ fromMs, toMs })));
      for (const { line } of rows) yield JSON.parse(String(line));
    },
    /** The sums of these, by day, movement and currency, exactly. */
    totals(days: Days) {
      const sums = 'SELECT day, movement, currency, COUNT(*) AS lines, SUM(units) AS units FROM movements';
      const query = database.prepare(
        `${sums} ${between} GROUP BY day, movement, currency ORDER BY day, movement, currency`,
      );
      query.setReadBigInts(true);
      return onDisk(() => query.all(...boundsOf(days))).map((it) => {
        const [day, movement, currency] = [String(it['day']), String(it['movement']), String(it['currency'])];
        const amount = formatMinorUnits(BigInt(String(it['units'])), currency);
        return { day, movement, lines: Number(it['lines']), amount, currency };
      });
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
    // An order of two batches is read twice.
    if (!order.ledger || order.ledger.revision < ledger.revision) order.ledger = ledger;
  }
}

const onDisk = <Result>(work: () => Result): Result => onScratch('the books', work);
