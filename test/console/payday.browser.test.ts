// The console in a real browser, as those who run payouts use it: a payday with two failures, one doubt and one dead letter, from
// Today to the closed books, by mouse and by keyboard alone, over an emulated stack and over a local run.
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { aBrowser, type ConsoleWorld, localWorld, stackWorld } from './support/console-world.ts';
import { aDirectory } from '../cli/support/files.ts';
import { byKeyboard, byMouse, type Hands } from './support/hands.ts';
import { ibanOf } from '../cli/support/ibans.ts';

const directory = aDirectory();
const endings = ['', '', '.validation-error-once', '.validation-error-once', '.stall-after'];
const paydayOf = (name: string) =>
  `order id,amount,currency,iban,bank,order_desc\n${endings
    .map((end, at) => `${name}-${at + 1}${end},10.42,EUR,${ibanOf(`${name} payee ${at}`)},Cool bank,Salary\n`)
    .join('')}`;

const { faults, open, close, until, picture, axeFinds } = aBrowser();

/** Sends the payday and a message that is no job, and waits until all has come to where it stays. */
async function livePayday({ payouts, send }: ConsoleWorld, name: string) {
  const file = await directory.file(`${name}.csv`, paydayOf(name));
  const of = ['--batch', name, '--operation', 'payout', '--merchant', 'acme-eu', '--endpoint', '39915'];
  expect(await payouts('submit', file, '--yes', '--accept', 'account', ...of)).toMatchObject({ code: 0 });
  await send({});
  const says = async (args: string[], what: string) => expect((await payouts(...args)).stdout).toContain(what);
  const often = { timeout: 120_000, interval: 1_000 };
  await vi.waitFor(() => says(['batch', name, '--json'], '"standing":"held"'), often);
  await vi.waitFor(() => says(['dlq', 'list'], 'INVALID_MESSAGE'), often);
}

