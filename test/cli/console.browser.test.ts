// The console in a real browser, as those who run payouts use it: a payday with two failures, one doubt and one dead letter, from
// the overview to the closed books, by mouse and by keyboard alone, over an emulated stack and over a local run.
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { RunningCli } from './support/cli.ts';
import { aBrowser, type ConsoleWorld, localWorld, stackWorld } from './support/console-world.ts';
import { aDirectory } from './support/files.ts';
import { byKeyboard, byMouse, type Hands } from './support/hands.ts';
import { ibanOf } from './support/ibans.ts';

const directory = aDirectory();
const endings = ['', '', '.validation-error-once', '.validation-error-once', '.stall-after'];
const paydayOf = (name: string) =>
  `order id,amount,currency,iban,bank,order_desc\n${endings
    .map((end, at) => `${name}-${at + 1}${end},10.42,EUR,${ibanOf(`${name} payee ${at}`)},Cool bank,Salary\n`)
    .join('')}`;

const { faults, open, close, until, picture } = aBrowser();

/** Sends the payday and a message that is no job, and waits until all has come to where it stays. */
async function livePayday({ payouts, send }: ConsoleWorld, name: string) {
  const file = await directory.file(`${name}.csv`, paydayOf(name));
  const of = ['--batch', name, '--operation', 'payout', '--merchant', 'acme-eu', '--endpoint', '39915'];
  expect(await payouts('submit', file, '--yes', '--accept', 'account', ...of)).toMatchObject({ code: 0 });
  await send({});
  const says = async (args: string[], what: string) => expect((await payouts(...args)).stdout).toContain(what);
  const often = { timeout: 120_000, interval: 1_000 };
  await vi.waitFor(() => says(['batch', name, '--json'], '"ended":5'), often);
  await vi.waitFor(() => says(['dlq', 'list'], 'INVALID_MESSAGE'), often);
}

/** From the overview to the closed books. */
async function walkPayday(world: ConsoleWorld, hands: Hands, name: string, width: number) {
  // given a payday with two failures, one doubt and one dead letter, and somebody who looks at it
  await livePayday(world, name);
  const held = `acme-eu/${name}-5.stall-after`;
  const { run, page } = await open(world.console(), { viewport: { width, height: 900 } });
  await until(page, '#stage', world.stage);
  await until(page, '#todo', /2 waiting/);
  await until(page, '#todo', new RegExp(`${name}-5\\.stall-after[^]*10\\.42 EUR[^]*HELD_UNPROVEN`));
  await until(page, '#todo', /Dead letter[^]*INVALID_MESSAGE/);
  await until(page, '#money', /in doubt[^]*10\.42 EUR/);
  await picture(page, `${name}-overview`);

  // when the doubt is looked at, and decided for a reason
  await hands.press(page, /^Show order/, '#todo');
  await until(page, '#order', /submitting[^]*claimed[^]*held[^]*HELD_UNPROVEN/);
  await hands.press(page, /^Decide…/, '#order');
  await until(page, '#dialog-title', new RegExp(`^Decide about ${held}$`));
  expect(await page.locator('dialog input[name="as"]:checked').count()).toBe(0);
  expect(await page.locator('#do-it').isDisabled()).toBe(true);
  await hands.choose(page, /^It was paid/);
  await hands.press(page, /^Show what it will do/, 'dialog');
  await until(page, '#preview', /Reason[^]*fill it in/);
  await hands.write(page, /^Reason/, 'seen in the back office');
  await hands.press(page, /^Show what it will do/, 'dialog');
  await until(page, '#preview', world.notice);
  await until(page, '#preview', /never sent again/);
  await until(page, '#preview', new RegExp(`node \\. release ${held} --as paid --reason "seen`));
  await picture(page, `${name}-decide`);
  await hands.press(page, /^Do it$/, 'dialog');

  // then it waits no longer, and its life says who ended it
  await until(page, '#told', new RegExp(`Done: ${held} is paid now`));
  await until(page, '#todo', /1 waiting/);
  await until(page, '#order', /released as paid/);

  // when the dead letter is looked at: a redrive would not help, so it is thrown away by the command that is shown
  await hands.press(page, /^Redrive dead letters…/);
  await until(page, '#dialog-fields', /it would come straight back: mend it, or discard it/);
  expect(await page.locator('dialog input[name="message"]').isDisabled()).toBe(true);
  await hands.press(page, /^Leave it$/, 'dialog');
  const commands = (await page.locator('#todo details pre').allTextContents()).join('\n');
  const [, message = ''] = /node \. dlq discard --message (\S+) /.exec(commands) ?? [];
  const discarded = await world.payouts('dlq', 'discard', '--message', message, '--reason', 'a test of ours', '--yes');
  expect(discarded).toMatchObject({ code: 0 });
  await hands.press(page, /^Refresh$/);
  await until(page, '#todo', /^Nothing waits for a person\.$/);

  // then the batch stands by its states
  await hands.press(page, new RegExp(`^Show ${name}$`), '#batches');
  await until(page, '#batch', /5 of 5 rows processed/);
  await until(page, '#batch', /accepted2 rows20\.84 EUR/);
  await until(page, '#batch', /paid1 row10\.42 EUR/);
  await until(page, '#batch', /declined2 rows20\.84 EUR/);

  // when what failed is sent once more
  await hands.press(page, /^Retry what failed…/, '#batch');
  await until(page, '#dialog-title', new RegExp(`^Retry what failed of ${name}$`));
  await hands.write(page, /^File of the batch/, `${name}.csv`);
  await hands.choose(page, /^The warnings are looked at/);
  await hands.press(page, /^Show what it will do/, 'dialog');
  await until(page, '#preview', world.notice);
  await until(
    page,
    '#preview',
    /2 rows proven unpaid, 20\.84 EUR:[^]*2 GATEWAY_REFUSED[^]*not retried: 2 accepted, 1 paid/,
  );
  await until(page, '#preview', new RegExp(`node \\. retry ${name} ${name}.csv [^]*--accept all`));
  await picture(page, `${name}-retry`);
  await hands.press(page, /^Do it$/, 'dialog');
  await until(page, '#told', new RegExp(`^Done: [^]*batch ${name}-retry-\\w+: all 2 rows .* are on the queue`));
  await vi.waitFor(
    async () =>
      expect((await world.payouts('order', `acme-eu/${name}-4.validation-error-once`)).stdout).toContain(
        'now accepted',
      ),
    { timeout: 120_000, interval: 1_000 },
  );

  // then the books close: the batch by its states, its report as a file, and the terminal says the same
  const downloading = page.waitForEvent('download');
  await hands.press(page, /^Report \(CSV\)$/, '#batch');
  const download = await downloading;
  expect(download.suggestedFilename()).toBe(`${name}.csv`);
  const report = (await readFile(await download.path(), 'utf8')).trim().split('\n').slice(1);
  const statuses = report.map((line) => [line.split(',')[0], line.split(',')[2]]);
  expect(statuses).toEqual(endings.map((end, at) => [`${name}-${at + 1}${end}`, at < 4 ? 'accepted' : 'paid']));
  const closed = async () => {
    await page.getByRole('button', { name: 'Show batch', exact: true }).first().click();
    const text = async () => (await page.textContent('#batch')) ?? '';
    await expect
      .poll(text, { timeout: 5_000 })
      .toMatch(new RegExp(`Batch ${name}: closed[^]*accepted4 rows41\\.68 EUR`));
  };
  await vi.waitFor(closed, { timeout: 150_000 });
  await picture(page, `${name}-closed`);
  const { stdout } = await world.payouts('batch', name);
  expect(stdout).toContain('all rows and the total match the file; batch result published');
  expect(await world.payouts('todo')).toMatchObject({ code: 0, stdout: 'nothing waits for a person\n' });
  await close({ run, page });
  return { faults };
}

