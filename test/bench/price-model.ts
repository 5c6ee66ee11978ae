// What a million payouts cost, everything counted: the calls, the memory, the looks that find out how they ended, the log and
// the item for as long as they are kept, backups, NAT and KMS. For the peers too. `npm run bench -- prices` prints it, and
// `npm run docs` writes its table into infra/docs/scaling.md.
import { acceptedGapSeconds } from './accepted-rhythm.ts';
import { figureOf } from './measured.ts';
import { ofType } from '../infra/packaged.ts';
import { listOf, recordOf } from '../support/stack.ts';
import { prices } from './prices.ts';

/** Log and ended orders are kept for as long as the stack keeps them: 400 days. */
const keptMonths = 400 / 30.4;
const gb = 1e9;

/** One way of running it. */
interface Way {
  readonly name: string;
  readonly memoryMb: number;
  /** Of a whole core a job of a batch of ten, over TLS (`npm run bench -- peers-in-tens`); a function has one at 1,769 MB. */
  readonly cpuMs: number;
  /** The same of a job alone (`peers-alone`). */
  readonly cpuAloneMs: number;
  /** Units of table and indexes, of a payout of a batch, until the gateway has answered; and once for each batch, of its lane. */
  readonly writeUnits: number;
  readonly writeUnitsOfBatch: number;
  /** Of the function's own lines for a job, and once for each batch, as measured where it writes any (`npm run bench -- sizes`). */
  readonly logBytes: number;
  readonly logBytesOfBatch: number;
  /** What is kept of an order that the gateway has taken, as measured, with DynamoDB's own 100; 0 where nothing is. */
  readonly itemBytes: number;
}

/** Lambda's own three lines of an invocation. */
const lambdaLinesBytes = 350;

/** Requests to SQS of a batch, on every way: the sender's, receive and delete, and its results in one. */
const sqsCallsOfBatch = 4;

const cpuOf = (side: string) => ({
  cpuMs: Number(figureOf('peers-in-tens', `${side}CpuMs`).toFixed(1)),
  cpuAloneMs: Number(figureOf('peers-alone', `${side}CpuMs`).toFixed(1)),
});
const bytesMeasured = (figure: string) => Math.round(figureOf('sizes', figure));

/**
 * Claim, answer and the mark that goes are three writes; the order comes into the index of open work and goes out of it, and the answer into
 * the index of its batch. Everything else goes in tens.
 */
export const ours: Way = {
  name: 'this worker',
  memoryMb: 1024,
  ...cpuOf('ours'),
  writeUnits: 6,
  writeUnitsOfBatch: 1,
  logBytes: bytesMeasured('oursLogBytesOfJob'),
  logBytesOfBatch: bytesMeasured('oursLogBytesOfBatch'),
  itemBytes: bytesMeasured('oursItemBytes'),
};
/** Results in tens as here. Its record kept as long as ours, instead of for an hour; and a line of its logger for each job, which the design lacks. */
export const powertools: Way = {
  name: 'Powertools batch + idempotency, its records kept as long',
  memoryMb: 1024,
  ...cpuOf('powertoolsInTens'),
  writeUnits: 2,
  writeUnitsOfBatch: 0,
  logBytes: 350,
  logBytesOfBatch: 0,
  itemBytes: bytesMeasured('powertoolsItemBytes'),
};
export const middy: Way = {
  name: 'middy, which keeps nothing',
  memoryMb: 1024,
  ...cpuOf('middyInTens'),
  writeUnits: 0,
  writeUnitsOfBatch: 0,
  logBytes: 350,
  logBytesOfBatch: 0,
  itemBytes: 0,
};

/** Dollars per million, by what they are for. */
interface Bill {
  readonly lambda: number;
  readonly dynamoDb: number;
  readonly sqs: number;
  readonly logs: number;
  readonly keptLogs: number;
  readonly storage: number;
}

export const totalOf = (bill: Bill): number => Object.values(bill).reduce((sum, it) => sum + it, 0);

/** Of a million items or parts of items, with their backups. */
const kept = (bytes: number): number =>
  ((bytes * 1e6) / gb) * keptMonths * (prices.dynamoDbGbMonth + prices.dynamoDbBackupGbMonth);

