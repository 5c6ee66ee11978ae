// A local run puts no card data on its queue either.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { sealedJobs } from '../../lib/local/local-seals.ts';
import { aPayoutJob, aTransferJob } from '../support/jobs.ts';

let aws: EmbeddedAws;
beforeAll(async () => void (aws = await startEmbeddedAws()));
afterAll(() => aws.close());

it('seals what bears card data, and leaves the rest as it is, right or wrong', async () => {
  const others = [JSON.stringify(aPayoutJob()), '{"version": 1', '4111'];
  const [sealed = '', ...rest] = await sealedJobs([JSON.stringify(aTransferJob()), ...others], aws);
  expect(rest).toEqual(others);
  expect(JSON.parse(sealed)).toMatchObject({
    orderId: 'TRF-1',
    params: { amount: '25.00' },
    sealedParams: expect.any(String),
  });
  expect(sealed).not.toMatch(/4111111111111111|cvv2|JANE DOE/);
});
