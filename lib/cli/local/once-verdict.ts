// The verdict of `payouts worker --once` for the person who started it: the fate of every message that it took, by the ledger, the
// messages that wait in lines, and why the others are not paid. The log, for machines, has each step.
import { tool } from '../../payout/operate/spelling.ts';
import type { SQSEvent } from 'aws-lambda';
import type { WorkerConfig } from '../../aws/env-config.ts';
import { endOfResult, type Fate } from '../../local/accounts.ts';
import { jobSeenIn } from '../../local/console/job-feed.ts';
import { standingOf } from '../../local/unended-orders.ts';
import type { Obstacles } from '../../local/stop-watch.ts';
import { type PaidVerdict, verdictOn } from '../../local/verdict.ts';
import { meaningOfCode } from '../../payout/message/failures.ts';
import { readJob } from '../../payout/message/read-job.ts';
import type { LaneName } from '../../payout/pace/lane-state.ts';
import { lanesNow } from '../../payout/pace/lane-view.ts';
import { orderKey } from '../../payout/order/order.ts';
import type { Orders } from '../../payout/order/orders.ts';
import type { ParkedHead } from '../../payout/wait/parked-job.ts';
import { createToolPorts } from '../tool-ports.ts';
import { verdictAlone } from './local-report.ts';

/** Watches one run. */
export type OnceWatch = ReturnType<typeof watchOnce>;

/** Starts to watch, the log of this process too. */
export function watchOnce(nowMs: () => number) {
  const bodies = new Map<string, string>();
  const reasons = new Map<string, string>();
  const rejections = new Map<string, string>();
  const states = new Set<string>();
  let newsMs = nowMs();
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = ((chunk: string | Uint8Array, ...rest: never[]) => {
    for (const line of String(chunk).split('\n')) take(line);
    return write(chunk, ...rest);
  }) as typeof process.stdout.write;

  function take(line: string): void {
    const seen = jobSeenIn(line);
    if (!seen) return;
    if (seen.rejected === undefined) reasons.set(seen.order, seen.reason);
    else rejections.set(seen.rejected, seen.reason);
    note(`${seen.order} ${seen.state} ${seen.reason}`);
  }

  function note(what: string): void {
    if (states.has(what)) return;
    states.add(what);
    newsMs = nowMs();
  }

  return {
    /** Messages that are about to be worked on. */
    saw({ Records }: SQSEvent): void {
      for (const { messageId, body } of Records) {
        bodies.set(messageId, body);
        note(messageId);
      }
    },
    /** Milliseconds since anything happened that had not happened before. */
    quietMs: () => nowMs() - newsMs,
    /** Undefined where no message came and nothing waits. */
    async verdict(config: WorkerConfig): Promise<PaidVerdict | undefined> {
      const { orders, ...ports } = createToolPorts(config);
      const obstacles = { stopped: [], lanes: await lanesNow(ports, nowMs()) };
      const seen = { reasonOf: (order: string) => reasons.get(order) || undefined, rejections, obstacles };
      const fates: Fate[] = [];
      for (const [messageId, body] of bodies)
        fates.push(await fateOf({ line: fates.length + 1, messageId, body }, seen, orders));
      // The rows that still wait: a run that was to take everything reports these too.
      const inFates = new Set(fates.map((it) => it.order));
      for await (const row of ports.waiting.jobs.all())
        if (!inFates.has(row.key)) fates.push(await fateOfRow(row, fates.length + 1, seen, orders));
      return fates.length === 0 ? undefined : verdictOn(fates, config);
    },
  };
}

/** Failure codes in the log: by order, and by message where the line names no order. */
interface LogSeen {
  readonly reasonOf: (order: string) => string | undefined;
  readonly rejections: ReadonlyMap<string, string>;
  readonly obstacles: Obstacles;
}

async function fateOf(message: Fate['message'], seen: LogSeen, orders: Pick<Orders, 'read'>): Promise<Fate> {
  const read = readJob(message.body);
  if (read.kind === 'refused') return { message, order: message.messageId, ending: 'failed', failure: read.failure };
  // This message was refused, whatever the ledger knows of another one under its order id.
  const code = seen.rejections.get(message.messageId);
  // A refusal without a reason means that the order was called off before the job came.
  const { job } = read;
  const known = { message, order: orderKey(job), job };
  if (code === undefined || code === '') return fateOfOrder(known, job, seen, orders);
  return { ...known, ending: 'failed', failure: { code, message: meaningOfCode(code) } };
}

/** Its body is sealed: order, lane and money are all that is known, unless the ledger knows more. */
function fateOfRow(
  { key: order, lane, money }: ParkedHead,
  line: number,
  seen: LogSeen,
  orders: Pick<Orders, 'read'>,
): Promise<Fate> {
  const message = { line, messageId: order, body: '' };
  return fateOfOrder({ message, order, ...(money && { money }) }, lane, seen, orders);
}

async function fateOfOrder(
  known: Pick<Fate, 'message' | 'order' | 'job' | 'money'>,
  lane: LaneName | undefined,
  seen: LogSeen,
  orders: Pick<Orders, 'read'>,
): Promise<Fate> {
  const standing = await standingOf(known.order, lane, seen, orders);
  return { ...known, ...('result' in standing ? endOfResult(standing.result) : standing) };
}

/** The verdict, and what goes on without this run; of no message that there was none. */
export function onceText(verdict: PaidVerdict | undefined): string {
  if (!verdict) return '  nothing to do: no message was on the queues of jobs\n';
  const { waiting, accepted, 'in doubt': inDoubt, failed } = verdict.endings;
  const open = verdict.open.length;
  const goesOn = [
    waiting > 0 && `What waits stays, on its queue or in the table: \`${tool} worker\` goes on.`,
    (inDoubt > 0 || (accepted > 0 && open > waiting)) &&
      `What the gateway can be asked about is on the queue of checks: \`${tool} worker\` goes on.`,
    inDoubt > 0 && `What waits for your decision: \`${tool} todo --held\`.`,
    failed > 0 && `What failed is a dead letter, or its result says why: \`${tool} dlq list\`.`,
  ];
  return [verdictAlone(verdict), ...goesOn.flatMap((it) => (it === false ? [] : [`    ${it}\n`]))].join('');
}
