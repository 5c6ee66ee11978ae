// What a million payouts cost, everything counted: the calls, the memory, the looks that find out how they ended, the log and
// the item for as long as they are kept, backups, NAT and KMS. For the peers too. `npm run bench -- prices` prints it, and
// `npm run docs` writes its table into infra/docs/scaling.md.
import { acceptedGapSeconds } from './accepted-rhythm.ts';
import { sqsMaxDelaySeconds } from '../../lib/payout/limits.ts';
import { prices } from './prices.ts';

/** Log and ended orders are kept for as long as the stack keeps them: 400 days. */
const keptMonths = 400 / 30.4;
const gb = 1e9;

/** One way of running it, per payout. */
interface Way {
  readonly name: string;
  readonly memoryMb: number;
  /** Of a whole core, as measured (`npm run bench -- handler-as-deployed`); a function has one at 1,769 MB. */
  readonly cpuMs: number;
  /** Units of table and index until the gateway has answered. */
  readonly writeUnits: number;
  /** Requests to SQS: the sender's, receive and delete, results. */
  readonly sqsCalls: number;
  /** Of the function's own lines, as measured where it writes any (`npm run bench -- sizes`). */
  readonly logBytes: number;
  /** What is kept of an order that the gateway has taken, as measured, with DynamoDB's own 100; 0 where nothing is. */
  readonly itemBytes: number;
}

/** Lambda's own three lines of a batch, for each job of it. */
const lambdaLinesBytes = 350 / 10;

/** Claim and answer are two writes, and come into the index and go out of it; everything else goes in tens. */
export const ours: Way = {
  name: 'this worker',
  memoryMb: 1024,
  cpuMs: 1.6,
  writeUnits: 4 + 0.1,
  sqsCalls: 0.1 + 0.3,
  logBytes: 490,
  itemBytes: 385,
};
/** Results in tens as here. Its record kept as long as ours, instead of for an hour; and a line of its logger for each job, which the design lacks. */
export const powertools: Way = {
  name: 'Powertools batch + idempotency, its records kept as long',
  memoryMb: 1024,
  cpuMs: 1.3,
  writeUnits: 2,
  sqsCalls: 0.1 + 0.2 + 0.1,
  logBytes: 350,
  itemBytes: 260,
};
export const middy: Way = {
  name: 'middy, which keeps nothing',
  memoryMb: 1024,
  cpuMs: 0.4,
  writeUnits: 0,
  sqsCalls: 0.1 + 0.2 + 0.1,
  logBytes: 350,
  itemBytes: 0,
};

/** Dollars per million, by what they are for. */
interface Bill {
  readonly lambda: number;
  readonly dynamoDb: number;
  readonly sqs: number;
  readonly logs: number;
  readonly storage: number;
}

export const totalOf = (bill: Bill): number => Object.values(bill).reduce((sum, it) => sum + it, 0);

/** Of a million items or parts of items, with their backups. */
const kept = (bytes: number): number =>
  ((bytes * 1e6) / gb) * keptMonths * (prices.dynamoDbGbMonth + prices.dynamoDbBackupGbMonth);

/** How the order ended, in its item: a line of history, and how often it was asked about. */
const endBytes = 50;

/** What sending a million payouts costs, ten of a batch at once, and keeping what is known of them. */
export function payingBill(way: Way, latencyMs: number): Bill {
  const cores = way.memoryMb / 1769;
  const batchSeconds = (latencyMs + 25 + (10 * way.cpuMs) / cores) / 1000;
  const logGb = ((way.logBytes + lambdaLinesBytes) * 1e6) / gb;
  return {
    lambda: 1e5 * batchSeconds * (way.memoryMb / 1024) * prices.lambdaGbSecond + 0.1 * prices.lambdaMillionRequests,
    dynamoDb: way.writeUnits * prices.dynamoDbMillionWrites,
    sqs: way.sqsCalls * prices.sqsMillionRequests,
    logs: logGb * (prices.logsGb + keptMonths * prices.logsGbMonth),
    storage: kept(way.itemBytes),
  };
}

/** Looks that one order costs, and how many of them the sweeper brings. */
interface Looks {
  readonly looks: number;
  readonly swept: number;
}

/** By the worker's own rhythm, for an order that ends then; where the profile says when orders usually end, by that. */
export function looksUntil(endSeconds: number, usualEndSeconds?: number): Looks {
  let [looks, swept] = [0, 0];
  for (let age = 0; age < endSeconds;) {
    const gapSeconds = acceptedGapSeconds(age, usualEndSeconds);
    age += gapSeconds;
    looks += 1;
    if (gapSeconds > sqsMaxDelaySeconds) swept += 1;
  }
  return { looks, swept };
}

/** What asking about an order costs in its ledger. */
interface Asking {
  /** Units of table and index for each look, and as many once more where the sweeper brings it. */
  readonly unitsOfLook: number;
  readonly readsOfLook: number;
  /** Once, where an order is asked about at all. */
  readonly unitsOnce: number;
}

/**
 * Each look is written before it is made, which moves the order within the index. Once: it stays in the index when it is
 * accepted (one more than to leave it), moves there when it ends, and leaves it when that was told.
 */
