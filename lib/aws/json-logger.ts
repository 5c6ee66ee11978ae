// One JSON line per event, out of an allow-list: what payout/log-fields.ts does not name can't be logged, whatever is
// passed. No line bears card data, whatever an id or a name was made of.
import { cutMark, holdsCardData } from '../gateway/redact.ts';
import type { Log } from '../payout/ports.ts';
import type { LogFieldName } from '../payout/log-fields.ts';

/** In this order; the table that tells people what each means stays out of the bundles. */
const allowed: Readonly<Record<LogFieldName, true>> = {
  requestId: true,
  traceId: true,
  messageId: true,
  originMessageId: true,
  receiveCount: true,
  operation: true,
  merchant: true,
  endpointId: true,
  orderId: true,
  orderKey: true,
  batchId: true,
  resultId: true,
  disposition: true,
  state: true,
  revision: true,
  attempts: true,
  failureCode: true,
  gatewayCode: true,
  httpStatus: true,
  gatewayOrderId: true,
  finding: true,
  delaySeconds: true,
  durationMs: true,
  records: true,
  failedRecords: true,
  awsCall: true,
  errorName: true,
  errorCode: true,
  note: true,
};
const fieldNames = Object.keys(allowed) as LogFieldName[];

/** How to log. */
export interface JsonLoggerOptions {
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
      try {
        write(JSON.stringify(line));
      } catch {
        // A full disk or a closed pipe must not come between an answer and the ledger.
      }
    },
  };
}

/** A log that writes nothing. */
export const silentLog: Log = { write: () => {} };
