// Rows judged as the worker would judge them, and by what no worker can see: the other rows, and the contract.
import { describe, expect, it } from 'vitest';
import { type CheckedRow, checkRows, contractsOf, ContractUnknown } from '../../lib/files/check-rows.ts';
import type { BulkRow } from '../../lib/files/bulk-row.ts';
import { all, checked, firstOfOrders, payoutJobs } from '../support/bulk-rows.ts';
import { createFakeCredentials, someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob, aTransferJob, type JobBody, jobOf, testCards, withoutParams } from '../support/jobs.ts';
import type { Credentials } from '../../lib/gateway/ports.ts';

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

  it('a file is one batch: the one that is asked for, or the one that its first row names', async () => {
    const named = (orderId: string, batchId?: unknown) =>
      aPayoutJob({ orderId, ...(batchId !== undefined && { batchId: batchId as string }) });
    const other = 'names another batch; a file is one batch: leave it out, or add --batch';
    expect(await faults([named('A', 'nov'), named('B'), named('C', ' nov ')])).toEqual([]);
    expect(await faults([named('A', 'nov'), named('B', 'dec')])).toEqual([`3 batchId ${other}`]);
    expect(await faults([named('A', 'nov')], { batch: 'dec' })).toEqual([`2 batchId ${other}`]);
    expect(await faults([named('A'), named('B', 'dec')])).toEqual([`3 batchId ${other}`]);
    expect(await faults([named('A'), named('B', 7)])).toEqual([`3 batchId ${other}`]);
  });
});

describe('what is read of a row', () => {
  const payout = (changes: object = {}) => ({ ...aPayoutJob(changes) });
  const judge = async (rows: readonly BulkRow[], batch?: string) => {
    async function* read() {
      yield rows;
    }
    return all(checkRows(read(), batch, { firstOfOrder: firstOfOrders() }));
  };

  it('goes with it: its message, the text of it, and what is to be shown beside its faults', async () => {
    const message = payout();
    const [good, bad] = await judge([
      { row: 2, message, faults: [], original: ['INV-1', '10.42'] },
      { row: 3, message: { ...message, orderId: '' }, faults: [], original: ['', '10.42'] },
    ]);
    expect(good).toEqual({
      kind: 'job',
      row: 2,
      message,
      text: JSON.stringify(message),
      job: jobOf(message),
      original: ['INV-1', '10.42'],
    });
    expect(bad).toMatchObject({ kind: 'rejected', row: 3, original: ['', '10.42'] });
  });
});

describe('the contract', () => {
  const credentials = createFakeCredentials({
    'acme-eu': someCredentials(),
    wider: someCredentials({ profile: { extraFields: { payout: ['bank_city'] } } }),
  });
  const contracts = contractsOf(credentials);
  const withCity = (merchant: string) =>
    aPayoutJob({ merchant, params: { ...aPayoutJob().params, bank_city: 'Ulm' }, orderId: merchant });

  it('says which fields may be sent, and to whom', async () => {
    expect(await faults([withCity('acme-eu'), withCity('wider'), withCity('unknown-eu')], { contracts })).toEqual([
      "2 params.bank_city is not in the contract of acme-eu; name it in the profile's extraFields, or leave it out",
      '4 merchant has no secret, so no keys to sign with',
    ]);
  });

  it('keeps card data off the queue, unless it is sealed on the way, whatever the contract', async () => {
    const card = withoutParams(aTransferJob(), 'card_printed_name', 'expire_month', 'expire_year');
    const inTheClear = 'is card data in the clear; add --card-keys to seal it, or send a reference';
    for (const checks of [{ contracts, seals: false }, { seals: false }])
      expect(await faults([card], checks)).toEqual([
        `2 params.credit_card_number ${inTheClear}`,
        `2 params.cvv2 ${inTheClear}`,
        `2 params.destination-card-no ${inTheClear}`,
      ]);
    expect(await faults([card], { contracts, seals: true })).toEqual([]);
    // A file that was sent is read as it was.
    expect(await faults([card], {})).toEqual([]);
  });

  it('keeps card numbers out of texts, sealed or not: a seal does not cover them', async () => {
    const inText = 'holds digits that pass for a card number; leave them out';
    const told = { context: { note: testCards.sender }, params: { order_desc: `card ${testCards.sender}` } };
    for (const seals of [false, true]) {
      expect(await faults([aPayoutJob(told)], { contracts, seals })).toEqual([
        `2 params.order_desc ${inText}`,
        `2 context ${inText}`,
      ]);
    }
  });

  it('holds order ids against the worker’s own detector, whatever the contract, and says which digits', async () => {
    const orderId = `R-${testCards.sender}-7`;
    const told = `2 orderId holds digits that pass for a card number (characters 3 to ${2 + testCards.sender.length}); write them otherwise, or leave them out`;
    for (const merchant of ['acme-eu', 'wider'])
      expect(await faults([aPayoutJob({ orderId, merchant })], { contracts, seals: true })).toEqual([told]);
    const shops = ['ord-448436-5608076', 'ord-416130-0000001', '026-1234567-1234567'].map((it) =>
      aPayoutJob({ orderId: it }),
    );
    expect(await faults(shops, { contracts })).toEqual([]);
  });

  it('refuses every row of a merchant whose secret is of no use, and none if the secrets could not be read', async () => {
    const failure = { code: 'SECRET_INVALID', message: 'it has no login' } as const;
    const unusable: Credentials = { ...credentials, of: async () => ({ kind: 'unavailable', failure }) };
    expect(await faults([aPayoutJob()], { contracts: contractsOf(unusable) })).toEqual([
      "2 merchant has a secret that can't be used: it has no login",
    ]);
    const nobodyKnows = async () => ({ kind: 'unknown' }) as const;
    expect(await faults([withCity('acme-eu')], { contracts: nobodyKnows })).toEqual([]);
  });

  it('that can not be read stops everything: no guess is made', async () => {
    const broken = createFakeCredentials({});
    broken.outage('down');
    const reading = faults([aPayoutJob()], { contracts: contractsOf(broken) });
    await expect(reading).rejects.toBeInstanceOf(ContractUnknown);
    await expect(reading).rejects.toThrow("the contract of acme-eu can't be read (the secrets service did not answer)");
  });
});
