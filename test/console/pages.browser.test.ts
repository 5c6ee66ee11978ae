// The pages of the console in a real browser, over an emulated stack: they fit every screen, axe finds nothing, a thousand held orders are
// quick, what AWS refuses is shown as that, and a merchant is paused by keyboard alone. Over a local run: the simulated gateway.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createDynamoDbOrders } from '../../lib/aws/dynamodb-orders.ts';
import { faultSchedules } from '../../lib/local/gateway/fault-schedules.ts';
import { aDirectory } from '../cli/support/files.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { anOrder, begun } from '../support/orders.ts';
import { aBrowser, type ConsoleWorld, localWorld, type OpenConsole, stackWorld } from './support/console-world.ts';
import { byKeyboard as hands } from './support/hands.ts';

const directory = aDirectory();
const { faults, open, close, until, picture, axeFinds } = aBrowser();
const often = { timeout: 120_000, interval: 1_000 };
const held = 1_000;

describe('over an emulated stack with a thousand held orders', () => {
  let world: ConsoleWorld;
  let console: OpenConsole;

  const isAs = (orderId: string, text: string) =>
    vi.waitFor(async () => expect((await world.payouts('order', `acme-eu/${orderId}`)).stdout).toContain(text), often);

  beforeAll(async () => {
    world = await stackWorld(directory);
    const { environment } = world;
    const client = new DynamoDBClient({
      endpoint: environment['AWS_ENDPOINT_URL_DYNAMODB'] ?? '',
      region: environment['AWS_REGION'] ?? '',
      credentials: { accessKeyId: 'fake', secretAccessKey: 'fake' },
    });
    const orders = createDynamoDbOrders({ client, tableName: environment['LEDGER_TABLE_NAME'] ?? '' });
    const lapsed = { code: 'TIMED_OUT', message: 'no answer' };
    const attempt = { askable: false, leaseUntilMs: Date.now() - 86_400_000, lapsed, overdue: true } as const;
    // Published already, so that nothing moves them while they are counted.
    const aHeldOne = (at: number) => {
      const { unpublished: _told, ...order } = anOrder({ orderId: `HELD-${at}`, payee: 'A… L… …3000', attempt });
      return order;
    };
    for (let at = 0; at < held; at += 25)
      await Promise.all(Array.from({ length: 25 }, (_, of) => begun(orders, aHeldOne(at + of))));
    client.destroy();
    await world.send(aPayoutJob({ orderId: 'goes' }));
    await world.send({});
    await isAs('goes', 'now accepted');
    console = await open(world.console());
  });

  afterAll(async () => {
    if (console) await close(console);
    await world?.stop();
  });

  it('fifty of them are shown at once, filtered and paged by the server; a payee is masked', async () => {
    const { page } = console;
    await hands.press(page, /^Needs a person/, 'nav');
    await until(page, 'main', /held 1,000/);
    expect(await page.locator('main tbody tr').count()).toBe(50);
    await page.keyboard.press('f');
    await page.keyboard.type('held-77');
    await until(page, '.filters', /11 items/);
    expect(page.url()).toContain('q=held-77');
    // A refresh keeps what is typed, what is selected, and the row that has the focus.
    await page.keyboard.press('Escape');
    for (const key of ['j', 'j', 'x', 'r']) await page.keyboard.press(key);
    await until(page, '.bulk', /1 selected/);
    expect(await page.inputValue('[data-filter]')).toBe('held-77');
    const focused = String(await page.evaluate('document.activeElement.textContent'));
    await page.keyboard.press('Enter');
    await until(page, 'main', /PayeeA… L… …3000/);
    expect(await page.textContent('h1')).toContain(focused);
    await page.goBack();
    await until(page, '.filters', /11 items/);
    // An address that was written by hand is a page too.
    await page.goto(page.url().replace(/#.*/, '#/orders/acme-eu/50%+&%C3%A9%2F%23'));
    await until(page, 'h1', /^acme-eu\/50%\+&é\/#$/);
    await until(page, 'main', /No job of this order is known/);
  });

  it('several of them are decided at once; two Enters confirm nothing', async () => {
    const { page } = console;
    await page.goto(page.url().replace(/#.*/, '#/needs?q=held-88&kind=held'));
    await until(page, 'main tbody', /HELD-88/);
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await until(page, '.bulk', /2 selected20\.84 EUR/);
    await hands.press(page, /^Release…$/, '.bulk');
    await hands.choose(page, /^It was not paid/);
    await hands.write(page, /^Reason/, 'the back office shows none of them');
    await hands.press(page, /^Preview$/, 'dialog.act');
    await until(page, '.preview', /What will happen/);
    await page.keyboard.press('Enter');
    expect(await page.locator('dialog.act').isVisible()).toBe(true);
    await picture(page, 'bulk');
    await hands.press(page, /^Confirm: 2 × not paid$/, 'dialog.act');
    await until(page, '.said', /is failed now; .* is failed now/);
    await until(page, '.filters', /9 items/);
    expect(await page.evaluate('document.activeElement.tagName')).toBe('A');
  });

  it.each(['today', 'needs', 'orders/acme-eu/HELD-5', 'batches', 'lanes', 'lanes/acme-eu/39915', 'dead-letters'])(
    '%s: axe finds nothing, and it fits from 390 to 1,920 px, in the light and in the dark',
    async (hash) => {
      const { page } = console;
      await page.goto(page.url().replace(/#.*/, `#/${hash}`));
      await page.locator('main :is(table, .empty, .tiles, .can)').first().waitFor();
      for (const width of [390, 768, 1280, 1920])
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme });
          const overflow = 'document.documentElement.scrollWidth - window.innerWidth';
          expect(Number(await page.evaluate(overflow))).toBeLessThanOrEqual(0);
          expect(await axeFinds(page)).toEqual([]);
        }
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize({ width: 1280, height: 900 });
      await picture(page, hash.replaceAll('/', '-'));
    },
  );

  it('a merchant that is not known is not paused; one that is, is, and goes on again', async () => {
    const { page } = console;
    await hands.press(page, /^Lanes/, 'nav');
    await hands.press(page, /^Pause/, 'main');
    await hands.write(page, /^Merchant/, 'acme-ue');
    await hands.press(page, /^Preview$/, 'dialog.act');
    await until(page, '.preview', /Not now: there is no secret for a merchant "acme-ue"/);
    await page.fill('#field-merchant', 'acme-eu');
    await hands.write(page, /^Reason/, 'the bank asks for it');
    await hands.press(page, /^Preview$/, 'dialog.act');
    await until(page, '.where', world.notice);
    await until(page, '.preview', /Nothing new is sent for acme-eu[^]*node \. pause acme-eu --reason "the bank/);
    await hands.press(page, /^Confirm: pause$/, 'dialog.act');
    await until(page, '.said', /^acme-eu: paused; nothing new is sent within 5 seconds, jobs wait$/);
    await until(page, 'main', /acme-eu at 39915pausedthe merchant: by first-operator: the bank asks/);
    await hands.row(page, /^acme-eu at 39915/);
    await until(page, 'main', /Who waits/);
    await hands.press(page, /^Resume/, 'main');
    await hands.press(page, /^Preview$/, 'dialog.act');
    await until(page, '.preview', /node \. resume acme-eu --endpoint 39915/);
    await hands.press(page, /^Cancel$/, 'dialog.act');
    expect(await world.payouts('resume', 'acme-eu')).toMatchObject({ code: 0 });
  });

  it('a console that only looks does nothing, and shows part by part what AWS does not allow', async () => {
    const { run, page } = await open(world.console('--read-only'));
    await until(page, '.stage', /^stage prod · read only$/);
    await until(page, 'main', /Alarms\. Not allowed: AWS does not let you \(AccessDenied\)/);
    await until(page, 'main', /Needs a person · \d+/);
    await page.goto(page.url().replace(/#.*|$/, '#/orders/acme-eu/HELD-5'));
    await until(page, 'main', /This console is read-only\./);
    expect(await page.getByRole('button', { name: /…$/ }).count()).toBe(0);
    faults.length = 0;
    await close({ run, page });
  });
});

describe('over a local run', () => {
  let world: ConsoleWorld;
  let console: OpenConsole;
  beforeAll(async () => {
    world = await localWorld(directory);
    console = await open(world.console());
  });
  afterAll(async () => {
    if (console) await close(console);
    await world?.stop();
  });

  it('the faults of the simulated gateway are switches, and each request is taken apart', async () => {
    const { page } = console;
    await hands.press(page, /^Gateway/, 'nav');
    await until(page, 'main', /payout FIRST at 39915 · HTTP 200/);
    const names = await page.locator('.faults input').evaluateAll((all) => all.map((it) => it.getAttribute('value')));
    expect(names).toEqual(Object.keys(faultSchedules));
    await page.getByText('brownout', { exact: true }).click();
    await until(page, '.said', /^The simulated gateway is now: brownout$/);
    await expect.poll(() => page.locator('.faults input:checked').getAttribute('value')).toBe('brownout');
    const request = page.locator('.requests details').filter({ hasText: 'payout FIRST' });
    await request.locator('summary').click();
    await expect.poll(() => request.locator('.base').textContent()).toMatch(/^POST&http%3A%2F%2F127\.0\.0\.1/);
    await expect.poll(() => request.textContent()).toMatch(/amount10\.42[^]*oauth_consumer_key[^]*Signature/);
    expect(await axeFinds(page)).toEqual([]);
    await picture(page, 'gateway');
    expect(faults).toEqual([]);
  });
});
