// Dead letters as an operator looks after them, against the embedded environment and the worker that ships.
import { setTimeout as sleep } from 'node:timers/promises';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { aPayoutJob, aTransferJob, testCards } from '../support/jobs.ts';
import { anAws } from './support/aws.ts';
import { startCli } from './support/cli.ts';
import { longIt } from '../support/long-proof.ts';
import { anotherLogin, putMerchant } from '../support/merchant-secrets.ts';

const world = anAws({ gateway: true, visibilityTimeoutSeconds: 60 });
const { payouts, deadLetter: lay } = world;

async function json(...args: string[]) {
  const { stdout } = await payouts(...args, '--json');
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Letters that are not hidden. */
async function visibleLetters(): Promise<number> {
  const { Attributes } = await world.sqs().send(
    new GetQueueAttributesCommand({
      QueueUrl: world.aws().queueUrls.jobsDeadLetter,
      AttributeNames: ['ApproximateNumberOfMessages'],
    }),
  );
  return Number(Attributes?.['ApproximateNumberOfMessages']);
}

const told = world.results;

longIt(
  'what the worker laid aside is listed, planned, redriven and paid',
  async () => {
    // given a merchant without a secret, and a message that is no job
    await world.send(
      aPayoutJob({ merchant: 'hooli', orderId: 'H-1', batchId: 'b-1' }),
      aPayoutJob({ merchant: 'hooli', orderId: 'H-2' }),
      aTransferJob({ orderId: 'T-1', params: { oops: testCards.sender } }),
    );
    await payouts('worker', '--once');
    expect((await told()).get('H-1')).toMatchObject({ status: 'rejected', failure: { code: 'MERCHANT_UNKNOWN' } });

    // then they are on the list, and still on the queue
    const list = await payouts('dlq', 'list');
    expect(list).toMatchObject({ code: 0, stderr: '' });
    expect(list.stdout).toMatch(/hooli\/H-1 +MERCHANT_UNKNOWN +there is no secret for this merchant/);
    expect(list.stdout).toMatch(/acme-eu\/T-1 +INVALID_MESSAGE +params\.oops is not a field/);
    expect(list.stdout).toMatch(/\n3 dead letters\n$/);
    expect(await visibleLetters()).toBe(3);
    const { deadLetters: letters } = await json('dlq', 'list', '--batch', 'b-1');
    expect(letters).toMatchObject([{ order: 'hooli/H-1', from: 'worker', code: 'MERCHANT_UNKNOWN', redrives: 0 }]);

    // and would come straight back, or wait another day for the secret
    const plan = await payouts('dlq', 'redrive', '--all', '--dry-run');
    expect(plan.stdout).toMatch(/reject +1 .*it would come straight back/);
    expect(plan.stdout).toMatch(
      /wait +2 +20\.84 EUR +its merchant is paused, stopped or at its cap, its secret is missing or faulty/,
    );
    expect(plan.stdout).toMatch(/\n0 of 3 dead letters would move\n$/);

    // when the secret is there
    putMerchant(world.aws().secrets, 'hooli', anotherLogin(world.gateway(), world.secrets()['acme-eu']));
    expect(await json('dlq', 'redrive', '--dry-run', '--merchant', 'hooli')).toMatchObject({
      totals: { submit: { count: 2, money: { EUR: '20.84' } } },
      moves: 2,
    });
    const redriven = await payouts('dlq', 'redrive', '--all', '--yes', '--json');
    expect(redriven).toMatchObject({ code: 0 });
    expect(redriven.stderr).toMatch(/submit +2 +20\.84 EUR/);
    expect(JSON.parse(redriven.stdout)).toMatchObject({ planned: 2, redriven: 2, changed: 0 });

    // then both are paid, and the broken message is left
    expect(await payouts('worker', '--once')).toMatchObject({ code: 0 });
    const results = await told();
    expect([results.get('H-1')?.status, results.get('H-2')?.status]).toEqual(['accepted', 'accepted']);
    expect(await visibleLetters()).toBe(1);
  },
  240_000,
);

longIt('only what the plan still moves is redriven', async () => {
  await lay(aPayoutJob({ orderId: 'P-1' }));
  await lay(aPayoutJob({ orderId: 'P-2' }));
  await world.standing('P-2', { standing: 'paid', fingerprint: 'local.other' });
  const { code, stdout } = await payouts('dlq', 'redrive', '--search', 'acme-eu/p-', '--yes');
  expect({ code, stdout }).toEqual({ code: 0, stdout: '1 of 1 dead letter redriven\n' });
  expect(await payouts('worker', '--once')).toMatchObject({ code: 0 });
  expect((await told()).get('P-1')).toMatchObject({ status: 'accepted' });
  expect(await json('dlq', 'list', '--order', 'acme-eu/P-2')).toMatchObject({
    deadLetters: [{ order: 'acme-eu/P-2' }],
  });
});

it('an order that a dead letter has is found: the reason, its body without card data, and the acts that do something', async () => {
  // given one message that no worker can take, and one that would be paid
  const params = { oops: testCards.sender, cvv2: '737', order_desc: 'Rent' };
  const broken = await lay(aTransferJob({ orderId: 'E-1', params }));
  const whole = await lay(aPayoutJob({ orderId: 'E-2' }));

  // when the orders are looked at, and the list of questions
  const [first, second] = [await payouts('order', 'acme-eu/E-1'), await payouts('order', 'acme-eu/E-2')];
  const { questions } = await json('todo');
  const its = (questions as { what: string; why: string; commands: string[] }[]).filter(({ what }) =>
    /E-[12]$/.test(what),
  );

  // then each says what would become of it, and offers what works
  const comesBack = /it would come straight back: correct or discard it/;
  expect(first.stdout).toMatch(comesBack);
  expect(first.stdout).toContain('"order_desc":"Rent"');
  expect(first.stdout).toContain(`node . dlq discard --message ${broken} --reason`);
  expect(first.stdout).not.toContain('dlq redrive');
  for (const hidden of [testCards.sender, '737']) expect(first.stdout).not.toMatch(new RegExp(`\\b${hidden}\\b`));
  expect(second.stdout).toContain(`node . dlq redrive --message ${whole}\n`);
  expect(its.find(({ what }) => what.endsWith('E-1'))).toMatchObject({
    why: expect.stringMatching(comesBack),
    commands: [expect.stringContaining('dlq discard')],
  });
  for (const id of [broken, whole])
    expect(await payouts('dlq', 'discard', '--message', id, '--reason', 'a test', '--yes')).toMatchObject({ code: 0 });
});

describe('payouts dlq discard', () => {
  it('tells the sender, keeps who and why, and only then deletes', async () => {
    const messageId = await lay(aPayoutJob({ orderId: 'D-1' }));
    const because = ['--reason', 'the customer called it off', '--yes'];
    const { code, stdout, stderr } = await payouts('dlq', 'discard', '--order', 'acme-eu/D-1', ...because);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${messageId}  its result says failed (acme-eu/D-1/1)\n\n1 of 1 dead letter discarded\n`,
    });
    expect(stderr).toContain('"event":"dead-letter-discarded"');
    expect((await told()).get('D-1')).toMatchObject({
      status: 'failed',
      failure: { code: 'DISCARDED', message: 'first-operator: the customer called it off' },
    });
    expect(await payouts('order', 'acme-eu/D-1')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('DISCARDED: first-operator: the customer called it off'),
    });
    expect(await json('dlq', 'list', '--message', messageId)).toMatchObject({ deadLetters: [] });
  });

  longIt('of nothing is 1, and 0 of a dry run', async () => {
    const end = await payouts('dlq', 'discard', '--message', 'none', '--reason', 'x', '--yes');
    expect(end).toMatchObject({ code: 1, stderr: 'payouts: no such dead letter\n' });
    const dry = await payouts('dlq', 'redrive', '--message', 'none', '--dry-run');
    expect(dry).toMatchObject({ code: 0, stdout: 'no such dead letter: nothing would move\n', stderr: '' });
  });
});

longIt('an interrupted look gives every letter back', async () => {
  for (let index = 0; index < 40; index += 1) await lay(aPayoutJob({ orderId: `I-${index}` }));
  const before = await visibleLetters();
  const running = startCli(['dlq', 'redrive', '--all', '--dry-run'], { env: world.env() });
  while ((await visibleLetters()) === before) await sleep(5);
  running.child.kill('SIGINT');
  const { code } = await running.ended;
  // Fast machines may have been through before the interruption came.
  expect([0, 1]).toContain(code);
  expect(await visibleLetters()).toBe(before);
});

longIt('nothing secret was ever printed', () => {
  const printed = world.printed();
  expect(printed).toContain('acme-eu/T-1');
  const { account_number: account = '' } = aPayoutJob().params as Record<string, string>;
  for (const secret of [account, testCards.sender, testCards.receiver, 'JANE DOE', '"737"', 'PRIVATE KEY'])
    expect(printed).not.toContain(secret);
});
