// What the console says of a decision that two persons must share, and the command that does the same.
import { expect, it } from 'vitest';
import { act, actSchema, commandOf } from '../../lib/cli/console/console-answers.ts';
import type { Operator } from '../../lib/client/operator.ts';
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