/** How the order ended, in its item: a line of history, and how often it was asked about. */
const endBytes = 50;

/** How many jobs share an invocation. */
export type Together = 1 | 10;

/** What sending a million payouts costs, so many of a batch at once, and keeping what is known of them. */
export function payingBill(way: Way, latencyMs: number, jobs: Together = 10): Bill {
  const cores = way.memoryMb / 1769;
  const batchSeconds = (latencyMs + 25 + (jobs === 1 ? way.cpuAloneMs : jobs * way.cpuMs) / cores) / 1000;
  const logGb = ((way.logBytes + (way.logBytesOfBatch + lambdaLinesBytes) / jobs) * 1e6) / gb;
  return {
    lambda:
      (1e6 / jobs) * batchSeconds * (way.memoryMb / 1024) * prices.lambdaGbSecond + prices.lambdaMillionRequests / jobs,
    dynamoDb: (way.writeUnits + way.writeUnitsOfBatch / jobs) * prices.dynamoDbMillionWrites,
    sqs: (sqsCallsOfBatch / jobs) * prices.sqsMillionRequests,
    logs: logGb * prices.logsGb,
    keptLogs: logGb * keptMonths * prices.logsGbMonth,
    storage: kept(way.itemBytes),
  };
}

/** Of a bill what is paid while payouts are sent, and what for keeping what is known of them. */
export const sendingOf = ({ lambda, dynamoDb, sqs, logs }: Bill): number => lambda + dynamoDb + sqs + logs;
const keepingOf = ({ keptLogs, storage }: Bill): number => keptLogs + storage;

/** Looks that one order costs by the worker's own rhythm; where the profile says when orders usually end, by that. */
export function looksUntil(endSeconds: number, usualEndSeconds?: number): number {
  let [age, looks] = [0, 0];
  while (age < endSeconds) {
    age += acceptedGapSeconds(age, usualEndSeconds);
    looks += 1;
  }
  return looks;
}

/** What asking about an order costs in its ledger. */
interface Asking {
  readonly unitsOfLook: number;
  readonly readsOfLook: number;
  /** Once, where an order is asked about at all. */
  readonly unitsOnce: number;
}

/**
 * Each look is two writes, the leader's lease and what was found with the time of the next: each a unit of the table and two of the index,
 * in which the order moves. Once: it stays in the index when it is accepted (one more than to leave it), and leaves it when its end was told;
 * the end comes into the index of its batch.
 * test/payout/order/units.test.ts counts the same.
 */
const ourAsking: Asking = { unitsOfLook: 2 * (1 + 2), readsOfLook: 1.5, unitsOnce: 1 + (1 + 1) + 1 };
/** Its looks travel on messages, and what a message was lost of is lost from sight; its record is written when it ends. */
const peersAsking: Asking = { unitsOfLook: 0, readsOfLook: 0, unitsOnce: 1 };

/** Write units of an order's own that its looks take; a tenth of each is its lane's beside them. */
export const askingUnits = (looks: number, asking: Asking = ourAsking): number =>
  looks * asking.unitsOfLook + (looks > 0 ? asking.unitsOnce : 0);

/** What the looks of a million orders cost. */
function looksBill(looks: number, latencyMs: number, asking: Asking): Bill {
  const writeUnits = askingUnits(looks, asking) + (asking === ourAsking ? looks * 0.1 : 0);
  const seconds = looks * ((latencyMs + 50) / 1000 / 10);
  const logGb = (looks * 500 * 1e6) / gb;
  return {
    lambda: 1e6 * seconds * 0.5 * prices.lambdaGbSecond + looks * 0.1 * prices.lambdaMillionRequests,
    dynamoDb: writeUnits * prices.dynamoDbMillionWrites + looks * asking.readsOfLook * prices.dynamoDbMillionReads,
    sqs: looks * 0.3 * prices.sqsMillionRequests,
    logs: logGb * prices.logsGb,
    keptLogs: logGb * keptMonths * prices.logsGbMonth,
    storage: looks > 0 ? kept(endBytes) : 0,
  };
}

