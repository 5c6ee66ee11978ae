// Ids belong to attempts (DESIGN 4.1 i): what the gateway says of one is never taken for a word about another.
import { describe, expect, it } from 'vitest';
import { takenOver } from '../../lib/payout/claim.ts';
import { type LedgerEntry, type Move, moved } from '../../lib/payout/ledger.ts';
import { anyAttemptMayLive, earlierAttemptMayLive } from '../../lib/payout/order-history.ts';
import { aPayoutJob, jobOf } from '../support/jobs.ts';
import { anEntry } from '../support/ledger-entries.ts';

const nowMs = 2_000_000_000_000;
const to = (state: Move['state'], more: Partial<Move> = {}): Move => ({
  state,
  final: false,
  reason: 'x',
  nowMs,
  ...more,
});
const claimedAgain = (entry: LedgerEntry, account = 'account-2') =>
  takenOver(entry, {
    job: jobOf(aPayoutJob()),
    fingerprints: ['k1.x'],
    owner: 'worker-2',
    messageId: 'm-2',
    account,
    nowMs,
    leaseMs: 1,
  });
const first = anEntry({ account: 'account-1' });

describe('an attempt that may have been processed', () => {
  const doubtful = moved(first, to('in-doubt', { gatewayOrderId: '111', gatewayAlias: '11' }));

  it('keeps its account and ids, whatever becomes of the order', () => {
    const released = moved(doubtful, to('failed', { final: true }));
    expect(released).toMatchObject({ account: 'account-1', gatewayOrderId: '111', gatewayAlias: '11', unproven: true });
    expect(moved(released, to('cancelled', { final: true }))).toMatchObject({ gatewayOrderId: '111', unproven: true });
  });

  it('is archived by the next claim, whose attempt begins without ids', () => {
    const second = claimedAgain(moved(doubtful, to('failed', { final: true, gatewayOrderId: '112' })));
    expect(second.earlierAttempts).toEqual([{ account: 'account-1', gatewayOrderId: '112', gatewayAlias: '11' }]);
    expect(second).toMatchObject({ state: 'submitting', account: 'account-2' });
    for (const field of ['gatewayOrderId', 'gatewayAlias', 'unproven']) expect(second).not.toHaveProperty(field);
    expect([earlierAttemptMayLive(doubtful), earlierAttemptMayLive(second)]).toEqual([false, true]);
  });

  it('stays among the earlier ones through every later attempt', () => {
    let entry = claimedAgain(moved(doubtful, to('failed', { final: true })));
    entry = claimedAgain(moved(entry, to('retryable', { unprocessed: true })));
    entry = claimedAgain(moved(moved(entry, to('held')), to('failed', { final: true })), 'account-3');
    expect(entry.earlierAttempts).toEqual([
      { account: 'account-1', gatewayOrderId: '111', gatewayAlias: '11' },
      { account: 'account-2' },
    ]);
  });

  it('counts no more once its own answer proves that it was not processed', () => {
    const late = moved(doubtful, to('retryable', { unprocessed: true }));
    expect(anyAttemptMayLive(late)).toBe(false);
    expect(claimedAgain(late)).not.toHaveProperty('earlierAttempts');
  });
});

describe('an attempt that was proven unprocessed', () => {
  it.each<[string, Move]>([
    ['not connected', to('retryable', { unprocessed: true })],
    ['given up', to('failed', { final: true, unprocessed: true })],
    ['above a cap', to('held', { failure: { code: 'CAP_EXCEEDED', message: 'x' } })],
  ])('leaves nothing behind: %s', (_what, move) => {
    const entry = moved(first, move);
    expect(anyAttemptMayLive(entry)).toBe(false);
    expect(entry.earlierAttempts ?? []).toEqual([]);
  });
});
