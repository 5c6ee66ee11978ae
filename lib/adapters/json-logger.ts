// One JSON line per event, out of an allow-list: a field that is not named here can't be logged, whatever is passed.
import type { Log, LogFields } from '../app/ports.ts';

const allowed: Readonly<Record<keyof LogFields, true>> = {
  requestId: true,
  messageId: true,
  receiveCount: true,
  operation: true,
  merchant: true,
  orderId: true,
  batchId: true,
  disposition: true,
  state: true,
  revision: true,
  attempts: true,
  failureCode: true,
  gatewayCode: true,
  httpStatus: true,
  gatewayOrderId: true,
  delaySeconds: true,
  durationMs: true,
  records: true,
  failedRecords: true,
  finding: true,
  errorName: true,
  errorCode: true,
  field: true,
};
const fieldNames = Object.keys(allowed) as (keyof LogFields)[];

/** A log that writes lines; `nowMs` stamps them. */
export function createJsonLogger({ write, nowMs }: { write: (line: string) => void; nowMs: () => number }): Log {
  return {
    write(level, event, fields) {
      const line: Record<string, unknown> = { time: new Date(nowMs()).toISOString(), level, event };
      for (const name of fieldNames) if (fields[name] !== undefined) line[name] = fields[name];
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
