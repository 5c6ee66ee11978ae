// The lines of a function for CloudWatch: the log, and figures that become metrics without a call. One JSON
// line per event of the log, out of an allow-list: a field that payout/log-fields.ts does not name can't be logged, whatever is
// passed. No line bears card data, whatever an id or a name was made of.
import { cutMark, holdsCardData } from '../gateway/redact.ts';
import { type LogFieldName, logFields } from '../payout/log-fields.ts';
import type { Log, Metrics, MetricValues } from '../payout/ports.ts';

/** The fields in their order. */
const fieldNames = Object.keys(logFields) as LogFieldName[];

/** The options of a logger. */
interface JsonLoggerOptions {
  readonly write: (line: string) => void;
  /** Stamps the lines. */
  readonly nowMs: () => number;
  /** The trace of the invocation under way, for lines that name none. */
  readonly traceId?: () => string | undefined;
}

/** A log that writes lines. */
export function createJsonLogger({ write, nowMs, traceId = () => undefined }: JsonLoggerOptions): Log {
  return {
    write(level, event, fields) {
      const line: Record<string, unknown> = { time: new Date(nowMs()).toISOString(), level, event };
      for (const name of fieldNames) {
        const value = name === 'traceId' ? (fields.traceId ?? traceId()) : fields[name];
        if (value !== undefined) line[name] = typeof value === 'string' && holdsCardData(value) ? cutMark : value;
      }
      guarded(() => write(JSON.stringify(line)));
    },
  };
}

/** A log that writes nothing. */
export const silentLog: Log = { write: () => {} };

/** A full disk or a closed pipe must not come between an answer and the ledger. */
function guarded(write: () => void): void {
  try {
    write();
  } catch {
    // No reader is left to receive it.
  }
}

// MetricValues in CloudWatch's embedded metric format. One line an invocation, and one more per currency, because a line can
// bear one value of a dimension only.

/** The target of the figures; the namespace keeps stages apart in one account. */
interface EmfMetricsOptions {
  readonly write: (line: string) => void;
  readonly nowMs: () => number;
  readonly namespace: string;
}

/** Names bear their unit. The table of payout/metrics.ts, with their meanings for people, stays out of the bundles. */
function unitOf(name: string): string {
  if (name.endsWith('Seconds')) return 'Seconds';
  return /^money|OfLimit$/.test(name) ? 'None' : 'Count';
}

/** Metrics over a line writer. */
export function createEmfMetrics({ write, nowMs, namespace }: EmfMetricsOptions): Metrics {
  function line(dimensions: Readonly<Record<string, string>>, all: Readonly<Record<string, number>>) {
    // A metric costs by the hour in which it is written, whatever its value: zeros are left out.
    const values = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== 0));
    const Metrics = Object.keys(values).map((Name) => ({ Name, Unit: unitOf(Name) }));
    if (Metrics.length === 0) return;
    const CloudWatchMetrics = [{ Namespace: namespace, Dimensions: [Object.keys(dimensions)], Metrics }];
    write(JSON.stringify({ _aws: { Timestamp: nowMs(), CloudWatchMetrics }, ...dimensions, ...values }));
  }
  return {
    publish({ values, perCurrency }: MetricValues) {
      guarded(() => {
        line({}, values);
        for (const [currency, own] of perCurrency) line({ currency }, own);
      });
    },
  };
}
