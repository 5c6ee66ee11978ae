// What a person says of an order reaches what waits of it.
import { expect, it } from 'vitest';
import { hurryWaiting } from '../../../lib/payout/waiting/hurry-waiting.ts';
import type { LineMessage, LinesQueue } from '../../../lib/payout/waiting/lines-queue.ts';
import type { WaitingRow } from '../../../lib/payout/waiting/waiting-row.ts';
import { createMemoryWaiting } from '../../support/memory-waiting.ts';

const key = 'acme-eu/INV-1';
const lane = { merchant: 'acme-eu', endpointId: '39915' };
const aRow = (digest: string): Omit<WaitingRow, 'slot'> => {
  const its = { nonce: digest, digest, messageId: digest, waits: 1, because: 'paused' };
  const place = { key, lane, class: 'urgent', shard: 0, goAtMs: 0, sinceMs: 0 } as const;
  return { ...place, ...its, sealed: { wrappedKey: 'key-1', iv: 'iv', text: 'sealed' } };
};

function aQueue(): LinesQueue & { readonly sent: LineMessage[] } {
  const sent: LineMessage[] = [];
  return {
    sent,
    async send(messages) {
      sent.push(...messages);
      return new Set();
    },
  };
}

it('has every message of the order that waits submitted now', async () => {
  const [waiting, lines] = [createMemoryWaiting(), aQueue()];
  await waiting.put(aRow('d-1'));
  await waiting.put(aRow('d-2'));
  expect(await hurryWaiting(key, { waiting, lines })).toBe(2);
  const rows = [
    { key, slot: 0 },
    { key, slot: 1 },
  ];
  expect(lines.sent).toEqual([{ message: { kind: 'rows', rows }, delaySeconds: 0 }]);
});

it('sends nothing where nothing of it waits', async () => {
  const lines = aQueue();
  expect(await hurryWaiting(key, { waiting: createMemoryWaiting(), lines })).toBe(0);
  expect(lines.sent).toEqual([]);
});

it('never fails a decision that was made: who may not send leaves it to the line', async () => {
  const waiting = createMemoryWaiting();
  await waiting.put(aRow('d-1'));
  const refusing: LinesQueue = { send: () => Promise.reject(new Error('AccessDenied')) };
  expect(await hurryWaiting(key, { waiting, lines: refusing })).toBe(0);
});
