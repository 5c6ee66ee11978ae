// Two persons at two consoles, and the answer to a bank's file, in a real browser over an emulated stack.
import { readFile } from 'node:fs/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDynamoDbOrders } from '../../lib/aws/dynamodb-orders.ts';
import { anOrder } from '../support/orders.ts';
import { creditTransfers } from './support/credit-transfers.ts';
import { aBrowser, type OpenConsole, stackWorld } from './support/console-world.ts';
import { aDirectory } from './support/files.ts';
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
    await hands.press(page, /^Decide…/, '#order');
    await hands.choose(page, /^It was not paid/);
    if (word !== undefined) await hands.write(page, /^The approver’s word/, word);
    await hands.write(page, /^Reason/, 'the bank knows nothing');
    await hands.press(page, /^Show what it will do/, 'dialog');
    await until(page, '#preview', new RegExp(`node \\. release ${order} --as not-paid --reason "the bank`));
  }

  /** What is refused says so before it is done; what was typed is still there. */
  async function refused(page: Page, hands: Hands, why: RegExp): Promise<void> {
    await until(page, '#preview', why);
    expect(await page.locator('#do-it').isDisabled()).toBe(true);
    expect(await page.inputValue('#field-reason')).toBe('the bank knows nothing');
    await hands.press(page, /^Leave it$/, 'dialog');
  }

  async function approve(page: Page, hands: Hands): Promise<void> {
    await hands.press(page, /^Approve for who decides…/, '#order');
    await hands.write(page, /^Who decides/, first);
    await hands.press(page, /^Show what it will do/, 'dialog');
    await until(page, '#preview', /none of it was paid; then it can be paid again[^]*DOUBT-1 · payout · 10\.42 EUR/);
    await until(page, '#preview', new RegExp(`node \\. approve ${order} --for ${first} --seen \\d+$`));
    await picture(page, 'approve');
    await hands.press(page, /^Do it$/, 'dialog');
  }

  async function look(page: Page, key: string): Promise<void> {
    await page.fill('#order-id', key);
    await page.press('#order-id', 'Enter');
    await until(page, '#order', /DOUBT-1 · payout/);
  }

  it('that an order is not paid is said by one and approved by another, who are two; each act shows its command', async () => {
    // given an order in doubt past its horizon, so that only people move it while they look
    const client = tablesOf(world.environment);
    const lapsed = { code: 'TIMED_OUT', message: 'no answer' };
    const attempt = { askable: false, leaseUntilMs: Date.now() - 86_400_000, lapsed, overdue: true } as const;
    const orders = createDynamoDbOrders({ client, tableName: world.environment['LEDGER_TABLE_NAME'] ?? '' });
    await orders.put(anOrder({ merchant: 'two-persons', orderId: 'DOUBT-1', attempt }));
    client.destroy();
    const ada = await consoleOf(world.console());
    const grace = await consoleOf(world.consoleOfSecond());
    for (const page of [ada, grace]) await look(page, order);

    // when the first decides alone, then nothing is decided, and the command of the approver is told
    await decide(ada, byMouse);
    await refused(ada, byMouse, new RegExp(`^Not yet: two persons say[^]*approve ${order} --for ${first}`));

    // when the same person approves, then it is refused, in words
    await approve(ada, byMouse);
    await until(
      ada,
      '#preview',
      new RegExp(`^Not done: ${first} and ${first} may be one person; another approver must`),
    );
    await byMouse.press(ada, /^Leave it$/, 'dialog');

    // when the second does, by keyboard alone, then there is a word for the first
    await approve(grace, byKeyboard);
    await until(
      grace,
      '#told',
      new RegExp(`^Done: approved until 20\\S+, for ${first} and for the order as it is now`),
    );
    await picture(grace, 'approved');
    const word = ((await grace.textContent('#told pre')) ?? '').replace('--approval ', '');

    // which is of no use to the second
    await decide(grace, byKeyboard, word);
    await refused(grace, byKeyboard, /^Not yet: --approval: it is for .*first-operator, and you are .*second-operator/);

    // and with which the first decides
    await decide(ada, byMouse, word);
    await byMouse.press(ada, /^Do it$/, 'dialog');
    await until(ada, '#told', new RegExp(`^Done: ${order} is failed now$`));
    await until(ada, '#order', /first-operator \(ada\) and second-operator|first-operator and second-operator/);

    // then there is nothing left to approve
    await look(grace, order);
    await until(grace, '#order', /now failed/);
    expect(await grace.getByRole('button', { name: /^Approve for who decides…/ }).count()).toBe(0);
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
    await byKeyboard.press(page, /^Show bank$/, '#batches');
    await until(page, '#batch', /2 of 2 rows processed/);
    await byKeyboard.press(page, /^Report by its file, or pain\.002…/, '#batch');
    await byKeyboard.choose(page, /^pain\.002/);
    await byKeyboard.write(page, /^File of the batch/, 'bonk.xml');
    await byKeyboard.press(page, /^Show what it will do/, 'dialog');
    await until(page, '#preview', /^Not yet: can't read bonk\.xml: there is no such file or folder$/);
    await page.fill('#file', 'bank.xml');
    await byKeyboard.press(page, /^Show what it will do/, 'dialog');
    await until(
      page,
      '#preview',
      /node \. report bank --format pain\.002 --file bank\.xml [^]*--output bank\.pain\.002\.xml/,
    );
    await picture(page, 'pain002');
    const loading = page.waitForEvent('download');
    await byKeyboard.press(page, /^Do it$/, 'dialog');

    // then the browser keeps it, each payment by its own id
    const loaded = await loading;
    expect(loaded.suggestedFilename()).toBe('bank.pain.002.xml');
    const told = await readFile(await loaded.path(), 'utf8');
    const statuses = [...told.matchAll(/<OrgnlEndToEndId>([^<]*)<\/OrgnlEndToEndId><TxSts>([^<]*)/g)];
    expect(statuses.map(([, id, status]) => `${id} ${status}`)).toEqual(['bank-1 ACSC', 'bank-2.decline RJCT']);
    expect(faults).toEqual([]);
  });
});
