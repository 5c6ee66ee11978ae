// MetricValues as CloudWatch embedded metric format: lines of the log that become metrics without a call. One line an
// invocation, and one more per currency, because a line can bear one value of a dimension only.
import type { MetricValues, Metrics } from '../payout/ports.ts';

/** Where the figures go; the namespace keeps stages apart in one account. */
export interface EmfMetricsOptions {
  readonly write: (line: string) => void;
  readonly nowMs: () => number;
  readonly namespace: string;
}

/** CloudWatch reads at most so many values of one metric out of one line. */
const valuesAtMost = 100;

type Values = Readonly<Record<string, number | readonly number[]>>;

/** Names bear their unit. The table of payout/metrics.ts, which tells people what each means, stays out of the bundles. */
export function unitOf(name: string): string {
  if (name.endsWith('Ms')) return 'Milliseconds';
  if (name.endsWith('Seconds')) return 'Seconds';
  return /^money|OfLimit$/.test(name) ? 'None' : 'Count';
}

/** Metrics over a line writer. */
export function createEmfMetrics({ write, nowMs, namespace }: EmfMetricsOptions): Metrics {
  function line(dimensions: Readonly<Record<string, string>>, values: Values) {
    const Metrics = Object.keys(values).map((Name) => ({ Name, Unit: unitOf(Name) }));
    if (Metrics.length === 0) return;
    const CloudWatchMetrics = [{ Namespace: namespace, Dimensions: [Object.keys(dimensions)], Metrics }];
    write(JSON.stringify({ _aws: { Timestamp: nowMs(), CloudWatchMetrics }, ...dimensions, ...values }));
  }
  return {
    publish({ values, perCurrency }: MetricValues) {
      try {
        for (const part of inLines(values)) line({}, part);
        for (const [currency, own] of perCurrency) line({ currency }, own);
      } catch {
        // A full disk or a closed pipe must not come between an answer and the ledger.
      }
    },
  };
}

/** More values than a line may bear go on in further lines; the numbers are in the first. */
function inLines(values: MetricValues['values']): Values[] {
  const lists = Object.entries(values).filter((it): it is [string, readonly number[]] => typeof it[1] === 'object');
  const longest = Math.max(0, ...lists.map(([, list]) => list.length));
  const first = Object.entries(values).map(([name, it]) => [
    name,
    typeof it === 'object' ? it.slice(0, valuesAtMost) : it,
  ]);
  const parts: Values[] = [Object.fromEntries(first)];
  for (let at = valuesAtMost; at < longest; at += valuesAtMost) {
    const rest = lists
      .filter(([, list]) => list.length > at)
      .map(([name, list]) => [name, list.slice(at, at + valuesAtMost)]);
    parts.push(Object.fromEntries(rest));
  }
  return parts;
}
