// Two persons and a file: one registers it, the other approves it, and only then is it sent and paid. Both are told apart
// by their AWS credentials alone.
import { beforeAll, describe, expect, it } from 'vitest';
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { clientConfigOf } from '../../lib/local/local-environment.ts';
import { createDynamoDbApprovals, headerKey } from '../../lib/batches/dynamodb-approvals.ts';
import { approvalText, isRowOf } from '../../lib/batches/approval-proof.ts';
import type { ApprovalGrant } from '../../lib/batches/batch.ts';
import { createKmsApprovalCheck, createKmsApprovalMaker } from '../../lib/batches/kms-approvals.ts';
import { type JobBody, jobOf } from '../support/jobs.ts';
import { anOrder } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aDirectory } from './support/files.ts';
import { ibanOf } from './support/ibans.ts';
import { anAws } from './support/aws.ts';
import { putMerchant } from '../support/merchant-secrets.ts';
import { seenOf } from './support/seen-of.ts';

const files = aDirectory();
const queue = anAws({ cwd: () => files.path() });
const same = ['--merchant', 'two-persons', '--operation', 'payout', '--endpoint', '39915'];
const first = 'arn:aws:iam::000000000000:user/first-operator';
const second = 'arn:aws:iam::000000000000:user/second-operator';

beforeAll(async () => {
  const secret = { login: 'two', controlKey: 'FAKE-CONTROL-KEY', baseUrl: 'http://127.0.0.1:9' };
  putMerchant(queue.aws().secrets, 'two-persons', secret);
  await queue.aws().safeguard('two-persons', { twoPersonRelease: true, caps: {} });
});

const { payouts: ada, approver: grace } = queue;

const { dynamodb } = queue;

const grantOf = (batchId: string) =>
  createDynamoDbApprovals({ client: dynamodb(), tableName: queue.aws().batchesTableName }).grantOf(batchId);

/** KMS as the first person meets it. */
const kms = () => ({
  newClient: () => new KMSClient({ ...clientConfigOf(queue.aws(), 'KMS') }),
  keyId: 'alias/payouts-approvals',
});

async function isMadeByAnApprover(grant: ApprovalGrant | undefined): Promise<boolean> {
  if (!grant) return false;
  const { mac, ...its } = grant;
  return createKmsApprovalCheck(kms()).isMacOf(approvalText('nov', its), mac);
}

const csv = (amount: string, id: string) =>
  `order_id,amount,currency,iban,bank\n${id}-1,${amount},EUR,${ibanOf(`${id}-1`)},B\n${id}-2,5,EUR,${ibanOf(`${id}-2`)},B\n`;
const aFile = (name: string, amount = '10.42') => files.file(`${name}.csv`, csv(amount, name));

/** The command that was printed, as words. */
const printedIn = ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) =>
  (/`node \. ([^`]+)`/.exec(stdout + stderr)?.[1] ?? '').split(' ');

describe('the way', () => {
  it('held, approved by somebody else, sent by anybody, each job with its proof', async () => {
    const file = await aFile('nov');
    const held = await ada('submit', file, ...same, '--batch', 'nov', '--hold', '--expires', '2h');
    expect(held.code).toBe(0);
    expect(held.stdout).toMatch(
      /^batch nov is held until 20[-0-9: ]+Z; a person other than .*first-operator approves it: /,
    );
    expect(await queue.takeJobs()).toEqual([]);

    const early = await ada('submit', file, ...same, '--batch', 'nov', '--yes');
    expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining('waits for a person other than') });

    const approved = await grace(...printedIn(held), '--yes', '--reason', 'seen the invoices');
    expect(approved.code).toBe(0);
    expect(approved.stderr).toContain('two-persons   payout         2   15.42   EUR');
    expect(approved.stderr).toMatch(
      new RegExp(
        `registered 20.*Z by ${first}\n {2}the file is read with: merchant two-persons, operation payout, endpoint 39915\n {2}you are ${second}; it may be sent until`,
      ),
    );
    expect(approved.stdout).toMatch(/^batch nov is approved until 20/);

    expect(await grace(...printedIn(approved), '--yes')).toMatchObject({ code: 0 });
    const jobs = (await queue.takeJobs()) as unknown as JobBody[];
    const grant = await grantOf('nov');
    expect(jobs.map((job) => [job.orderId, grant && isRowOf(jobOf(job), grant)]).toSorted()).toEqual([
      ['nov-1', true],
      ['nov-2', true],
    ]);
    expect(grant).toMatchObject({ registrar: first, approver: second, rows: 2 });
    expect(await isMadeByAnApprover(grant)).toBe(true);
    expect(await isMadeByAnApprover(grant && { ...grant, expiresAtMs: grant.expiresAtMs + 1 })).toBe(false);
    const shown = await ada('batch', 'nov', '--json');
    const approval = { by: second, reason: 'seen the invoices' };
    expect(JSON.parse(shown.stdout)).toMatchObject({ by: first, approval, state: 'uploaded' });
    for (const end of [held, approved, shown]) expect(end.stdout + end.stderr).not.toContain(grant?.blind);
  });
});

describe('not approved', () => {
  beforeAll(async () => {
    await ada('submit', await aFile('dec'), ...same, '--batch', 'dec', '--hold');
  });

  const dec = () => `${files.path()}/dec.csv`;

  it('by the one who registered it', async () => {
    const own = await ada('approve', 'dec', dec(), '--yes');
    expect(own).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `not approved: ${first} has registered batch dec; somebody else must approve it, whatever the role. This was noted\n`,
      ),
    });
    // For the sweeper, whose figure rings the alarm one-person-two-roles.
    const shown = await grace('batch', 'dec', '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ state: 'awaiting-approval' });
  });

  it('by somebody who may not: the registrar can make no MAC, whatever else is in her reach', async () => {
    await expect(createKmsApprovalMaker(kms()).macOf('anything')).rejects.toThrow('not authorized');
    const file = await aFile('apr');
    expect(await grace('submit', file, ...same, '--batch', 'apr', '--hold')).toMatchObject({ code: 0 });
    const end = await ada('approve', 'apr', file, '--yes');
    expect(end.code).not.toBe(0);
    expect(end.stderr).toContain('AccessDenied');
    expect(await grantOf('apr')).toBeUndefined();
  });

  it('with another file', async () => {
    const other = await grace('approve', 'dec', await aFile('other', '99.00'), '--yes');
    expect(other).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not approved: other.csv is not the file that was registered as batch dec\n'),
    });
  });

  it('twice, or where there is nothing to approve', async () => {
    expect(await grace('approve', 'dec', dec(), '--yes')).toMatchObject({ code: 0 });
    const twice = await grace('approve', 'dec', dec(), '--yes');
    expect(twice).toMatchObject({ code: 1, stderr: expect.stringContaining('was approved already') });
    expect(await grace('approve', 'jan', dec(), '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        `not approved: there is no batch jan; register it: \`node . submit ${dec()} --batch jan --hold\`\n`,
      ),
    });
  });
});

