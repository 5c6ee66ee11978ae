// What functions write for CloudWatch: log lines, and metrics in lines. A log line is one JSON object with only the fields that
// payout/log-fields.ts allows, and never holds card data.
import { cutMark, holdsCardData } from '../gateway/redact.ts';
import { type LogFieldName, logFields } from '../payout/log-fields.ts';
import type { Log, Metrics, MetricValues } from '../payout/ports.ts';

/** The allowed fields, in their order. */
const fieldNames = Object.keys(logFields) as LogFieldName[];

/** The options of a logger. */
interface JsonLoggerOptions {
  readonly write: (line: string) => void;
  /** Stamps the lines. */
  readonly nowMs: () => number;
  /** The trace of the present invocation, for lines without one. */
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

/** Ignores a failed write: a full disk or a closed pipe must not keep an answer from the ledger. */
function guarded(write: () => void): void {
  try {
    write();
  } catch {
    // There is no other place to report it.
  }
}

// Metrics in CloudWatch's embedded metric format: a line per invocation, and one per currency, as a line has one value per dimension.

/** Where metrics go; each stage of an account has its own namespace. */
interface EmfMetricsOptions {
  readonly write: (line: string) => void;
  readonly nowMs: () => number;
  readonly namespace: string;
}

/** The unit by the metric's name. The table of payout/metrics.ts, with texts for people, stays out of the bundles. */
function unitOf(name: string): string {
  if (name.endsWith('Seconds')) return 'Seconds';
  return /^money|OfLimit$/.test(name) ? 'None' : 'Count';
}

/** Metrics over a line writer. */
export function createEmfMetrics({ write, nowMs, namespace }: EmfMetricsOptions): Metrics {
  function line(dimensions: Readonly<Record<string, string>>, all: Readonly<Record<string, number>>) {
    // CloudWatch bills a metric for each hour in which it is written: zeros are left out.
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
        for (const [currency, ofCurrency] of perCurrency) line({ currency }, ofCurrency);
      });
    },
  };
}