describe.each([
  ['an emulated stack, by mouse', stackWorld, byMouse, 'stack', 1280],
  ['a local run, by keyboard alone, as wide as a phone', localWorld, byKeyboard, 'local', 390],
] as const)('over %s', (_, start, hands, name, width) => {
  let world: ConsoleWorld;
  beforeAll(async () => void (world = await start(directory)));
  afterAll(() => world?.stop());

  it('a payday from the overview to the closed books', { timeout: 400_000 }, async () => {
    expect(await walkPayday(world, hands, name, width)).toEqual({ faults: [] });
  });
});

describe('a console over an emulated stack', () => {
  let world: ConsoleWorld;
  let run: RunningCli;
  let page: Page;

  beforeAll(async () => {
    world = await stackWorld(directory);
    await livePayday(world, 'looks');
    ({ run, page } = await open(world.console()));
  });

  afterAll(async () => {
    if (page) await close({ run, page });
    await world?.stop();
  });

  it('shows first what needs a person, then money and lanes, then batches', async () => {
    await until(page, '#stage', /^stage prod$/);
    await until(page, '#todo', /2 waiting/);
    await until(page, '#lanes', /acme-eu at 39915/);
    await until(page, '#batches', /looks/);
    expect(await page.locator('h2').allTextContents()).toEqual(
      expect.arrayContaining(['Needs a person', 'Money and lanes', 'Batches', 'One order']),
    );
    const refused = await page.evaluate('fetch("api/act", { method: "POST", body: "{}" }).then((it) => it.status)');
    expect(refused).toBe(415);
    faults.length = 0;
  });

  it.each([390, 768, 1280, 1920])('fits %i px, in the light and in the dark', async (width) => {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const overflow = 'document.documentElement.scrollWidth - window.innerWidth';
      expect(Number(await page.evaluate(overflow))).toBeLessThanOrEqual(0);
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('does nothing where it is read only, and shows part by part what AWS does not allow', async () => {
    const { run: looking, page: only } = await open(world.console('--read-only'));
    await until(only, '#stage', /^stage prod$/);
    await until(only, '#todo', /2 waiting/);
    await until(only, '#alarms', /^Not allowed\. AWS does not let you \(AccessDenied\)$/);
    expect(await only.locator('#read-only').isVisible()).toBe(true);
    expect(await only.getByRole('button', { name: /…$/ }).count()).toBe(0);
    const act = `fetch("api/act", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ act: "pause", given: { reason: "x" } }) }).then((it) => it.status)`;
    expect(await only.evaluate(act)).toBe(403);
    faults.length = 0;
    await close({ run: looking, page: only });
  });

  it('has a name for every control, and no fault in the browser', async () => {
    const unnamed = await page
      .locator('button, input, textarea, a')
      .evaluateAll((all) =>
        all
          .filter((it) => it.textContent === '' && !(it as unknown as { labels?: { length: number } }).labels?.length)
          .map((it) => it.id),
      );
    expect(unnamed).toEqual([]);
    expect(faults).toEqual([]);
  });
});