describe('not sent', () => {
  it('before it was held, whatever is said on the command line', async () => {
    const file = await aFile('free');
    for (const more of [[], ['--again']]) {
      const end = await ada('submit', file, ...same, '--yes', ...more);
      expect(end).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^payouts: two persons release these payments/m),
      });
    }
    expect(await queue.takeJobs()).toEqual([]);
  });

  it.each<[what: string, name: string, change: () => Promise<unknown>, says: string]>([
    ['the file has changed since', 'feb', () => aFile('feb', '99.00'), "batch feb is another file's"],
    [
      'the table says that other rows were',
      'may',
      () => put('may', 'approvalRoot', 'A'.repeat(43)),
      'are not the rows of',
    ],
    ['the approval has ended', 'mar', () => put('mar', 'approvalEnds', startMs), 'the approval of batch mar ended'],
  ])('though it was approved, where %s', async (_, name, change, says) => {
    const file = await aFile(name);
    await ada('submit', file, ...same, '--batch', name, '--hold');
    expect(await grace('approve', name, file, '--yes')).toMatchObject({ code: 0 });
    await change();
    const end = await ada('submit', file, ...same, '--batch', name, '--yes');
    expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining(says) });
    expect(await queue.takeJobs()).toEqual([]);
  });
});

/** Writes over what the table holds of a batch, as any writer of the table can. */
const put = (batchId: string, name: string, value: string | number) =>
  dynamodb().send(
    new UpdateItemCommand({
      TableName: queue.aws().batchesTableName,
      Key: { pk: { S: headerKey(batchId) } },
      UpdateExpression: `SET ${name} = :value`,
      ExpressionAttributeValues: { ':value': typeof value === 'string' ? { S: value } : { N: String(value) } },
    }),
  );

it('a caller whom AWS does not know registers nothing', async () => {
  const unknown = { AWS_ACCESS_KEY_ID: 'FAKE-UNKNOWN-KEY-ID' };
  const end = await queue.run(['submit', await aFile('unknown'), ...same, '--hold'], unknown);
  expect(end).toMatchObject({ code: 1, stdout: '' });
  expect(end.stderr).toContain('InvalidClientTokenId');
});

describe('that an order is not paid', () => {
  const decision = ['release', 'two-persons/DOUBT-1', '--as', 'not-paid', '--reason', 'the bank knows nothing'];

  beforeAll(async () => {
    const answer = { kind: 'taken', atMs: startMs } as const;
    const lapsed = { code: 'TIMED_OUT', message: 'no answer' };
    const sent = { askable: false, leaseUntilMs: startMs + 60_000 };
    const inDoubt = anOrder({ merchant: 'two-persons', orderId: 'DOUBT-1', attempt: { ...sent, lapsed } });
    const ended = anOrder({
      merchant: 'two-persons',
      orderId: 'PAID-1',
      attempt: { ...sent, answer, reports: ['approved'] },
    });
    for (const order of [inDoubt, ended]) await queue.put(order);
  });

  it('is said by one and approved by another, each by the command that was printed to them', async () => {
    expect(await ada(...decision)).toMatchObject({ code: 1, stderr: expect.stringContaining('add --seen') });
    const release = [...decision, ...(await seenOf(ada, 'two-persons/DOUBT-1'))];
    const alone = await ada(...release);
    expect(alone).toMatchObject({ code: 1, stderr: expect.stringContaining('an approver looks at it') });
    expect(await ada(...printedIn(alone), '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('may be one person'),
    });
    const approved = await grace(...printedIn(alone), '--yes');
    expect(approved).toMatchObject({ code: 0, stderr: expect.stringContaining('DOUBT-1') });
    const [, word = ''] = /--approval (\S+)/.exec(approved.stdout) ?? [];
    expect(await grace(...release, '--approval', word)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the token is for'),
    });
    expect(await ada(...release, '--approval', `${word.slice(0, -4)}AAAA`)).toMatchObject({ code: 1 });
    const done = await ada(...release, '--approval', word);
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('first-operator and second-operator') });
  });

  it('is approved of no order that is not there or has ended', async () => {
    const approve = (order: string, ...more: string[]) => grace('approve', order, '--for', first, ...more);
    expect(await approve('two-persons/NONE', '--yes')).toMatchObject({
      code: 1,
      stderr: 'payouts: the ledger has no such order\n',
    });
    expect(await approve('two-persons/PAID-1', '--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the order is paid'),
    });
  });
});
