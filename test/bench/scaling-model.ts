// What breaks first, computed: what each resource gives, what a payout asks of it, and the setting that moves the bound. The
// tables of infra/docs/scaling.md are made of this by `npm run docs`.
import { defaultLimits } from '../../lib/payout/limits.ts';
import { signatureMs } from './harness.ts';
import { figureOf } from './measured.ts';
import { connectionsOf, looksUntil, openEntryBytes, ours } from './price-model.ts';
import { prices } from './prices.ts';

/** What the model assumes of a payout: one that ends after six hours, at an endpoint that has shown it. */
const latencySeconds = 0.2;
const looks = looksUntil(21_600, 21_600);
const merchants = 10;
/** What a batch takes beside the gateway: table writes, a send, the signing. */
const payingOverheadMs = 25;
/** Invocations at once for one payout a second. */
const submitting = (latencySeconds + payingOverheadMs / 1_000) / defaultLimits.concurrency;
const inquiring = (looks * (latencySeconds + 0.05)) / 10;
/** In at the claim, to another kind at the answer, to another place at each lease and each look, out when all is told. */
const indexWrites = 1 + 2 + 2 * 2 * looks + 1;
/** Claim, answer, a lease and what was found for each look, and that the end was told. */
const tableWrites = 3 + 2 * looks;
const rsaSeconds = signatureMs / 1_000;

/** A bound: what is asked of it at one payout a second, and what there is of it as shipped. */
interface Resource {
  readonly what: string;
  readonly perPayout: number;
  readonly shipped: number;
  readonly unit: string;
  readonly setting: string;
}

