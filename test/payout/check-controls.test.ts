// Before the claim: what operators and the sweeper have said is asked for, and who can't be asked is not believed to
// have said nothing.
import { expect, it } from 'vitest';
import { checkControls } from '../../lib/payout/check-controls.ts';
import type { Controls } from '../../lib/payout/control-ports.ts';
import type { Control } from '../../lib/payout/control.ts';
import { createFakeCredentials, someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob, jobOf } from '../support/jobs.ts';

const job = jobOf(aPayoutJob({ batchId: 'b-1' }));
const credentials = createFakeCredentials({
  'acme-eu': someCredentials({ profile: { doubtLimits: { EUR: '100.00' } } }),
});
const saying = (said: Partial<Control>): Controls => ({
  of: async () => ({ paused: false, batchCancelled: false, doubt: {}, ...said }),
});
const leave = (said: Partial<Control>) => checkControls(job, { controls: saying(said), credentials });

it('a job starts where nothing is said, and asks for no secret', async () => {
  const untouched = { ...credentials, of: () => Promise.reject(new Error('nobody asked for it')) };
  expect(await checkControls(job, { controls: saying({}), credentials: untouched })).toBe('start');
});

it('a job waits while its merchant is paused or has too much money in doubt', async () => {
  expect(await leave({ paused: true })).toBe('wait');
  expect(await leave({ doubt: { EUR: 10_001n } })).toBe('wait');
  expect(await leave({ doubt: { EUR: 10_000n } })).toBe('start');
});

it('a batch that was called off is called off, paused or not', async () => {
  expect(await leave({ batchCancelled: true })).toBe('call off');
  expect(await leave({ batchCancelled: true, paused: true })).toBe('call off');
});

it('a pause holds although the secret can’t be read', async () => {
  const lost = createFakeCredentials({});
  expect(await checkControls(job, { controls: saying({ paused: true }), credentials: lost })).toBe('wait');
  // What is wrong with the secret is for sending to say.
  expect(await checkControls(job, { controls: saying({ doubt: { EUR: 1n } }), credentials: lost })).toBe('start');
});

it('where the controls can’t be read the job waits: it may be paused', async () => {
  const controls: Controls = { of: () => Promise.reject(new Error('throttled')) };
  expect(await checkControls(job, { controls, credentials })).toBe('wait');
});

it('the controls are asked for the job’s own merchant and batch', async () => {
  const asked: unknown[] = [];
  const controls: Controls = {
    async of(...names) {
      asked.push(names);
      return { paused: false, batchCancelled: false, doubt: {} };
    },
  };
  await checkControls(job, { controls, credentials });
  await checkControls(jobOf(aPayoutJob()), { controls, credentials });
  expect(asked).toEqual([
    ['acme-eu', 'b-1'],
    ['acme-eu', undefined],
  ]);
});
