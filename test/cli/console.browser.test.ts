// The console in a real browser (Debian's Chromium), as those who run payouts use it: a payday with two failures, one doubt and
// one dead letter, from the overview to the closed books, by mouse over an emulated stack and by keyboard over a local run.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { clientConfigOf } from '../../lib/local/local-environment.ts';
import { startLocalGateway } from '../../lib/local/local-gateway.ts';
import { startSampleGateway } from './support/sample-world.ts';
import { startWorkerProcess, type WorkerProcess } from '../../lib/local/worker-process.ts';
import { type EmulatedStack, startEmulatedStack } from '../support/emulated-stack.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { type RunningCli, runCli, startCli } from './support/cli.ts';
import { aDirectory } from './support/files.ts';
import { ibanOf } from './support/ibans.ts';

const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((file) => existsSync(file));
if (!program) process.stdout.write('the tests of the console in a browser are skipped: no Chromium is installed\n');
const flags = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-sync'];
/** Pictures to look at: PAYOUTS_SCREENSHOTS=folder. */
const pictures = process.env['PAYOUTS_SCREENSHOTS'];

const directory = aDirectory();
const endings = ['', '', '.validation-error', '.validation-error', '.stall-after'];
const rows = endings.map((end, at) => `PAY-${at + 1}${end},10.42,EUR,${ibanOf(`payee ${at}`)},Cool bank,Salary`);
const payday = `order id,amount,currency,iban,bank,order_desc\n${rows.join('\n')}\n`;
const held = 'acme-eu/PAY-5.stall-after';

let browser: Browser;
const faults: string[] = [];
beforeAll(async () => {
  if (program) browser = await chromium.launch({ executablePath: program, args: flags });
});
afterAll(() => browser?.close());

/** The address that the command prints. */
async function addressOf(run: RunningCli): Promise<string> {
  await vi.waitFor(() => expect(run.stdout()).toMatch(/\/\?token=\S+/), { timeout: 60_000 });
  return /http:\/\/127\.0\.0\.1:\d+\/\?token=\S+/.exec(run.stdout())?.[0] ?? '';
}

async function pageAt(url: string, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  await page.goto(url);
  return page;
}

const until = async (page: Page, selector: string, text: RegExp) => {
  await expect.poll(async () => (await page.textContent(selector)) ?? '', { timeout: 30_000 }).toMatch(text);
};

/** Sends the payday and a message that is no job, and waits until all has come to where it stays. */
async function livePayday(payouts: (...args: string[]) => ReturnType<typeof runCli>, sendJunk: () => Promise<void>) {
  const file = await directory.file('payday.csv', payday);
  const of = ['--batch', 'payday', '--operation', 'payout', '--merchant', 'acme-eu', '--endpoint', '39915'];
  const submitted = await payouts('submit', file, '--yes', '--accept', 'account', ...of);
  expect(submitted).toMatchObject({ code: 0 });
  await sendJunk();
  const says = async (args: string[], what: string) => expect((await payouts(...args)).stdout).toContain(what);
  const often = { timeout: 90_000, interval: 1_000 };
  await vi.waitFor(() => says(['batch', 'payday', '--json'], '"ended":5'), often);
  await vi.waitFor(() => says(['dlq', 'list'], 'INVALID_MESSAGE'), often);
}