const resources: readonly Resource[] = [
  {
    what: 'invocations of submit, ten jobs each',
    perPayout: submitting,
    shipped: 10,
    unit: 'at once',
    setting: '`submitConcurrency`; the account has 1,000 executions by default',
  },
  {
    what: 'invocations that one mapping of a queue comes to, ten jobs each',
    perPayout: submitting,
    // Lambda developer guide, "Configuring scaling behavior for SQS event source mappings": with a bound, which ships, 1,000.
    shipped: 1_000,
    unit: 'at once',
    setting: 'a longer batch (`CONCURRENCY` with it), or a second stack',
  },
  {
    what: 'invocations that one mapping comes to in the first minute of a burst',
    perPayout: submitting,
    // The same page: it begins with five and adds 300 a minute. Lambda itself adds 1,000 to a function in ten seconds.
    shipped: 305,
    unit: 'at once',
    setting: 'none needed: the queue waits; a longer batch, or load that grows by the minute',
  },
  {
    what: "executions of all functions of the account, the account's default",
    perPayout: submitting + inquiring,
    // Lambda developer guide, "Lambda quotas"; a new account may have ten.
    shipped: 1_000,
    unit: 'at once',
    setting: 'a raised quota',
  },
  {
    what: 'callbacks at the function that takes them, where the gateway calls back',
    perPayout: 1,
    // Lambda developer guide, "Lambda quotas": ten times as many synchronous requests as executions.
    shipped: 10 * 1_000,
    unit: 'a second',
    setting: '`callbackConcurrency`, and a raised quota; one that is turned away costs time alone',
  },
  {
    what: 'orders by events of a shop, where it sends them',
    perPayout: 1,
    // EventBridge user guide, "Amazon EventBridge quotas": invocations, the least of the regions; the largest have 18,750.
    shipped: 750,
    unit: 'a second',
    setting: 'a raised quota, or the queue of jobs itself; what is throttled comes late',
  },
  {
    what: 'calls of CloudWatch Logs, were each invocation one',
    perPayout: 0.1 + looks / 10,
    // CloudWatch Logs user guide, "CloudWatch Logs quotas": PutLogEvents.
    shipped: 5_000,
    unit: 'a second',
    setting: 'a raised quota, longer batches; lines that are lost cost no money, and the ledger knows all of it',
  },
  {
    what: 'secrets read, each merchant once in five minutes by each instance',
    perPayout: ((submitting + inquiring) * merchants) / (defaultLimits.credentialsTtlMs / 1_000),
    // Secrets Manager user guide, "AWS Secrets Manager quotas": GetSecretValue and DescribeSecret; it can't be raised.
    shipped: 10_000,
    unit: 'a second',
    setting: 'fewer merchants a stack',
  },
  {
    what: 'invocations of inquire, ten checks each',
    perPayout: inquiring,
    shipped: 5,
    unit: 'at once',
    setting: '`inquireConcurrency`; callbacks save most of them',
  },
  {
    what: 'writes of the open-work index, per partition (1,000)',
    perPayout: indexWrites,
    shipped: 1_000 * defaultLimits.openWorkShards,
    unit: 'a second',
    setting: '`openWorkShards` ([how](deploying.md#open-work-shards)); an index that is behind holds its table back',
  },
  {
    what: 'write units of a table that is new, or has had little to do',
    perPayout: tableWrites,
    shipped: 4_000,
    unit: 'a second',
    setting: 'it doubles in half an hour; warm throughput before payday',
  },
  {
    what: 'read units of a table that is new',
    // One of each look, half a one by the leader, and a page's share.
    perPayout: looks * 1.51,
    shipped: 12_000,
    unit: 'a second',
    setting: 'it doubles in half an hour; warm throughput before payday',
  },
  {
    what: 'write units of the open-work index',
    perPayout: indexWrites,
    shipped: 40_000,
    unit: 'a second',
    setting: 'a raised quota, and `openWorkShards`',
  },
  {
    what: 'writes of what one endpoint taught, one merchant in ten',
    // One order in eight teaches.
    perPayout: 1 / 8 / merchants,
    shipped: 1_000,
    unit: 'a second',
    setting: 'none needed: a process writes once a second at most; what is throttled taught nothing',
  },
  {
    what: 'write units of the table',
    perPayout: tableWrites,
    shipped: 40_000,
    unit: 'a second',
    setting: 'a raised quota',
  },
  {
    what: 'writes of one day cap, one merchant in ten',
    perPayout: 1 / merchants / 10,
    shipped: 1_000,
    unit: 'a second',
    setting: 'none needed: one write counts the orders of an invocation, ten in a batch',
  },
  {
    what: 'writes of one lane, one merchant in ten, leased in slices',
    perPayout: 0.1 / merchants,
    shipped: 1_000,
    unit: 'a second',
    setting: 'the gateway is the bound long before: `ratePerSecond`',
  },
  {
    what: 'questions that the leader releases, of a kind',
    perPayout: looks,
    // A thousand each round of two seconds, while all find turns: reading and moving one takes 0.3 ms of a core, of which it has 0.29.
    shipped: 500,
    unit: 'a second',
    setting: 'profiles that say when orders usually end; callbacks',
  },
  {
    what: 'ports of one NAT address: 900 new connections a second to one gateway',
    // A payment makes its own; inquiries share theirs.
    perPayout: connectionsOf(looks),
    shipped: 2 * 900,
    unit: 'a second, two zones',
    setting: "more addresses, eight a NAT gateway at most; each must stand on the gateway's list",
  },
  {
    what: 'RSA signatures by KMS (only where keys live there)',
    perPayout: 1 + looks,
    // The least of the published defaults, shared by all keys of an account and region; some accounts have 1,000.
    shipped: 500,
    unit: 'a second',
    setting: 'a raised quota, HMAC for status (`signatureMethod.status`), or the key in the secret',
  },
  {
    what: 'messages in flight on one queue',
    perPayout: latencySeconds + 1,
    shipped: 120_000,
    unit: 'at once',
    setting: 'no quota to raise: fewer jobs that wait in a batch',
  },
];

const rates = [100, 1_000, 10_000, 100_000] as const;
const number = (value: number) =>
  new Intl.NumberFormat('en', { maximumSignificantDigits: value < 100 ? 2 : 3 }).format(value);
const firstAt = (it: Resource) => it.shipped / it.perPayout;

/** The bounds as shipped, the first to break first. What is asked of each is bold where there is not as much. */
export const scalingRows = (): string[][] =>
  resources
    .toSorted((a, b) => firstAt(a) - firstAt(b))
    .map((it) => [
      it.what,
      number(firstAt(it)),
      `${number(it.shipped)} ${it.unit}`,
      ...rates.map((rate) => {
        const asked = number(rate * it.perPayout);
        return rate * it.perPayout > it.shipped ? `**${asked}**` : asked;
      }),
      it.setting,
    ]);