const ourAsking: Asking = { unitsOfLook: 1 + 2, readsOfLook: 1, unitsOnce: 1 + (1 + 2) + (1 + 1) };
/** Its looks travel on messages, and what a message was lost of is lost from sight; its record is written when it ends. */
const peersAsking: Asking = { unitsOfLook: 0, readsOfLook: 0, unitsOnce: 1 };

/** What the looks of a million orders cost. */
function looksBill({ looks, swept }: Looks, latencyMs: number, asking: Asking): Bill {
  const writeUnits = (looks + swept) * asking.unitsOfLook + (looks > 0 ? asking.unitsOnce : 0);
  const seconds = looks * ((latencyMs + 50) / 1000 / 10) + swept * 0.0014;
  const logGb = (looks * 500 * 1e6) / gb;
  return {
    lambda: 1e6 * seconds * 0.5 * prices.lambdaGbSecond + looks * 0.1 * prices.lambdaMillionRequests,
    dynamoDb: writeUnits * prices.dynamoDbMillionWrites + looks * asking.readsOfLook * prices.dynamoDbMillionReads,
    sqs: looks * 0.3 * prices.sqsMillionRequests,
    logs: logGb * (prices.logsGb + keptMonths * prices.logsGbMonth),
    storage: looks > 0 ? kept(endBytes) : 0,
  };
}

/** Dollars per million orders that are paid and whose end is known. */
export const knownDollars = (way: Way, looks: Looks, latencyMs: number): number =>
  totalOf(payingBill(way, latencyMs)) + totalOf(looksBill(looks, latencyMs, way === ours ? ourAsking : peersAsking));

/** The gateway's own advice: every 5 s for five minutes, every 5 minutes up to an hour, and hourly after that. */
export function publishedLooks(endSeconds: number): Looks {
  const young = Math.min(endSeconds, 300) / 5;
  const middle = Math.max(0, Math.min(endSeconds, 3_600) - 300) / 300;
  return { looks: Math.ceil(young + middle + Math.max(0, endSeconds - 3_600) / 3_600), swept: 0 };
}

/**
 * New connections of one order: a payment always makes its own; looks share theirs, for a hundred requests each, after which
 * a server by Apache's defaults ends them (https://httpd.apache.org/docs/2.4/mod/core.html, MaxKeepAliveRequests).
 */
export const connectionsOf = (looks: number): number => 1 + looks / 100;

/** Per million, where all traffic goes by NAT: about 7 KB for each handshake, and 2 for each request and its answer. */
const natDollars = ({ looks }: Looks): number =>
  (((connectionsOf(looks) * 7_000 + (1 + looks) * 2_000) * 1e6) / gb) * prices.natGb;

/** Per million, where a merchant's RSA key lives in KMS. A status that may be signed by HMAC costs none of it. */
const kmsDollars = ({ looks }: Looks): number => (1 + looks) * prices.kmsMillionRsaSignatures;

/** Bytes of a row's place in the index of lines, with its names. */
const placeBytes = 150;
/** As long as any may wait. */
const standDays = 14;

/** Dollars of a million jobs under 1 KB that wait in a line for two weeks and go then, by what they are for. */
export function standBill() {
  const units = (rows: number) => ((rows * placeBytes) / 4096) * 0.5;
  const read = (number: number) => (number / 1e6) * prices.dynamoDbMillionReads;
  return {
    // The row, and its place in the line.
    put: 2 * prices.dynamoDbMillionWrites,
    takenAway: 2 * prices.dynamoDbMillionWrites,
    readAgain: read(1e6),
    perHour: read(units(1e6)),
    measuredPerHour: 12 * read(units(10_000)),
    kept: ((1_400 * 1e6) / gb) * (standDays / 30.4) * (prices.dynamoDbGbMonth + prices.dynamoDbBackupGbMonth),
  };
}

/** A month, whatever is paid: metrics, alarms, a dashboard, keys; and with two NAT gateways. */
export const monthlyDollars =
  60 * prices.metricMonth + 35 * prices.alarmMonth + prices.dashboardMonth + 3 * prices.kmsKeyMonth;
export const monthlyNatDollars = 2 * 730 * prices.natHour;

const dollars = (amount: number) => amount.toFixed(2);

/** How long orders take, as the tables say it. */
const ends = [
  { says: '30 s', seconds: 30 },
  { says: '10 min', seconds: 600 },
  { says: '6 h', seconds: 21_600 },
  { says: '3 days', seconds: 259_200 },
];

/** What sending costs at several latencies, for the peers too. */
export const payingRows = (): string[][] =>
  [50, 200, 1000].flatMap((latencyMs) =>
    [ours, powertools, middy].map((way) => {
      const bill = payingBill(way, latencyMs);
      return [`${latencyMs} ms`, way.name, ...Object.values(bill).map(dollars), dollars(totalOf(bill))];
    }),
  );

/** What knowing the end costs as well, at 200 ms. */
export const endRows = (): string[][] =>
  ends.map(({ says, seconds }) => {
    const [plain, said] = [looksUntil(seconds), looksUntil(seconds, seconds)];
    const asPublished = publishedLooks(seconds);
    const cell = (way: Way, looks: Looks) => `${dollars(knownDollars(way, looks, 200))} (${looks.looks})`;
    return [
      says,
      cell(ours, plain),
      cell(ours, said),
      cell(powertools, asPublished),
      dollars(natDollars(said)),
      dollars(kmsDollars(said)),
    ];
  });