/** From Today to the closed books. */
async function walkPayday(world: ConsoleWorld, hands: Hands, name: string, width: number) {
  // given a payday with two failures, one doubt and one dead letter, and a person who looks at it
  await livePayday(world, name);
  const held = `acme-eu/${name}-5.stall-after`;
  const { run, page } = await open(world.console(), { viewport: { width, height: 900 } });
  await until(page, '.stage', new RegExp(`^${world.stage}$`));
  await until(page, '.tiles', /held10\.42 EUR1 order/);
  await until(page, 'main', /Needs a person · 2/);
  await picture(page, `${name}-today`);

  // when the doubt is looked at, and decided for a reason
  await hands.press(page, /^Needs a person/, 'nav');
  await until(page, '.filters', /2 items/);
  await hands.row(page, /stall-after/);
  await until(page, 'h1', new RegExp(`^${held}$`));
  await until(page, 'main', /held[^]*10\.42 EUR[^]*claimed, to be sent[^]*What was seen/);
  await picture(page, `${name}-order`);
  await hands.press(page, /^Release/, 'main');
  await until(page, 'dialog.act', /10\.42 EUR[^]*acme-eu[^]*What was seen/);
  expect(await page.locator('dialog.act input:checked').count()).toBe(0);
  expect(await page.locator('button.confirm').isDisabled()).toBe(true);
  await hands.choose(page, /^It was paid/);
  await hands.press(page, /^Preview/, 'dialog.act');
  await until(page, '.preview', /Reason[^]*fill it in/);
  await hands.write(page, /^Reason/, 'seen in the back office');
  await hands.press(page, /^Preview/, 'dialog.act');
  await until(page, '.preview', /never sent again/);
  await until(page, '.where', world.notice);
  await until(page, '.preview', new RegExp(`node \\. release ${held} --as paid --reason "seen[^]*--seen`));
  expect(await axeFinds(page)).toEqual([]);
  await picture(page, `${name}-decide`);
  await hands.press(page, /^Confirm: paid$/, 'dialog.act');

  // then it waits no longer, its life says who ended it, and the focus is in the page
  await until(page, '.said', new RegExp(`${held} is paid now`));
  await until(page, 'main', /paid[^]*released as paid[^]*seen in the back office/);
  expect(await page.evaluate('document.activeElement.tagName')).not.toBe('BODY');

  // when the dead letter is looked at: sent again it would come back, so it is thrown away
  await hands.press(page, /^Dead letters/, 'nav');
  await hands.row(page, /^[0-9a-f]{8}-/);
  await until(page, 'main', /INVALID_MESSAGE[^]*Not now: it would come straight back: correct or discard it/);
  await picture(page, `${name}-letter`);
  await hands.press(page, /^Discard/, 'main');
  await hands.write(page, /^Reason/, 'a test of ours');
  await hands.press(page, /^Preview/, 'dialog.act');
  await until(page, '.preview', /node \. dlq discard --message \S+ --reason "a test of ours"/);
  await hands.press(page, /^Confirm: discard$/, 'dialog.act');
  await until(page, '.said', /its result says rejected/);
  await until(page, 'main', /no longer among the dead letters/);
  await hands.press(page, /^Needs a person/, 'nav');
  await until(page, 'main', /Nothing waits for a person\./);

  // then the batch has its money by state, and its payouts
  await hands.press(page, /^Batches/, 'nav');
  await hands.row(page, new RegExp(`^${name}`));
  await until(page, 'main', /5 of 5 payouts ended/);
  for (const line of ['accepted220.84 EUR', 'paid110.42 EUR', 'declined220.84 EUR'])
    await until(page, 'main', new RegExp(line.replaceAll('.', '\\.')));
  await until(page, 'table.payouts', new RegExp(`5${name}-5\\.stall-after10\\.42 EURpaid`));

  // when what failed is sent once more
  await hands.press(page, /^Retry/, 'main');
  await hands.write(page, /^File of the batch/, `${name}.csv`);
  await hands.choose(page, /^Confirm the warnings/);
  await hands.press(page, /^Preview/, 'dialog.act');
  await until(
    page,
    '.preview',
    /2 rows proven unpaid, 20\.84 EUR:[^]*2 GATEWAY_REFUSED[^]*not retried: 2 accepted, 1 paid/,
  );
  await until(page, '.where', world.notice);
  await until(page, '.preview', new RegExp(`node \\. retry ${name} ${name}.csv [^]*--accept all`));
  await picture(page, `${name}-retry`);
  await hands.press(page, /^Confirm: retry$/, 'dialog.act');
  await until(page, '.said', new RegExp(`batch ${name}-retry-\\w+: all 2 rows .* are on the queue`));
  const retried = `acme-eu/${name}-4.validation-error-once`;
  const says = async (args: string[], what: string) => expect((await world.payouts(...args)).stdout).toContain(what);
  await vi.waitFor(() => says(['order', retried], 'now accepted'), { timeout: 120_000, interval: 1_000 });

  // then the books close: the batch by its states, its report as a file, and the terminal says the same
  const downloading = page.waitForEvent('download');
  await hands.press(page, /^Report \(CSV\)$/, 'main');
  const download = await downloading;
  expect(download.suggestedFilename()).toBe(`${name}.csv`);
  const report = (await readFile(await download.path(), 'utf8')).trim().split('\n').slice(1);
  const statuses = report.map((line) => [line.split(',')[0], line.split(',')[2]]);
  expect(statuses).toEqual(endings.map((end, at) => [`${name}-${at + 1}${end}`, at < 4 ? 'accepted' : 'paid']));
  const closed = async () => {
    await hands.press(page, /^Refresh$/);
    const text = async () => (await page.textContent('main')) ?? '';
    await expect.poll(text, { timeout: 5_000 }).toMatch(new RegExp(`${name}closed[^]*accepted441\\.68 EUR`));
  };
  await vi.waitFor(closed, { timeout: 150_000 });
  await picture(page, `${name}-closed`);
  await says(['batch', name], 'count and money are those of the file; batch result published');
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

  it('a payday from Today to the closed books', { timeout: 400_000 }, async () => {
    expect(await walkPayday(world, hands, name, width)).toEqual({ faults: [] });
  });
});
