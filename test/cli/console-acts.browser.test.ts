// What a person does in the console beside a payday, in a real browser, over an emulated stack, by keyboard alone: a merchant paused and let go on, a batch called off, who waits in a line and an order of it cancelled, a closed lane probed.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDynamoDbLanes } from '../../lib/aws/dynamodb-lanes.ts';
import { newLane } from '../../lib/payout/pace/lane-state.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aBrowser, type ConsoleWorld, type OpenConsole, stackWorld } from './support/console-world.ts';
import { aDirectory } from './support/files.ts';
import { byKeyboard, type Hands } from './support/hands.ts';
import { ibanOf } from './support/ibans.ts';

const directory = aDirectory();
const { faults, open, close, until, picture } = aBrowser();
const often = { timeout: 120_000, interval: 1_000 };

/** Shows what an act will do, and by which command; then does it. */
async function doIt(page: Page, hands: Hands, { command, told }: { readonly command: RegExp; readonly told: RegExp }) {
  await hands.press(page, /^Show what it will do/, 'dialog');
  await until(page, '#preview', command);
  await hands.press(page, /^Do it$/, 'dialog');
  await until(page, '#told', told);
}

const tablesOf = (environment: Readonly<Record<string, string>>) =>
  new DynamoDBClient({
    endpoint: environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '',
    region: environment['AWS_REGION'] ?? '',
    credentials: { accessKeyId: 'fake', secretAccessKey: 'fake' },
  });

/** Refusals of the account have closed it; its next probe is far away. */
async function closeLane(environment: Readonly<Record<string, string>>): Promise<void> {
  const client = tablesOf(environment);
  const tableName = environment['CONTROLS_TABLE_NAME'] ?? '';
  const lanes = createDynamoDbLanes({ client, tableName, sleep: async () => {} });
  const lane = { merchant: 'acme-eu', endpointId: '39915' };
  const closed = {
    cause: 'account',
    sinceMs: Date.now(),
    probes: 0,
    asked: 0,
    nextProbeAtMs: Date.now() + 3_600_000,
  } as const;
  // Workers write it too: who was slower says it again.
  await vi.waitFor(async () => {
    const state = await lanes.read(lane);
    const next = { ...(state ?? newLane({})), closed, version: (state?.version ?? 0) + 1 };
    expect(await lanes.write(lane, next)).toBe('written');
  }, often);
  client.destroy();
}

