// Whatever stands still is set moving again, by the index of open work alone, so that losing every message of the checks
// queue at once only delays. Nothing is decided here: each order goes the way of a check, by the number that stands.
// Before its check is sent it is written when the order is due again, so that an order costs a few messages an hour
// whatever fails, and those that were set moving make room for those that were not.
import { type Check, type ChecksQueue, type DueWork, type DueWorkKind, looked } from './due-work.ts';
import { inquiriesOf } from './inquiry-turn.ts';
import type { LedgerEntry } from './ledger.ts';
import type { MetricsRecorder } from './metrics-recorder.ts';
import { createOutbox } from './run-records.ts';
import type { Clock, Ledger } from './ports.ts';

/** What it needs. */
export interface ResumePorts {
  readonly dueWork: DueWork;
  readonly ledger: Pick<Ledger, 'advance'>;
  readonly checksQueue: ChecksQueue;
  readonly clock: Clock;
}

/** One run of it. */
interface Resuming {
  /** The checks queue is not worked off. */
  readonly isFull: boolean;
  readonly deadlineMs: number;
  readonly tally: MetricsRecorder;
}

/** Kinds of open work that go on by themselves once a check is sent. */
const movable: readonly DueWorkKind[] = ['unpublished', 'submitting', 'in-doubt', 'accepted', 'overdue'];
/** Those that only ask wait while the checks queue is not worked off; results and claims that got stuck never do. */
const askedOnly: ReadonlySet<DueWorkKind> = new Set(['in-doubt', 'accepted', 'overdue']);
/** Of each kind, so that a thousand results that can't be told do not keep doubt from being asked about. */
const resumedAtMostPerKind = 1_500;
/** An order that was set moving is left alone for so long; a check that got lost is sent again then. */
const resumedAgainSeconds = 600;
/** Orders written at once. */
const writtenAtOnce = 20;

/** Sends a check of each order that is due, and says how many the queue took. */
export async function resumeDue({ isFull, deadlineMs, tally }: Resuming, ports: ResumePorts): Promise<number> {
  const { checksQueue, clock } = ports;
  const kinds = isFull ? movable.filter((kind) => !askedOnly.has(kind)) : movable;
  const onRefused = (entries: number) => tally.add('queueRefusals', entries);
  const checks = createOutbox<{ check: Check; delaySeconds: number }>((entries) => checksQueue.send(entries), {
    onRefused,
    mayBeThereTwice: () => false,
  });
  const sent: Promise<boolean>[] = [];
  for (const [place, kind] of kinds.entries()) {
    // What is left of the time, shared out: a kind without end must not keep the next from being looked at.
    const untilMs = clock.nowMs() + (deadlineMs - clock.nowMs()) / (kinds.length - place);
    for await (const entries of inGroups(kind, untilMs, ports)) {
      const resumed = await Promise.all(entries.map((entry) => resume(entry, ports)));
      sent.push(...resumed.flatMap((check) => (check ? [checks.add({ check, delaySeconds: 0 })] : [])));
    }
  }
  checks.flush();
  return (await Promise.all(sent)).filter(Boolean).length;
}

/** The due orders of a kind, those that are due longest first. */
async function* inGroups(
  kind: DueWorkKind,
  untilMs: number,
  { dueWork, clock }: ResumePorts,
): AsyncGenerator<LedgerEntry[]> {
  let group: LedgerEntry[] = [];
  let taken = 0;
  for await (const entry of dueWork.dueWork(kind, clock.nowMs())) {
    if (taken >= resumedAtMostPerKind || clock.nowMs() >= untilMs) break;
    taken += 1;
    group.push(entry);
    if (group.length < writtenAtOnce) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** The check to be sent; none where the order has moved meanwhile, or the ledger does not answer. */
async function resume(entry: LedgerEntry, { ledger, clock }: ResumePorts): Promise<Check | undefined> {
  const inquiries = inquiriesOf(entry);
  const next = looked(entry, inquiries, { nowMs: clock.nowMs(), inSeconds: resumedAgainSeconds });
  const write = await ledger.advance(entry, next).catch(() => undefined);
  return write?.kind === 'advanced' ? { orderKey: entry.key, inquiries: inquiries.count } : undefined;
}
