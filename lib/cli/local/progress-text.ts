// The line of progress of `payouts local`.
import type { LocalProgress } from '../../local/local-run.ts';
import { lanesInBrief } from '../lanes/lane-text.ts';
import { barText } from '../progress.ts';
import { counted } from '../../payout/operate/spelling.ts';
import { span } from '../quantities.ts';

/** Over which the pace is taken: what a lane does changes within seconds. */
const paceMs = 15_000;

/** An estimate of the end, from how the queues have shrunk lately; none while they do not. */
export function createEstimate() {
  let seen: readonly Pick<LocalProgress, 'elapsedMs' | 'waiting'>[] = [];
  return ({ elapsedMs, waiting }: Pick<LocalProgress, 'elapsedMs' | 'waiting'>): string => {
    seen = [...seen.filter((it) => it.elapsedMs > elapsedMs - paceMs), { elapsedMs, waiting }];
    const [first = { elapsedMs, waiting }] = seen;
    const perMs = (first.waiting - waiting) / (elapsedMs - first.elapsedMs);
    return perMs > 0 && waiting > 0 ? `, about ${span(waiting / perMs)} left` : '';
  };
}

/** How many, where they are, and about how long it will take; then a line for each lane that holds some up. */
export function textOfProgress(progress: LocalProgress, jobs: number, left: string, nowMs: number): string {
  const { results, inDoubt, held, lanes, elapsedMs } = progress;
  // For a moment a job is both: parked, and its message not yet acknowledged.
  const waiting = Math.min(progress.waiting, jobs);
  const facts = [counted(jobs, 'job'), counted(results, 'result'), `${waiting} wait`];
  if (inDoubt > 0) facts.push(`${inDoubt} in doubt`);
  if (held > 0) facts.push(`${held} held`);
  facts.push(`${(elapsedMs / 1000).toFixed(0)} s${left}`);
  const bar = barText((jobs - waiting) / jobs);
  return [`  ${bar}  ${facts.join(' · ')}`, ...lanesInBrief(lanes, nowMs, 'of all').map((it) => `    ${it}`)].join(
    '\n',
  );
}
