// A second attempt is refused because the first exists: in words that nobody here reads, nested, or by a code alone. The
// refusal is then no proof that no money moved.
import { expect, it } from 'vitest';
import { judge } from '../../lib/gateway/outcome.ts';
import { defaultProfile } from '../../lib/gateway/profile.ts';
import { aPayoutJob, jobOf } from '../support/jobs.ts';

const order = jobOf(aPayoutJob({ orderId: 'X-1' }));

it.each<[string, number, object]>([
  [
    'in another language',
    400,
    { type: 'error', 'error-code': '777', 'error-message': 'Заказ с таким номером уже принят' },
  ],
  ['by a code alone', 200, { type: 'validation-error', 'error-code': '777' }],
  ['by its status alone', 422, { note: 'no' }],
  ['by an address that is gone', 404, { note: 'no' }],
  ['by an account that is closed by now', 400, { type: 'error', 'error-code': '7' }],
])('a refusal %s ends nothing where an earlier attempt may live', (_, httpStatus, fields) => {
  const evidence = { kind: 'answer', httpStatus, body: JSON.stringify(fields), framing: 'delimited' } as const;
  expect(judge(evidence, { ...order, earlierAttemptMayLive: true }, defaultProfile).kind).toBe('in-doubt');
  expect(judge(evidence, order, defaultProfile).kind).not.toBe('in-doubt');
});
