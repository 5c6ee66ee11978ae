// Two persons at two consoles, and the answer to a bank's file, in a real browser over an emulated stack.
import { readFile } from 'node:fs/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDynamoDbOrders } from '../../lib/aws/dynamodb-orders.ts';
import { anOrder, begun } from '../support/orders.ts';
import { creditTransfers } from '../cli/support/credit-transfers.ts';
import { aBrowser, type OpenConsole, stackWorld } from './support/console-world.ts';
import { aDirectory } from '../cli/support/files.ts';
import { byKeyboard, byMouse, type Hands } from './support/hands.ts';

const directory = aDirectory();
const { faults, open, close, until, picture } = aBrowser();
const often = { timeout: 120_000, interval: 1_000 };

const tablesOf = (environment: Readonly<Record<string, string>>) =>
  new DynamoDBClient({
    endpoint: environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '',
    region: environment['AWS_REGION'] ?? '',
    credentials: { accessKeyId: 'fake', secretAccessKey: 'fake' },
  });

describe('over an emulated stack of whose merchants one demands two persons', () => {
  const order = 'two-persons/DOUBT-1';
  const first = 'arn:aws:iam::000000000000:user/first-operator';
  let world: Awaited<ReturnType<typeof stackWorld>>;
  const opened: OpenConsole[] = [];
  const consoleOf = async (run: ReturnType<typeof world.console>) => {
    const console = await open(run);
    opened.push(console);
    return console.page;
  };

  beforeAll(async () => {
    const secret = { login: 'two', controlKey: 'FAKE-CONTROL-KEY', baseUrl: 'http://127.0.0.1:9' };
    world = await stackWorld(directory, { 'two-persons': secret });
    await world.aws.safeguard('two-persons', { twoPersonRelease: true, caps: {} });
  });

  afterAll(async () => {
    for (const console of opened) await close(console);
    await world?.stop();
  });

  async function decide(page: Page, hands: Hands, word?: string): Promise<void> {
    await hands.press(page, /^Release/, 'main');
    await hands.choose(page, /^It was not paid/);
    await hands.write(page, /^Reason/, 'the bank knows nothing');
    if (word !== undefined) {
      await page.locator('dialog.act summary').click();
      await hands.write(page, /^Approval token/, word);
    }
    await hands.press(page, /^Preview/, 'dialog.act');
    await until(page, '.preview', new RegExp(`node \\. release ${order} --as not-paid --reason "the bank`));
  }

  /** What is refused says so before it is done; what was typed is still there. */
  async function refused(page: Page, hands: Hands, why: RegExp): Promise<void> {
    await until(page, '.preview', why);
    expect(await page.locator('button.confirm').isDisabled()).toBe(true);
    expect(await page.inputValue('#field-reason')).toBe('the bank knows nothing');
    await hands.press(page, /^Cancel$/, 'dialog.act');
  }

  async function approve(page: Page, hands: Hands): Promise<void> {
    await hands.press(page, /^Approve/, 'main');
    await hands.write(page, /^ARN of the person/, first);
    await hands.press(page, /^Preview/, 'dialog.act');
    await until(page, '.preview', /none of it was paid; it can then be paid again/);
    await until(page, 'dialog.act', /10\.42 EUR[^]*two-persons/);
    await until(page, '.preview', new RegExp(`node \\. approve ${order} --for ${first} --seen \\d+`));
    await picture(page, 'approve');
    await hands.press(page, /^Confirm: approve$/, 'dialog.act');
  }

  async function look(page: Page, key: string): Promise<void> {
    await page.keyboard.press('/');
    await page.keyboard.type(key);
    await page.keyboard.press('Enter');
    await until(page, 'h1', new RegExp(`^${key}$`));
  }

  it('that an order is not paid is said by one and approved by another, who are two; each act shows its command', async () => {
    // given an order in doubt past its horizon, so that only people move it while they look
    const client = tablesOf(world.environment);
    const lapsed = { code: 'TIMED_OUT', message: 'no answer' };
    const attempt = { askable: false, leaseUntilMs: Date.now() - 86_400_000, lapsed, overdue: true } as const;
    const orders = createDynamoDbOrders({ client, tableName: world.environment['LEDGER_TABLE_NAME'] ?? '' });
    await begun(orders, anOrder({ merchant: 'two-persons', orderId: 'DOUBT-1', attempt }));
    client.destroy();
    const ada = await consoleOf(world.console());
    const grace = await consoleOf(world.consoleOfSecond());
    for (const page of [ada, grace]) await look(page, order);
    await until(ada, 'main', /in-doubt|held/);

    // when the first decides alone, then nothing is decided, and the command of the approver is told
    await decide(ada, byMouse);
    await refused(ada, byMouse, new RegExp(`Not now: two persons say[^]*approve ${order} --for ${first}`));

    // when the same person approves, then it is refused, in words
    await approve(ada, byMouse);
    await until(ada, '.preview', new RegExp(`${first} and ${first} may be one person; another approver must`));
    await byMouse.press(ada, /^Cancel$/, 'dialog.act');

    // when the second does, by keyboard alone, then there is a word for the first
    await approve(grace, byKeyboard);
    await until(
      grace,
      'dialog.act',
      new RegExp(`Doneapproved until 20\\S+, for ${first} and for the order as it is now`),
    );
    await picture(grace, 'approved');
    const word = ((await grace.textContent('dialog.act code')) ?? '').replace('--approval ', '');
    await byKeyboard.press(grace, /^Close$/, 'dialog.act');

    // which is of no use to the second
    await decide(grace, byKeyboard, word);
    await refused(
      grace,
      byKeyboard,
      /Not now: --approval: the token is for .*first-operator, and you are .*second-operator/,
    );

    // and with which the first decides
    await decide(ada, byMouse, word);
    await byMouse.press(ada, /^Confirm: not paid$/, 'dialog.act');
    await until(ada, '.said', new RegExp(`^${order} is failed now$`));
    await until(ada, 'main', /first-operator \(ada\) and second-operator|first-operator and second-operator/);

    // then there is nothing left to approve
    await byKeyboard.press(grace, /^Refresh$/);
    await until(grace, 'main', new RegExp(`failed[^]*Not now: the order is failed`));
    expect(await grace.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('the bank’s own file has its answer from the page of the batch', async () => {
    // given a file of the bank that was sent
    const ids = ['bank-1', 'bank-2.decline'];
    const transfers = ids.map((id, at) => ({ id, amount: `${at + 1}0.42`, bic: 'COBADEFFXXX' }));
    const text = creditTransfers([{ day: new Date().toISOString().slice(0, 10), transfers }], '09');
    const file = await directory.file('bank.xml', text);
    const of = ['--batch', 'bank', '--operation', 'payout', '--merchant', 'globex-us', '--endpoint', '39915'];
    expect(await world.payouts('submit', file, '--yes', ...of)).toMatchObject({
      code: 0,
    });
    await vi.waitFor(
      async () =>
        expect((await world.payouts('batch', 'bank')).stdout).toMatch(/1 paid[^]*1 declined|paid +1[^]*declined +1/),
      often,
    );
    const page = await consoleOf(world.console('--read-only'));

    // when its answer is asked for, at first from no file that there is
    await byKeyboard.press(page, /^Batches/, 'nav');
    await byKeyboard.row(page, /^bank/);
    await until(page, 'main', /2 of 2 payouts ended/);
    await byKeyboard.write(page, /^File of the batch/, 'bonk.xml', 'main');
    await byKeyboard.press(page, /^pain\.002$/, 'main');
    await until(page, '.said', /^No report: can't read bonk\.xml: there is no such file or folder$/);
    await page.fill('#report-file', 'bank.xml');
    const loading = page.waitForEvent('download');
    await byKeyboard.press(page, /^pain\.002$/, 'main');
    await until(page, '.said', /node \. report bank --format pain\.002 --file bank\.xml --output bank\.pain\.002\.xml/);

    // then the browser keeps it, each payment by its own id
    const loaded = await loading;
    expect(loaded.suggestedFilename()).toBe('bank.pain.002.xml');
    const told = await readFile(await loaded.path(), 'utf8');
    const statuses = [...told.matchAll(/<OrgnlEndToEndId>([^<]*)<\/OrgnlEndToEndId><TxSts>([^<]*)/g)];
    expect(statuses.map(([, id, status]) => `${id} ${status}`)).toEqual(['bank-1 ACSC', 'bank-2.decline RJCT']);
    expect(faults).toEqual([]);
  });
});