/** Dollars per million orders that are paid and whose end is known. */
export const knownDollars = (way: Way, looks: number, latencyMs: number): number =>
  totalOf(payingBill(way, latencyMs)) + totalOf(looksBill(looks, latencyMs, way === ours ? ourAsking : peersAsking));

/** The gateway's own advice: every 5 s for five minutes, every 5 minutes up to an hour, and hourly after that. */
export function publishedLooks(endSeconds: number): number {
  const young = Math.min(endSeconds, 300) / 5;
  const middle = Math.max(0, Math.min(endSeconds, 3_600) - 300) / 300;
  return Math.ceil(young + middle + Math.max(0, endSeconds - 3_600) / 3_600);
}

/** Per million, where a merchant's RSA key lives in KMS. A status that may be signed by HMAC costs none of it. */
const kmsDollars = (looks: number): number => (1 + looks) * prices.kmsMillionRsaSignatures;

/** Bytes of a parked job of some 770, and of its place in the index of lines, with their names (test/aws/dynamodb-waiting.test.ts). */
export const jobBytes = 995;
export const placeBytes = 206;
/** As long as any may wait. */
const standDays = 14;

/** Dollars of a million jobs under 1 KB that wait for two weeks in a closed lane and are sent then. */
export function standBill(): number {
  const units = (jobs: number) => ((jobs * placeBytes) / 4096) * 0.5;
  const read = (number: number) => (number / 1e6) * prices.dynamoDbMillionReads;
  // The job, its place in the line, and in the index of expiries; the read before it.
  const put = 3 * prices.dynamoDbMillionWrites + read(1e6);
  // The lease, in the table and in the line; the beginning; the removal of all three.
  const takenAway = 6 * prices.dynamoDbMillionWrites;
  // Once an hour, for what was called off.
  const lookedThrough = standDays * 24 * read(units(1e6));
  // Ten thousand each five minutes.
  const measured = standDays * 288 * read(units(10_000));
  // With DynamoDB's own 100 bytes of an item, in the table and two indexes; of what has a place in an index the table alone is backed up.
  const keptThere =
    (standDays / 30.4) *
    (((jobBytes + 2 * placeBytes + 300) * prices.dynamoDbGbMonth + (jobBytes + 100) * prices.dynamoDbBackupGbMonth) *
      (1e6 / gb));
  return put + takenAway + lookedThrough + measured + keptThere;
}

const monthHours = 730;
const monthMinutes = monthHours * 60;

/** The metrics that the alarms of a stage read: an alarm over several of them costs as several. */
const alarmMetrics = (): number =>
  ofType('AWS::CloudWatch::Alarm').reduce(
    (sum, [, { Metrics }]) => sum + listOf(Metrics).filter((it) => recordOf(it)['MetricStat'] !== undefined).length,
    0,
  );

/** The worker's own metrics in a month in which nothing is paid: a figure of nought is not sent (test/payout/published-metrics.test.ts counts them). */
export const idleMetrics = 1;

/** A month in which nothing is paid, by what it is for. */
const idleMonth = {
  /** The metrics that are sent; the alarms of the template, each by the metrics that it reads; a dashboard. */
  watching: idleMetrics * prices.metricMonth + alarmMetrics() * prices.alarmMonth + prices.dashboardMonth,
  keys: 3 * prices.kmsKeyMonth,
  /**
   * A sweep a minute, a tenth of a second at 512 MB, a line of 500 bytes, and 80 read units: nine questions of sixteen shards of
   * open work at half a unit each, lanes, controls and batches.
   */
  sweeps:
    monthMinutes *
    (0.1 * 0.5 * prices.lambdaGbSecond +
      prices.lambdaMillionRequests / 1e6 +
      (500 / gb) * prices.logsGb +
      (80 * prices.dynamoDbMillionReads) / 1e6),
  /** Five pollers on each of five queues, each asking for twenty seconds. */
  polls: (5 * 5 * monthMinutes * 3 * prices.sqsMillionRequests) / 1e6,
  secrets: 4 * prices.secretMonth,
  network: {
    gateways: 2 * monthHours * prices.natHour,
    addresses: 2 * monthHours * prices.publicAddressHour,
    /** Of SQS, in two zones. */
    endpoint: 2 * monthHours * prices.endpointHour,
  },
};

