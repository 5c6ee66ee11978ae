// npm run test:kill -- --jobs 3000 --kills 40 --seed 7: a kill run of any size, its counts as tables, or as one line with
// --json. Exit code 1 when an order was paid twice, is without an end, or the books do not close.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLine } from '../../infra/command-line.ts';
import { booksText } from '../../lib/cli/local/run-text.ts';
import { plainTable } from '../../lib/cli/plain-table.ts';
import { liveLine } from '../../lib/cli/progress.ts';
import type { KillReport } from './kill-report.ts';
import { runKills } from './kill-run.ts';
import type { KillProgress } from './kill-scene.ts';

const { values } = commandLine(
  `npm run test:kill [-- --jobs 3000] [--kills 40] [--freezes N] [--workers 3] [--seed 7] [--json]
  kills real processes at moments of chance, and counts what became of each job`,
  {
    options: {
      jobs: { type: 'string', default: '3000' },
      kills: { type: 'string', default: '40' },
      freezes: { type: 'string' },
      workers: { type: 'string', default: '3' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      json: { type: 'boolean', default: false },
    },
  },
);
const kills = Number(values.kills);
const logDirectory = join('.local', 'kill-run');
await rm(logDirectory, { recursive: true, force: true });
const report = await runKills({
  orders: Number(values.jobs),
  kills,
  freezes: Number(values.freezes ?? Math.ceil(kills / 8)),
  workers: Number(values.workers),
  seed: Number(values.seed),
  logDirectory,
  onProgress: values.json ? () => {} : progressLine(),
});
const isGood = report.books.agree && report.ordersLeftOpen === 0 && report.toldWrongly.length === 0;
if (values.json) process.stdout.write(`${JSON.stringify(report)}\n`);
else process.stdout.write(`${tableOf(report)}\n\n${booksText(report.books)}\n`);
process.exitCode = isGood ? 0 : 1;

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
  return plainTable([`kill run, seed ${it.seed}`, ''], ['left', 'right'], rows);
}
