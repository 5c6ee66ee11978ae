// What the console says of a decision that two persons must share, and the command that does the same.
import { describe, expect, it } from 'vitest';
import { act, actSchema, commandOf, shownApproval, whoseOf } from '../../lib/cli/console/console-answers.ts';
import type { Operator } from '../../lib/client/operator.ts';
import { anOrder } from '../support/orders.ts';
import * as v from 'valibot';

const order = 'acme-eu/INV-1';
const decider = 'arn:aws:sts::111122223333:assumed-role/Decider/jane';
const notPaid = { kind: 'decide', order, as: 'not-paid', reason: 'the bank knows nothing' } as const;

it('who must approve that an order is not paid is said, with the command that the approver runs', async () => {
  const operator = { decide: async () => ({ kind: 'needs-approver', key: order, decider }) } as unknown as Operator;
  const end = await act(operator, notPaid);
  expect(end.done).toBe(false);
  expect(end.text).toContain(`npx --no payouts approve-release ${order} --for ${decider}`);
});

it('a batch or a file that begins like an option is none', () => {
  expect(v.is(actSchema, { kind: 'retry', batch: 'november', file: 'november.csv' })).toBe(true);
  for (const odd of ['--yes', '-o'])
    expect([
      v.is(actSchema, { kind: 'retry', batch: odd }),
      v.is(actSchema, { kind: 'retry', batch: 'november', file: odd }),
    ]).toEqual([false, false]);
});

it('what the approver gave goes with the decision', async () => {
  const asked: unknown[] = [];
  const operator = {
    decide: async (...words: unknown[]) => {
      asked.push(words);
      return { kind: 'refused', why: 'another time' };
    },
  } as unknown as Operator;
  const it = { ...notPaid, approval: 'eyJh-_9' } as const;
  expect(v.parse(actSchema, it)).toEqual(it);
  await act(operator, it);
  expect(asked).toEqual([[order, { as: 'not-paid', reason: notPaid.reason, approval: 'eyJh-_9' }]]);
  expect(commandOf(it)).toContain('--approval eyJh-_9');
  expect(v.is(actSchema, { ...notPaid, approval: '$(rm)' })).toBe(false);
});

describe('the second person’s word', () => {
  const its = { kind: 'approve-release', order, for: decider, seenVersion: 7 } as const;
  const answering = (word: object) => ({ approveRelease: async () => word }) as unknown as Operator;

  it('is made by the command that is shown, for a person whom AWS has named', () => {
    expect(v.parse(actSchema, its)).toEqual(its);
    expect(commandOf(its)).toBe(`npx --no payouts approve-release ${order} --for ${decider}`);
    expect(whoseOf(its, answering({}))).toEqual(['acme-eu']);
    for (const nobody of ['jane', '--yes', 'arn:aws:s3:::bucket'])
      expect(v.is(actSchema, { ...its, for: nobody })).toBe(false);
  });

  it('is over the order that was looked at', async () => {
    const standing = { ...anOrder({ orderId: 'INV-1' }), version: 7 };
    const operator = { approvable: async () => ({ kind: 'approvable', order: standing, seen: {} }) };
    const shown = await shownApproval(operator as unknown as Operator, its);
    expect(shown).toMatchObject({ seenVersion: 7, text: expect.stringContaining('acme-eu/INV-1 · payout') });
    const { seenVersion: _, ...unseen } = its;
    expect(await act(answering({ kind: 'approved' }), unseen)).toEqual({
      done: false,
      text: 'look at the order first',
    });
  });

  it('is given to be handed on, and refused in words to who may be the same person', async () => {
    const end = await act(answering({ kind: 'approved', token: 'eyJh', untilMs: Date.UTC(2026, 10, 27) }), its);
    expect(end).toEqual({
      done: true,
      text: `approved until 2026-11-27T00:00:00.000Z, for ${decider} and for the order as it is now. They decide once more, with this approval:`,
      word: 'eyJh',
    });
    expect(await act(answering({ kind: 'one-person', approver: decider }), its)).toEqual({
      done: false,
      text: `${decider} and ${decider} may be one person; another approver must look at it`,
    });
  });
});
