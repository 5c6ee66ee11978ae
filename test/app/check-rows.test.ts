// Rows judged as the worker would judge them, and by what no worker can see: the other rows, and the contract.
import { describe, expect, it } from 'vitest';
import { type CheckedRow, contractsOf, ContractUnknown } from '../../lib/app/check-rows.ts';
import { all, checked, payoutJobs } from '../support/bulk-rows.ts';
import { createFakeCredentials, someCredentials } from '../support/fake-credentials.ts';
import { anEligibilityJob, aPayoutJob, aTransferJob, type JobBody, withoutParams } from '../support/jobs.ts';

const faultsOf = (rows: readonly CheckedRow[]) =>
  rows.flatMap((it) =>
    it.kind === 'rejected' ? it.faults.map(({ path, fault }) => `${it.row} ${path} ${fault}`) : [],
  );

async function faults(jobs: readonly (JobBody | undefined)[], options: Parameters<typeof checked>[1] = {}) {
  return faultsOf(await all(checked(jobs, options)));
}

describe('each row by itself', () => {
  it('is a job, or has the very faults that the worker would name', async () => {
    const jobs = [
      aPayoutJob({ orderId: 'A' }),
      aPayoutJob({ orderId: 'B', params: { ...aPayoutJob().params, amount: '10,42' } }),
      withoutParams(aPayoutJob({ orderId: 'C', endpointId: '!' }), 'amount'),
      undefined,
    ];
    expect(await faults(jobs)).toEqual([
      '3 params.amount has a decimal comma; write a dot, as in "10.42"',
      '4 endpointId is not an endpoint id: 1 to 16 letters or digits, or "group/" and one',
      '4 params.amount is missing; payout needs it',
      '5  is not JSON',
    ]);
  });
});

describe('rows beside each other', () => {
  it('two rows of one order are told, whatever else is wrong with them, and however far apart', async () => {
    const bad = withoutParams(aPayoutJob({ orderId: 'INV-3' }), 'amount', 'currency');
    const jobs = [...payoutJobs(40), bad, aPayoutJob({ orderId: 'INV-3', merchant: 'globex' })];
    expect(await faults(jobs)).toEqual([
      '42 params.amount is missing; payout needs it',
      '42 params.currency is missing; payout needs it',
      '42 orderId is the order id of row 5 too',
    ]);
  });

  it('a check and a payment may bear one order id, as the ledger keeps them apart', async () => {
    expect(await faults([aPayoutJob({ orderId: 'A' }), anEligibilityJob({ orderId: 'A' })])).toEqual([]);
  });

  it('a file is one batch: the one that is asked for, or the one that its first row names', async () => {
    const named = (orderId: string, batchId?: unknown) =>
      aPayoutJob({ orderId, ...(batchId !== undefined && { batchId: batchId as string }) });
    const other = 'names another batch; a file is one batch: leave it out, or say --batch';
    expect(await faults([named('A', 'nov'), named('B'), named('C', ' nov ')])).toEqual([]);
    expect(await faults([named('A', 'nov'), named('B', 'dec')])).toEqual([`3 batchId ${other}`]);
    expect(await faults([named('A', 'nov')], { batch: 'dec' })).toEqual([`2 batchId ${other}`]);
    expect(await faults([named('A'), named('B', 'dec')])).toEqual([`3 batchId ${other}`]);
    expect(await faults([named('A'), named('B', 7)])).toEqual([`3 batchId ${other}`]);
  });
});

describe('the contract', () => {
  const credentials = createFakeCredentials({
    'acme-eu': someCredentials(),
    plain: someCredentials({ profile: { plainCardData: 'accepted', extraFields: { payout: ['bank_city'] } } }),
  });
  const contracts = contractsOf(credentials);
  const withCity = (merchant: string) =>
    aPayoutJob({ merchant, params: { ...aPayoutJob().params, bank_city: 'Ulm' }, orderId: merchant });

  it('says which fields may be sent, and to whom', async () => {
    expect(await faults([withCity('acme-eu'), withCity('plain'), withCity('nobody')], { contracts })).toEqual([
      "2 params.bank_city is not in the contract of acme-eu; name it in the profile's extraFields, or leave it out",
      '4 merchant has no secret, so no keys to sign with',
    ]);
  });

  it('keeps card data off the queue, unless it is sealed on the way or the profile accepts it', async () => {
    const card = aTransferJob({ merchant: 'acme-eu' });
    const inTheClear = 'would stand on the queue in the clear; say --card-keys to seal it, or send a reference';
    expect(await faults([card], { contracts })).toEqual([
      `2 params.credit_card_number ${inTheClear}`,
      `2 params.cvv2 ${inTheClear}`,
      `2 params.destination-card-no ${inTheClear}`,
    ]);
    expect(await faults([card], { contracts, seals: true })).toEqual([]);
    expect(await faults([aTransferJob({ merchant: 'plain' })], { contracts })).toEqual([]);
  });

  it('that can not be read stops everything: nobody may guess', async () => {
    credentials.outage('down');
    const broken = createFakeCredentials({});
    broken.outage('down');
    await expect(faults([aPayoutJob()], { contracts: contractsOf(broken) })).rejects.toBeInstanceOf(ContractUnknown);
  });
});
