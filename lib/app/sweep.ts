// The sweeper: whatever stands still is set moving again. It goes by the index of open work alone, so that losing every
// message of the checks queue at once only delays. It decides nothing itself: each order goes the way of a check.
import { hasMoneyInDoubt } from '../domain/control.ts';
import type { LedgerEntry } from '../domain/ledger.ts';
import type { OpenWorkKind } from '../domain/open-work.ts';
import { formatMinorUnits } from '../domain/money.ts';
import type { ControlDesk } from './control-ports.ts';
import { createOutbox } from './outbox.ts';
import type { Check, ChecksQueue, Metrics, OpenWork, QueueDepths } from './inquiry-ports.ts';
import type { Clock } from './ports.ts';

/** What sweeping needs. */
export interface SweepPorts {
  readonly openWork: OpenWork;
  readonly checksQueue: ChecksQueue;
  readonly queueDepths: QueueDepths;
  readonly metrics: Metrics;
  readonly controlDesk: Pick<ControlDesk, 'recordDoubt'>;
  readonly clock: Clock;
}

/** What one sweep found. */
export interface Swept {
  /** Orders set moving again. */
  readonly resumed: number;
  readonly doubt: Doubt;
}

/** Orders in doubt or held, and the money that may have moved, in minor units per merchant and currency. */
interface Doubt {
  readonly inDoubt: number;
  readonly held: number;
  readonly oldestSinceMs?: number;
  readonly money: ReadonlyMap<string, Readonly<Record<string, bigint>>>;
}

/** Kinds of open work that go on by themselves once a check is sent. */
const movable: readonly OpenWorkKind[] = ['unpublished', 'submitting', 'in-doubt', 'accepted'];
/** Of each kind, so that a thousand results that can't be told do not keep doubt from being asked about. */
const resumedAtMostPerKind = 1_500;
/** What is due stays due until a check was made: a queue that is not worked off must not be filled each minute anew. */
const checksWaitingAtMost = 10_000;

/** One sweep. Stops early at `deadlineMs`; what is left is the next sweep's. */
export async function sweep(deadlineMs: number, ports: SweepPorts): Promise<Swept> {
  // Figures are worth less than orders that move on.
  const depths = await ports.queueDepths.measure().catch((): Readonly<Record<string, number>> => ({}));
  const resumed = (depths['checks'] ?? 0) < checksWaitingAtMost ? await resumeDue(deadlineMs, ports) : 0;
  const doubt = await measureDoubt(ports);
  const { inDoubt, held, oldestSinceMs } = doubt;
  const oldestDoubtSeconds = oldestSinceMs === undefined ? 0 : Math.floor((ports.clock.nowMs() - oldestSinceMs) / 1000);
  ports.metrics.publish({ ...depths, resumed, inDoubt, held, oldestDoubtSeconds }, moneyPerCurrency(doubt));
  await ports.controlDesk.recordDoubt(doubt.money);
  return { resumed, doubt };
}

/** Decimal text per currency, all merchants together. */
function moneyPerCurrency({ money }: Doubt): Record<string, string> {
  const sums = new Map<string, bigint>();
  for (const merchant of money.values()) {
    for (const [currency, units] of Object.entries(merchant)) sums.set(currency, (sums.get(currency) ?? 0n) + units);
  }
  return Object.fromEntries([...sums].map(([currency, units]) => [currency, formatMinorUnits(units, currency)]));
}

async function resumeDue(deadlineMs: number, { openWork, checksQueue, clock }: SweepPorts): Promise<number> {
  const checks = createOutbox<{ check: Check; delaySeconds: number }>((entries) => checksQueue.send(entries));
  const sent: Promise<boolean>[] = [];
  for (const kind of movable) {
    const enough = sent.length + resumedAtMostPerKind;
    for await (const entry of openWork.openWork(kind, clock.nowMs())) {
      if (sent.length >= enough || clock.nowMs() >= deadlineMs) break;
      sent.push(checks.add({ check: { orderKey: entry.key, looks: entry.looks?.count ?? 0 }, delaySeconds: 0 }));
    }
  }
  checks.flush();
  return (await Promise.all(sent)).filter(Boolean).length;
}

async function measureDoubt({ openWork }: SweepPorts): Promise<Doubt> {
  const money = new Map<string, Record<string, bigint>>();
  const counts = { 'in-doubt': 0, held: 0 };
  let oldestSinceMs: number | undefined;
  for (const kind of ['in-doubt', 'held', 'unpublished'] as const) {
    for await (const entry of openWork.openWork(kind, Number.MAX_SAFE_INTEGER)) {
      if (entry.state !== 'in-doubt' && entry.state !== 'held') continue;
      counts[entry.state] += 1;
      oldestSinceMs = Math.min(oldestSinceMs ?? entry.updatedAtMs, entry.updatedAtMs);
      if (hasMoneyInDoubt(entry)) addMoney(money, entry);
    }
  }
  return {
    inDoubt: counts['in-doubt'],
    held: counts.held,
    ...(oldestSinceMs !== undefined && { oldestSinceMs }),
    money,
  };
}

function addMoney(sums: Map<string, Record<string, bigint>>, { merchant, money }: LedgerEntry): void {
  if (!money) return;
  const own = sums.get(merchant) ?? {};
  sums.set(merchant, { ...own, [money.currency]: (own[money.currency] ?? 0n) + money.minorUnits });
}