describe('over an emulated stack', () => {
  const hands = byKeyboard;
  let world: ConsoleWorld;
  let console: OpenConsole;
  let page: Page;

  const standsAs = (orderId: string, text: string) =>
    vi.waitFor(async () => expect((await world.payouts('order', `acme-eu/${orderId}`)).stdout).toContain(text), often);
  const refreshed = (selector: string, text: RegExp) =>
    vi.waitFor(async () => {
      await hands.press(page, /^Refresh$/);
      await expect.poll(() => page.textContent(selector), { timeout: 5_000 }).toMatch(text);
    }, often);

  beforeAll(async () => {
    world = await stackWorld(directory);
    await world.send(aPayoutJob({ orderId: 'act-goes' }));
    await standsAs('act-goes', 'now accepted');
    console = await open(world.console());
    page = console.page;
  });

  afterAll(async () => {
    if (console) await close(console);
    await world?.stop();
  });

  it('nobody’s merchant is paused, and it is said', async () => {
    await hands.press(page, /^Pause a merchant…/);
    await hands.write(page, /^Merchant/, 'acme-ue');
    await hands.write(page, /^Reason/, 'a slip');
    await hands.press(page, /^Show what it will do/, 'dialog');
    await until(
      page,
      '#preview',
      /^Not yet: there is no secret for a merchant "acme-ue"[^]*node \. pause acme-ue --reason/,
    );
    expect(await page.locator('#do-it').isDisabled()).toBe(true);
    await hands.press(page, /^Leave it$/, 'dialog');
    expect(await page.textContent('#lanes')).not.toContain('paused');
  });

  it('one merchant is paused: its jobs wait, a batch of it is called off, and what is left goes on with it', async () => {
    // when it is paused
    await hands.press(page, /^Pause a merchant…/);
    await hands.write(page, /^Merchant/, 'acme-eu');
    await hands.write(page, /^Reason/, 'the bank asks for it');
    await hands.press(page, /^Show what it will do/, 'dialog');
    await until(page, '#preview', world.notice);
    await doIt(page, hands, {
      command: /Nothing new is sent for acme-eu within five seconds[^]*node \. pause acme-eu --reason "the bank/,
      told: /^Done: acme-eu: paused; nothing new is sent within 5 seconds, jobs wait$/,
    });
    await until(
      page,
      '#todo',
      /acme-eu at 39915Lane does not gopaused: the merchant: by first-operator: the bank asks/,
    );
    await until(page, '#lanes', /acme-eu at 39915paused/);

    // then neither a job nor a batch of it is sent
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    await world.send(aPayoutJob({ orderId: 'act-paused' }));
    const rows = [1, 2].map((at) => `act-row-${at},5.00,EUR,${ibanOf(`act row ${at}`)},Cool bank\n`).join('');
    const file = await directory.file(`act-off.csv`, `order id,amount,currency,iban,bank\n${rows}`);
    const of = ['--batch', 'act-off', '--operation', 'payout', '--merchant', 'acme-eu', '--endpoint', '39915'];
    expect(await world.payouts('submit', file, '--yes', '--accept', 'account', ...of)).toMatchObject({ code: 0 });
    await standsAs('act-paused', 'it was never claimed');
    await refreshed('#batches', new RegExp('act-off'));
    await picture(page, 'act-paused');

    // when the batch is called off, and the merchant let go on
    await hands.press(page, new RegExp(`^Show act-off$`), '#batches');
    await until(page, '#batch', /0 of 2 rows processed/);
    await hands.press(page, /^Cancel what was not sent…/, '#batch');
    await hands.write(page, /^Reason/, 'the wrong file');
    await doIt(page, hands, {
      command: new RegExp(`never will be[^]*node \\. cancel --batch act-off --reason "the wrong file"`),
      told: new RegExp(`^Done: batch act-off: what is not claimed yet will not be sent$`),
    });
    await hands.press(page, /^Resume a merchant…/);
    await hands.write(page, /^Merchant/, 'acme-eu');
    await hands.write(page, /^Reason/, 'the bank is ready');
    await doIt(page, hands, {
      command: /node \. resume acme-eu --reason "the bank is ready"/,
      told: /^Done: acme-eu: resumed$/,
    });

    // then the job is sent, and no row of the batch
    await until(page, '#lanes', /acme-eu at 39915open/);
    await standsAs('act-paused', 'now accepted');
    await vi.waitFor(async () => {
      await hands.press(page, new RegExp(`^Show act-off$`), '#batches');
      await expect.poll(() => page.textContent('#batch'), { timeout: 5_000 }).toMatch(/cancelled2 rows10\.00 EUR/);
    }, often);
  }, 300_000);

  it('who waits and was never claimed is shown with lane, moment, reason and money, and is cancelled; no body is opened', async () => {
    // given a job of which the moment is tomorrow
    const notBefore = new Date(Date.now() + 86_400_000).toISOString();
    const its = aPayoutJob({ orderId: 'act-later', notBefore });
    await world.send({ ...its, params: { ...its.params, amount: '77.30', order_desc: 'Salary of nobody' } });
    await standsAs('act-later', 'not-before, ended by time');

    // when its lane is looked at, and then its order
    await refreshed('#lanes', /1 jobs? without a batch waiting/);
    await hands.press(page, /^Who waits at acme-eu at 39915/, '#lanes');
    await until(
      page,
      '#line',
      new RegExp(
        `in the line of acme-eu at 39915acme-eu/act-later77\\.30 EURnot-before: ended by timejob without a batch, waits since .*, goes from `,
      ),
    );
    await picture(page, 'act-line');
    await hands.press(page, /^Show order/, '#line');
    await until(
      page,
      '#order',
      new RegExp(
        `act-later[^]*of jobs without a batch of acme-eu at 39915, with 77\\.30 EUR, from \\S+ \\S+ on: not-before, ended by time`,
      ),
    );
    const { params } = its;
    for (const sealed of ['Salary of nobody', String(params['account_number'])])
      expect(await page.content()).not.toContain(sealed);

    // and called off
    await hands.press(page, /^Cancel…/, '#order');
    await hands.write(page, /^Reason/, 'the invoice was withdrawn');
    await doIt(page, hands, {
      command: new RegExp(`node \\. cancel acme-eu/act-later --reason "the invoice was withdrawn"`),
      told: new RegExp(`^Done: acme-eu/act-later is cancelled now$`),
    });

    // then its life says so, and it waits no longer
    await until(page, '#order', /now cancelled, final[^]*Called off before it was sent/);
    await refreshed('#lanes', /acme-eu at 39915open[^]*nobody waits/);
  });

  it('a closed lane is probed: the order that waits is sent, and opens it', async () => {
    // given
    await closeLane(world.environment);
    await world.send(aPayoutJob({ orderId: 'act-probe' }));
    await standsAs('act-probe', 'lane-closed, ended by a probe');
    await refreshed('#lanes', /acme-eu at 39915closed the account takes no orders now/);

    // when
    await hands.press(page, /^Probe acme-eu at 39915…/, '#lanes');
    await hands.write(page, /^Reason/, 'the account is funded');
    await doIt(page, hands, {
      command: /sent as a probe[^]*node \. lanes probe acme-eu --endpoint 39915 --reason "the account is funded"/,
      told: /^Done: acme-eu at 39915: the next order that comes back is the probe$/,
    });

    // then
    await standsAs('act-probe', 'now accepted');
    await refreshed('#lanes', /acme-eu at 39915open/);
    expect(faults).toEqual([]);
  });
});
