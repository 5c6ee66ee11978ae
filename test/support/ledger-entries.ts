// Ledger entries for the suites that look at storage: one of everyday size, and the largest there can be.
import { randomUUID } from 'node:crypto';
import { failureCodeNames } from '../../lib/payout/failures.ts';
import { contextLimitBytes } from '../../lib/payout/job-message.ts';
import { type LedgerEntry, moved, orderKey } from '../../lib/payout/ledger.ts';
import { outsideTextLimitBytes } from '../../lib/gateway/redact.ts';
import { startMs } from './time-and-chance.ts';

/** A freshly claimed payout of 10.42 EUR, under an order id that no other story has. */
export function anEntry(changes: Partial<LedgerEntry> = {}): LedgerEntry {
  const entry = {
    operation: 'payout',
    merchant: 'acme-eu',
    orderId: `INV-${randomUUID()}`,
    endpointId: '39915',
    money: { currency: 'EUR', minorUnits: 1042n },
    fingerprint: 'k1.fingerprint',
    state: 'submitting',
    revision: 1,
    final: false,
    owner: 'worker-1',
    messageId: 'message-1',
    leaseUntilMs: startMs + 100_000,
    attempts: 1,
    createdAtMs: startMs,
    updatedAtMs: startMs,
    history: [{ state: 'submitting', atMs: startMs, attempts: 1, reason: 'claimed' }],
    ...changes,
  } as const;
  return { ...entry, key: orderKey(entry) };
}

/** Every field of a first attempt (its time aside) at its limit at once, which is more than any one order can bring together. */
export function theLargestEntry(): LedgerEntry {
  const longestCode = failureCodeNames.reduce((a, b) => (b.length > a.length ? b : a));
  const failure = {
    code: longestCode,
    message: 'ж'.repeat(outsideTextLimitBytes / 2),
    gatewayCode: '1'.repeat(16),
    httpStatus: 599,
  };
  const nowMs = startMs + 400 * 86_400_000 - 1;
  let entry = anEntry({
    operation: 'transfer-by-ref',
    merchant: 'm'.repeat(64),
    orderId: '~'.repeat(128),
    endpointId: `group/${'9'.repeat(16)}`,
    fingerprint: `${'k'.repeat(16)}~${'c'.repeat(6)}.${'f'.repeat(22)}`,
    money: { currency: 'CLF', minorUnits: 9_999_999_999_999_999n },
    batchId: 'b'.repeat(48),
    context: JSON.stringify({ x: 'c'.repeat(contextLimitBytes - '{"x":""}'.length) }),
    owner: '0123456789abcdef'.repeat(2),
    messageId: randomUUID(),
    leaseUntilMs: nowMs,
    attempts: 99,
    revision: 999,
    account: 'a'.repeat(12),
    gatewayOrderId: '9'.repeat(40),
  });
  // "submitting" is the longest name of a state, and the history grows until it is cut.
  for (let round = 0; round < 10; round += 1) {
    const told = moved(entry, { state: 'retryable', final: false, reason: longestCode, nowMs, failure });
    entry = { ...told, state: 'submitting', unpublished: true };
  }
  return { ...entry, inquiries: { count: 999, negatives: 999, firstNegativeAtMs: nowMs } };
}
