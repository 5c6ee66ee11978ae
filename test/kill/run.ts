// npm run test:kill -- --jobs 3000 --kills 40 --seed 7: a kill run of any size, its counts as tables, or as one line with
// --json. Exit code 1 when an order was paid twice, is without an end, or the books do not close.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { createLogUpdate } from 'log-update';
import { accountsAsText } from '../../lib/cli/local/local-report.ts';
import { type KillProgress, type KillReport, runKills } from './kill-run.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '3000' },
    kills: { type: 'string', default: '40' },
    freezes: { type: 'string' },
    workers: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    json: { type: 'boolean', default: false },
  },
});
const kills = Number(values.kills);
const logDirectory = join('.local', 'kill-run');
const report = await runKills({
  orders: Number(values.jobs),
  kills,
  freezes: Number(values.freezes ?? Math.ceil(kills / 8)),
  workers: Number(values.workers),
  seed: Number(values.seed),
  logDirectory,
  onProgress: values.json ? () => {} : progressLine(),
});
const isGood = report.accounts.agree && report.ordersLeftOpen === 0;
if (values.json) process.stdout.write(`${JSON.stringify(report)}\n`);
else process.stdout.write(`${tableOf(report)}\n\n${accountsAsText(report.accounts, report.elapsedMs)}`);
process.exitCode = isGood ? 0 : 1;

function progressLine(): (progress: KillProgress) => void {
  const textOf = (it: KillProgress) =>
    `  ${it.kills}/${kills} kills · ${it.freezes} freezes · ${it.sent} messages sent · ${it.results} results · ` +
    `${it.waiting} in the queue · ${(it.elapsedMs / 1000).toFixed(0)} s`;
  if (process.stdout.isTTY) {
    const update = createLogUpdate(process.stdout);
    return (progress) => update(textOf(progress));
  }
  let shownMs = 0;
  return (progress) => {
    if (progress.elapsedMs - shownMs < 5_000) return;
    shownMs = progress.elapsedMs;
    process.stdout.write(`${textOf(progress)}\n`);
  };
}

function tableOf(it: KillReport): string {
  const table = new Table({
    head: [`kill run, seed ${it.seed}`, ''],
    colAligns: ['left', 'right'],
    style: { head: [], border: [] },
  });
  const states = Object.entries(it.ledgerStates).map(([state, count]) => `${count} ${state}`);
  table.push(
    ['orders', it.orders],
    ['messages (with copies)', it.accounts.messages],
    ['workers killed (SIGKILL)', it.kills],
    ['workers frozen beyond their lease (SIGSTOP, SIGCONT)', it.freezes],
    ['workers started', it.workersStarted],
    ['answers of the ledger lost', it.ledgerAnswersLost],
    ['POSTs that reached the gateway', it.posts],
    ['orders whose worker was lost', it.workerLost],
    ['… that were paid: a plain retry would pay them twice', it.workerLostButPaid],
    ['ledger', states.join(', ')],
    ['orders left open', it.ordersLeftOpen],
    ['orders paid twice', it.accounts.paidTwice.length],
    ['jobs without an end', it.accounts.endings.missing],
  );
  return table.toString();
}