describe.skipIf(!program)('over an emulated stack, by mouse', () => {
  let stack: EmulatedStack;
  let gateway: Awaited<ReturnType<typeof startLocalGateway>>;
  let worker: WorkerProcess;
  let env: Record<string, string>;
  let run: RunningCli;
  let page: Page;
  let address = '';
  const payouts = (...args: string[]) => runCli([...args, '--stage', 'prod'], { env });

  beforeAll(async () => {
    stack = await startEmulatedStack('prod');
    gateway = await startSampleGateway(stack.aws);
    worker = startWorkerProcess(stack.environment, { logFile: join(directory.path(), 'worker.log') });
    env = { ...stack.shell, XDG_CACHE_HOME: join(directory.path(), 'cache') };
    await livePayday(payouts, async () => {
      const sqs = new SQSClient(clientConfigOf(stack.aws, 'SQS'));
      await sqs.send(new SendMessageCommand({ QueueUrl: stack.aws.queueUrls.jobs, MessageBody: '{}' }));
      sqs.destroy();
    });
    run = startCli(['console', '--stage', 'prod'], { env });
    address = await addressOf(run);
    page = await pageAt(address);
  }, 240_000);

  afterAll(async () => {
    await page?.close();
    run?.child.kill('SIGINT');
    await run?.ended;
    await worker?.stop();
    await gateway?.simulator.close();
    await stack?.close();
  });

  it('serves its address once, to this machine and its own page alone', async () => {
    expect((await fetch(address)).status).toBe(403);
    const { origin } = new URL(address);
    expect((await fetch(`${origin}/api/overview`)).status).toBe(403);
    expect((await fetch(`${origin}/api/overview`, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
    expect(page.url()).toBe(`${origin}/`);
  });

  it('shows first what needs a person, then money and lanes, then batches', async () => {
    await until(page, '#stage', /^stage prod$/);
    await until(page, '#todo', /2 waiting/);
    await until(page, '#todo', /PAY-5\.stall-after[^]*10\.42 EUR[^]*NO_ANSWER/);
    await until(page, '#todo', /Dead letter[^]*INVALID_MESSAGE/);
    await until(page, '#money', /in doubt[^]*10\.42 EUR/);
    await until(page, '#lanes', /acme-eu at 39915/);
    await until(page, '#batches', /payday/);
    expect(await page.locator('h2').allTextContents()).toEqual(
      expect.arrayContaining(['Needs a person', 'Money and lanes', 'Batches', 'One order']),
    );
    const refused = await page.evaluate('fetch("/api/act", { method: "POST", body: "{}" }).then((it) => it.status)');
    expect(refused).toBe(415);
    faults.length = 0;
  });

  it.each([390, 768, 1280, 1920])('fits %i px, in the light and in the dark', async (width) => {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const overflow = 'document.documentElement.scrollWidth - window.innerWidth';
      expect(Number(await page.evaluate(overflow))).toBeLessThanOrEqual(0);
      if (pictures)
        await page.screenshot({ path: join(pictures, `overview-${width}-${colorScheme}.png`), fullPage: true });
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('tells the life of an order, and asks for a reason before it decides, with both ways out', async () => {
    await page.getByRole('button', { name: 'Show order' }).first().click();
    await until(page, '#order', /submitting[^]*claimed[^]*held[^]*NO_ANSWER/);
    await page.locator('#order').getByRole('button', { name: 'Decide…' }).click();
    expect(await page.locator('dialog input[name="as"]:checked').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Do it' }).isDisabled()).toBe(true);
    await page.getByRole('radio', { name: /^It was paid/ }).check();
    await page.getByRole('button', { name: 'Show what it will do' }).click();
    await until(page, '#preview', /say why, in your own words/);
    await page.getByLabel(/^Reason/).fill('seen in the back office');
    await page.getByRole('button', { name: 'Show what it will do' }).click();
    await until(page, '#preview', /stage prod, acme-eu: live[^]*never sent again/);
    await until(
      page,
      '#preview',
      new RegExp(`npx --no payouts release ${held.replaceAll('.', '\\.')} --as paid --reason "seen`),
    );
    if (pictures) await page.screenshot({ path: join(pictures, 'decide-1280.png') });
    await page.getByRole('button', { name: 'Do it' }).click();
    await until(page, '#told', /Done: acme-eu\/PAY-5\.stall-after is paid now/);
    await until(page, '#todo', /1 waiting/);
    await until(page, '#order', /released as paid/);
  });

  it('pauses a lane and lets it go on', async () => {
    await page.getByRole('button', { name: 'Pause acme-eu at 39915…' }).click();
    await page.getByLabel(/^Reason/).fill('the acquirer asks for an hour');
    await page.getByRole('button', { name: 'Show what it will do' }).click();
    await until(page, '#preview', /npx --no payouts lanes pause acme-eu --endpoint 39915/);
    await page.getByRole('button', { name: 'Do it' }).click();
    await until(page, '#lanes', /paused by .*the acquirer asks for an hour/);
    await page.getByRole('button', { name: 'Resume acme-eu at 39915…' }).click();
    await page.getByLabel(/^Reason/).fill('the hour is over');
    await page.getByRole('button', { name: 'Show what it will do' }).click();
    await page.getByRole('button', { name: 'Do it' }).click();
    await until(page, '#lanes', /^acme-eu at 39915open/);
    expect(await page.textContent('#told')).toBe('Done: acme-eu at 39915: resumed');
  });

  it('shows what a redrive would do, and redrives nothing that would come straight back', async () => {
    await page.getByRole('button', { name: 'Redrive dead letters…' }).click();
    await until(page, '#dialog-fields', /it would come straight back: mend it, or discard it/);
    expect(await page.locator('dialog input[name="message"]').isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Leave it' }).click();
  });

  it('closes the books: the batch by its states, its report as a file, and the terminal says the same', async () => {
    await page.getByRole('button', { name: 'Show payday' }).click();
    await until(page, '#batch', /5 of 5 rows processed/);
    await until(page, '#batch', /accepted2 rows20\.84 EUR/);
    await until(page, '#batch', /paid1 row10\.42 EUR/);
    await until(page, '#batch', /declined2 rows20\.84 EUR/);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Report (CSV)' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('payday.csv');
    if (pictures) await page.screenshot({ path: join(pictures, 'batch-1280.png'), fullPage: true });
    const { stdout } = await payouts('batch', 'payday');
    for (const state of ['accepted', 'paid', 'declined']) expect(stdout).toContain(state);
    const todo = await payouts('todo');
    expect(todo.code).toBe(1);
    expect(todo.stdout).toContain('INVALID_MESSAGE');
    expect(todo.stdout).not.toContain('PAY-5');
  });

  it('does nothing where it is read only, and shows part by part what AWS does not allow', async () => {
    const looking = startCli(['console', '--read-only', '--stage', 'prod'], { env });
    const only = await pageAt(await addressOf(looking));
    await until(only, '#stage', /^stage prod$/);
    await until(only, '#todo', /1 waiting/);
    await until(only, '#alarms', /^Not allowed\. AWS does not let you \(AccessDenied\)$/);
    expect(await only.locator('#read-only').isVisible()).toBe(true);
    expect(await only.getByRole('button', { name: /…$/ }).count()).toBe(0);
    const act = `fetch("/api/act", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ kind: "pause", reason: "x" }) }).then((it) => it.status)`;
    expect(await only.evaluate(act)).toBe(403);
    faults.length = 0;
    await only.close();
    looking.child.kill('SIGINT');
    expect(await looking.ended).toMatchObject({ code: 0, stderr: '' });
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

describe.skipIf(!program)('over a local run, by keyboard alone', () => {
  it('from what needs a person to the end of the doubt', async () => {
    // given a local run that is kept, and its payday
    const jobs = await directory.file('first.jsonl', JSON.stringify(aPayoutJob({ orderId: 'FIRST' })));
    const kept = startCli(['local', jobs, '--keep', '--json', '--results', join(directory.path(), 'kept', 'r.jsonl')]);
    await expect.poll(() => kept.stdout(), { timeout: 60_000 }).toContain('\n');
    const { environment, operatorUrl } = JSON.parse(kept.stdout()) as {
      environment: Record<string, string>;
      operatorUrl: string;
    };
    await livePayday(
      (...args) => runCli(args, { env: environment }),
      async () => {
        const sqs = new SQSClient({
          endpoint: environment['AWS_ENDPOINT_URL_SQS'] ?? '',
          region: environment['AWS_REGION'] ?? '',
          credentials: { accessKeyId: 'fake', secretAccessKey: 'fake' },
        });
        await sqs.send(new SendMessageCommand({ QueueUrl: environment['JOBS_QUEUE_URL'] ?? '', MessageBody: '{}' }));
        sqs.destroy();
      },
    );
    const page = await pageAt(operatorUrl, { viewport: { width: 390, height: 844 } });
    await until(page, '#stage', /^local run$/);
    await until(page, '#todo', /2 waiting/);
    await until(page, '#local', /faults of the simulated gateway/);

    // when a person goes there by Tab alone, decides, and says why
    const focused = () => page.evaluate('document.activeElement.textContent.trim()') as Promise<string>;
    const tabTo = async (name: RegExp) => {
      for (let at = 0; at < 60; at += 1) {
        await page.keyboard.press('Tab');
        if (name.test(await focused())) return;
      }
      throw new Error(`nothing called ${name} is reached by Tab`);
    };
    await tabTo(/^Skip to/);
    await page.keyboard.press('Enter');
    await tabTo(/^Decide…/);
    await page.keyboard.press('Enter');
    await until(page, '#dialog-title', /Decide about acme-eu\/PAY-5/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    expect(await page.locator('input[value="paid"]').isChecked()).toBe(true);
    for (let at = 0; at < 3; at += 1) await page.keyboard.press('Tab');
    await page.keyboard.type('seen in the back office');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await until(page, '#preview', /release acme-eu\/PAY-5\.stall-after --as paid/);
    if (pictures) await page.screenshot({ path: join(pictures, 'decide-390.png') });
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Do it');
    await page.keyboard.press('Enter');

    // then the doubt has ended, and the ledger says who ended it
    await until(page, '#told', /Done: acme-eu\/PAY-5\.stall-after is paid now/);
    await until(page, '#todo', /1 waiting/);
    if (pictures) await page.screenshot({ path: join(pictures, 'done-390.png'), fullPage: true });
    const { stdout } = await runCli(['order', held], { env: environment });
    expect(stdout).toContain('released as paid');
    expect(faults).toEqual([]);
    await page.close();
    kept.child.kill('SIGINT');
    await kept.ended;
  }, 240_000);
});