/** What watching and keys cost a month, whatever is paid; what a network costs beside it. */
export const monthlyDollars = idleMonth.watching + idleMonth.keys;
export const monthlyNetworkDollars = Object.values(idleMonth.network).reduce((sum, it) => sum + it, 0);
const idleWork = idleMonth.sweeps + idleMonth.polls + idleMonth.secrets;
export const idleDollars = monthlyDollars + idleWork + monthlyNetworkDollars;
/** A month in which nothing is paid, and what a network of its own costs beside it. */
export const idleParts = { idle: monthlyDollars + idleWork, network: monthlyNetworkDollars };

const dollars = (amount: number) => amount.toFixed(2);

/** How long orders take, as the tables say it. */
const ends = [
  { says: '30 s', seconds: 30 },
  { says: '10 min', seconds: 600 },
  { says: '6 h', seconds: 21_600 },
  { says: '3 days', seconds: 259_200 },
];

/** What sending costs at 200 ms: in tens, and alone. */
export const payingRows = (): string[][] =>
  (
    [
      [ours, 10],
      [ours, 1],
      [powertools, 10],
      [middy, 10],
    ] as const
  ).map(([way, jobs]) => {
    const bill = payingBill(way, 200, jobs);
    const { lambda, dynamoDb, sqs, logs } = bill;
    return [
      `${way.name}, ${jobs === 10 ? 'ten jobs' : 'one job'} an invocation`,
      ...[lambda, dynamoDb, sqs, logs, keepingOf(bill), totalOf(bill)].map(dollars),
    ];
  });

/** What a month costs in which nothing is paid. */
export const idleRows = (): string[][] =>
  (
    [
      ['metrics, alarms and a dashboard', idleMonth.watching],
      ['three keys', idleMonth.keys],
      ['sweeps, one a minute, and what they read', idleMonth.sweeps],
      ['polls of five queues', idleMonth.polls],
      ["four secrets: the worker's, that of its tables, a merchant's contract and its keys", idleMonth.secrets],
      ['in sum, without a network of its own', monthlyDollars + idleWork],
      ['two NAT gateways', idleMonth.network.gateways],
      ['their two addresses', idleMonth.network.addresses],
      ['the endpoint of SQS, in two zones', idleMonth.network.endpoint],
      ['in sum, with its network', idleDollars],
    ] as const
  ).map(([what, amount]) => [what, dollars(amount)]);

/** What knowing the end costs at the least and at the most, by the table. */
export const knownRange = [
  Math.min(...ends.map(({ seconds }) => knownDollars(ours, looksUntil(seconds, seconds), 200))),
  Math.max(...ends.map(({ seconds }) => knownDollars(ours, looksUntil(seconds), 200))),
] as const;

/** What knowing the end costs as well, at 200 ms. */
export const endRows = (): string[][] =>
  ends.map(({ says, seconds }) => {
    const [plain, said] = [looksUntil(seconds), looksUntil(seconds, seconds)];
    const cell = (looks: number) => `${dollars(knownDollars(ours, looks, 200))} (${looks})`;
    return [says, cell(plain), cell(said), dollars(kmsDollars(said))];
  });

/** Forged callbacks for ten minutes, as many as the reserve of the door lets in: an instance takes ten requests a second (Lambda quotas). */
export function floodOf(concurrency: number) {
  const [seconds, perSecond, lineBytes] = [600, 10 * concurrency, 600];
  const requests = seconds * perSecond;
  // Door and callback, each as long as the whole flood at most: one waits for the other.
  const gbSeconds = 2 * concurrency * seconds * 0.5;
  const logGb = (requests * lineBytes) / gb;
  const dollars =
    (2 * requests * prices.lambdaMillionRequests) / 1e6 +
    gbSeconds * prices.lambdaGbSecond +
    logGb * (prices.logsGb + keptMonths * prices.logsGbMonth);
  return { seconds, perSecond, requests, lineBytes, dollars };
}
