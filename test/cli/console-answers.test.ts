// What the console says of a decision that two persons must share, and the command that does the same.
import { describe, expect, it } from 'vitest';
import { act, actSchema, commandOf, whoseOf } from '../../lib/cli/console/console-answers.ts';
import type { Operator } from '../../lib/client/operator.ts';
import * as v from 'valibot';

const order = 'acme-eu/INV-1';
const decider = 'arn:aws:sts::111122223333:assumed-role/Decider/jane';
const notPaid = { kind: 'decide', order, as: 'not-paid', reason: 'the bank knows nothing' } as const;

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
});
