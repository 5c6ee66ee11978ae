// npm run test:kill -- --jobs 3000 --kills 40 --seed 7: a kill run of any size, its counts as tables, or as one line with
// --json. Exit code 1 when an order was paid twice, is without an end, or the books do not close.
//
// npm run test:kill -- --hang all --minutes 60: the same while services hang, answer late or by half, and refuse, each in turn
// (or one of them alone: sqs, dynamodb, secrets, results, gateway). Exit code 1 also when a result was wrong at any time, or
// an order met more deliveries, POSTs, inquiries or log lines in an hour than is stated.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLine } from '../../infra/command-line.ts';
import { booksText } from '../../lib/cli/local/run-text.ts';
import { plainTable } from '../../lib/cli/plain-table.ts';
import { liveLine } from '../../lib/cli/progress.ts';
import { bounds, type Counted, type Most } from './order-counts.ts';
import { type TroubledService, troubledServices } from './trouble.ts';
import type { KillReport } from './kill-report.ts';
import { runKills } from './kill-run.ts';
import type { KillProgress } from './kill-scene.ts';

/** Of a run with trouble; they come with the kills, and no faster than troubled lanes let them go. */
const ordersAKill = 1;
const wordsFor = {
  deliveries: 'deliveries',
  posts: 'POSTs',
  checks: 'eligibility checks',
  inquiries: 'inquiries',
  logLines: 'log lines',
} as const;

const { values } = commandLine(
  `npm run test:kill [-- --jobs 3000] [--kills 40] [--freezes N] [--workers 3] [--seed 7] [--hang all] [--minutes 5] [--json]
  kills real processes at moments of chance, and counts what became of each job`,
  {
    options: {
      jobs: { type: 'string', default: '3000' },
      kills: { type: 'string', default: '40' },
      freezes: { type: 'string' },
      workers: { type: 'string', default: '3' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      hang: { type: 'string' },
      minutes: { type: 'string', default: '5' },
      json: { type: 'boolean', default: false },
    },
  },
);
const hanging = values.hang === undefined ? [] : servicesOf(values.hang);
const trouble =
  hanging.length > 0 ? { services: hanging, phaseMs: 8_000, calmMs: 4_000, killEveryMs: 4_000 } : undefined;
const kills = trouble ? Math.ceil((Number(values.minutes) * 60_000) / trouble.killEveryMs) : Number(values.kills);
const logDirectory = join('.local', 'kill-run');
await rm(logDirectory, { recursive: true, force: true });
const report = await runKills({
  ...(trouble && { trouble }),
  orders: trouble ? kills * ordersAKill : Number(values.jobs),
  kills,
  freezes: Number(values.freezes ?? Math.ceil(kills / 8)),
  workers: Number(values.workers),
  seed: Number(values.seed),
  logDirectory,
  onProgress: values.json ? () => {} : progressLine(),
});
const most = Object.entries(report.trouble?.mostPerHour ?? {}) as [Counted, Most][];
const isBounded = most.every(([what, it]) => it.most <= bounds[what]);
const isGood = report.books.agree && report.ordersLeftOpen === 0 && report.toldWrongly.length === 0 && isBounded;
if (values.json) process.stdout.write(`${JSON.stringify(report)}\n`);
else process.stdout.write(`${tableOf(report)}\n\n${booksText(report.books)}\n`);
process.exitCode = isGood ? 0 : 1;

function servicesOf(named: string): readonly TroubledService[] {
  if (named === 'all') return troubledServices;
  const services = troubledServices.filter((it) => named.split(',').includes(it));
  if (services.length > 0) return services;
  throw new Error(`--hang takes ${troubledServices.join(', ')} or all, not ${named}`);
}

function progressLine(): (progress: KillProgress) => void {
  const textOf = (it: KillProgress) =>
    `  ${it.kills}/${kills} kills · ${it.freezes} freezes · ${it.sent} messages sent · ${it.results} results · ` +
    `${it.waiting} in the queue · ${(it.elapsedMs / 1000).toFixed(0)} s`;
  const line = liveLine(process.stdout);
  return (progress) => line.show(() => textOf(progress));
}

function tableOf(it: KillReport): string {
  const states = Object.entries(it.ledgerStates).map(([state, count]) => `${count} ${state}`);
  const rows: (readonly [string, string | number])[] = [
    ['orders', it.orders],
    ['messages (with copies)', it.messages],
    ['workers killed (SIGKILL)', it.kills],
    ['workers frozen beyond their lease (SIGSTOP, SIGCONT)', it.freezes],
    ['workers started', it.workersStarted],
    ['answers of the ledger lost', it.ledgerAnswersLost],
    ['POSTs that reached the gateway', it.posts],
    ['orders whose worker was lost', it.workerLost],
    ['… that were paid: a plain retry would pay them twice', it.workerLostButPaid],
    ['ledger', states.join(', ')],
    ['orders left open', it.ordersLeftOpen],
    ['orders paid twice', it.books.paidTwice.length],
    ['orders that wait for the sweeper to tell of them', it.untold],
    ['dead letters', it.deadLetters],
    ['jobs that still wait, with a message each', it.waiting],
    ['results that said more than was true', it.toldWrongly.length],
  ];
  for (const said of it.toldWrongly.slice(0, 10)) rows.push([said, '']);
  if (it.trouble) {
    const { phases, struck } = it.trouble;
    const calls = Object.entries(struck).map(([service, count]) => `${count} ${service}`);
    rows.push(['phases of trouble, each of one service in one way', phases], ['calls that met it', calls.join(', ')]);
    for (const [what, { most: met, order }] of most)
      rows.push([`${wordsFor[what]} of one order in an hour, the most (${order})`, `${met} of ${bounds[what]}`]);
  }
  return plainTable([`kill run, seed ${it.seed}`, ''], ['left', 'right'], rows);
}
