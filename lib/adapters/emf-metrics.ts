// Figures as CloudWatch embedded metric format: a log line that becomes metrics, without a call. Money in doubt is a
// metric per currency; a double is exact enough to raise an alarm, and the ledger keeps the exact sums.
import type { Metrics } from '../app/inquiry-ports.ts';

const namespace = 'Payouts';

/** Metrics over a line writer. */
export function createEmfMetrics({ write, nowMs }: { write: (line: string) => void; nowMs: () => number }): Metrics {
  const line = (dimensions: Readonly<Record<string, string>>, figures: Readonly<Record<string, number>>) => {
    const CloudWatchMetrics = [
      {
        Namespace: namespace,
        Dimensions: [Object.keys(dimensions)],
        Metrics: Object.keys(figures).map((Name) => ({ Name })),
      },
    ];
    write(JSON.stringify({ _aws: { Timestamp: nowMs(), CloudWatchMetrics }, ...dimensions, ...figures }));
  };
  return {
    publish(figures, moneyInDoubt) {
      line({}, figures);
      for (const [currency, amount] of Object.entries(moneyInDoubt))
        line({ currency }, { moneyInDoubt: Number(amount) });
    },
  };
}
