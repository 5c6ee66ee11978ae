// What one record throws is that record's alone.
import { expect, it } from 'vitest';
import { runRecords } from '../../lib/payout/run-records.ts';
import { aRecord } from '../support/records.ts';

it('a record over which something is thrown comes again, at its work or at its end; the others end', async () => {
  const records = ['works', 'throws', 'throws at its end'].map((messageId) => aRecord('', { messageId }));
  const ended: string[] = [];
  const response = await runRecords(records, {
    concurrency: 1,
    async work({ messageId }) {
      if (messageId === 'throws') throw new Error(messageId);
      return async () => {
        if (messageId === 'throws at its end') throw new Error(messageId);
        ended.push(messageId);
        return true;
      };
    },
    failed: 'job-failed',
    flush: () => {},
    log: { write: () => {} },
  });
  expect(ended).toEqual(['works']);
  expect(response.batchItemFailures.map((it) => it.itemIdentifier)).toEqual(['throws', 'throws at its end']);
});
