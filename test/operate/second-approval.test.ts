// The second person's word holds for the order that was looked at, and for no other person.
import { expect, it } from 'vitest';
import type { ApprovingPorts } from '../../lib/batches/decision-approval.ts';
import { approvableOf, approveSeen, type SecondApprovalPorts } from '../../lib/operate/second-approval.ts';
import type { Order } from '../../lib/payout/order/order.ts';
import { anOrderThatStands } from '../support/order-that-stands.ts';
import { startMs } from '../support/time-and-chance.ts';

const jane = 'arn:aws:sts::111122223333:assumed-role/Decider/jane';
const grace = 'arn:aws:sts::111122223333:assumed-role/Approver/grace';
const key = 'acme-eu/INV-1';

/** An order in doubt, and an approver who looks at it. */
function approving(whoAmI = grace, order: Order = anOrderThatStands({ standing: 'in-doubt' })) {
  const macs: string[] = [];
  const maker: ApprovingPorts['maker'] = {
    macOf: async (text) => {
      macs.push(text);
      return 'mac';
    },
  };
  const ports: SecondApprovalPorts = {
    orders: { read: async () => ({ kind: 'found', order }) },
    approving: { maker, identity: { whoAmI: async () => whoAmI }, clock: { nowMs: () => startMs } },
  };
  return { ports, macs, version: order.version };
}

it('is made of what was seen, for a day', async () => {
  const { ports, macs, version } = approving();
  expect(await approvableOf(key, undefined, ports)).toMatchObject({ kind: 'approvable', order: { version } });
  const word = await approveSeen(key, { decider: jane, seenVersion: version }, ports);
  expect(word).toMatchObject({ kind: 'approved', untilMs: startMs + 86_400_000 });
  expect(macs).toHaveLength(1);
});

it('is not made of an order that has moved since, is not there, or has ended', async () => {
  const moved = approving();
  expect(await approveSeen(key, { decider: jane, seenVersion: moved.version - 1 }, moved.ports)).toEqual({
    kind: 'refused',
    why: 'the order has moved since it was looked at: look at it again',
  });
  const gone: SecondApprovalPorts = { ...moved.ports, orders: { read: async () => ({ kind: 'none' }) } };
  expect(await approveSeen(key, { decider: jane, seenVersion: 1 }, gone)).toEqual({ kind: 'not-found' });
  const ended = approving(grace, anOrderThatStands({ standing: 'paid' }));
  const word = await approveSeen(key, { decider: jane, seenVersion: ended.version }, ended.ports);
  expect(word).toMatchObject({ kind: 'refused' });
  expect([...moved.macs, ...ended.macs]).toEqual([]);
});

it('is not made by who decides, under whatever role', async () => {
  const { ports, macs, version } = approving('arn:aws:sts::111122223333:assumed-role/Approver/Jane-admin');
  const word = await approveSeen(key, { decider: jane, seenVersion: version }, ports);
  expect(word).toMatchObject({ kind: 'one-person' });
  expect(macs).toEqual([]);
});