const orders = 1e9;
/** Of one core, to read an order out of the table and write its line. */
const exportMicroseconds = figureOf('export', 'cpuMicrosecondsPerOrder');
/** Out of AWS, per GB; nothing within the region. */
const transferGb = 0.09;

const coldBeside = (peer: string) => number(figureOf('cold-start', `cpuBeside${peer}`));

/** One payout at 200 ms, as the page begins. */
export function payoutRows(): string[][] {
  return [
    [
      'ledger writes',
      `2, each of one unit, and ${number(ours.writeUnits - 2)} of the open-work index; a tenth for its share of the lane; ${looks} inquiries more`,
      'items stay under 1 KB',
    ],
    ['SQS calls', '0.3 in batches of ten: receive, delete, send of results, a tenth each', 'alone each is a whole one'],
    ['secrets', 'none: read once in five minutes per merchant and instance', ''],
    [
      'CPU',
      `${number(ours.cpuMs)} ms of a core over TLS, in batches of ten (\`npm run bench -- peers-in-tens\`); alone ${number(ours.cpuAloneMs)} (\`peers-alone\`)`,
      'the clients: HTTP, a connection for each POST',
    ],
    [
      'RSA-4096 signature',
      `${number(rsaSeconds * 1_000)} ms of a core, by which all CPU here is reckoned, in the thread pool (\`npm run bench -- signing-rsa\`); ${number(rates[2] * rsaSeconds)} cores at 10,000 payouts a second`,
      'OpenSSL',
    ],
    [
      'time',
      `the gateway's, and about ${payingOverheadMs} ms: before the POST a slice of pace and the claim, after it the answer and the result, each one call of AWS of some 5 ms; a cap's count or a card's key is one more before it (\`test/functions/calls-in-sequence.test.ts\`; \`npm run bench -- latency\`)`,
      'the gateway',
    ],
    [
      'a new process',
      `${number(figureOf('cold-start', 'oursCpuMs'))} ms of a core to the end of its first job, ${coldBeside('Bare')} times what the same calls take without any library (\`npm run bench -- cold-start\`)`,
      "the SDK's clients, read and compiled",
    ],
    [
      'invocations of submit',
      `${number(1_000 * submitting)} at 1,000 a second; with a gateway of one second ${number((1_000 * (1 + payingOverheadMs / 1_000)) / defaultLimits.concurrency)}`,
      'waiting, which costs no CPU: raise `CONCURRENCY` and the batch size together',
    ],
  ];
}

/** What a billion orders in the ledger weigh, and what reading all of them takes. */
export function billionRows(): string[][] {
  const gigabytes = (orders * ours.itemBytes) / 1e9;
  const readUnits = (orders * ours.itemBytes) / 4096 / 2;
  const exportHours = (orders * exportMicroseconds) / 1e6 / 3600;
  const sentGb = (orders * (ours.itemBytes - 100)) / 1e9;
  const dollars = (amount: number) => `${number(amount)} dollars`;
  return [
    [
      'table',
      `${number(gigabytes)} GB`,
      `${dollars(gigabytes * prices.dynamoDbGbMonth)} a month, as much less a fifth for its backups`,
    ],
    ['one order', 'a read or a write by its key', 'as dear as the first: the table has no scan in it but the export'],
    [
      '`export`, `reconcile`',
      `${number(exportHours)} hours in sixteen segments side by side, on one core: ${number(exportMicroseconds)} µs an order (\`npm run bench -- export\`)`,
      `${dollars((readUnits / 1e6) * prices.dynamoDbMillionReads)} for ${number(readUnits / exportHours / 3600)} read units a second; from outside the region ${dollars(sentGb * transferGb)} more at least; \`--merchant\` and \`--since\` save lines, not reads`,
    ],
    [
      'a month of backups, restored',
      'hours, by AWS; the worker doubts what the last minutes may have held',
      'see [restore the ledger](procedures/restore-the-ledger.md)',
    ],
    [
      'open of them: a hundred million',
      'the leader reads what is due, never what is open',
      `${number((1e8 * (openEntryBytes.accepted + 100)) / 1e9)} GB more in the index`,
    ],
  ];
}
