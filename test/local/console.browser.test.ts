// The local console in a real browser (Debian's Chromium): what a person sees and can do.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultSchedules } from '../../lib/local/gateway/fault-schedules.ts';
import { type LocalRun, runLocal } from '../../lib/local/local-run.ts';
import { launchBrowser } from '../support/browser.ts';
import { aPayoutJob } from '../support/jobs.ts';

/** A picture of the page for the README: PAYOUTS_SCREENSHOT=file. */
const screenshot = process.env['PAYOUTS_SCREENSHOT'];

describe('the console', () => {
  let directory = '';
  let run: LocalRun;
  let browser: Browser;
  let page: Page;
  let ordersSent = 0;
  const faults: string[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'payouts-console-'));
    const ids = Array.from({ length: screenshot === undefined ? 8 : 150 }, (_, index) => `INV-${index + 1}`);
    ordersSent = ids.length + 2;
    const jobs = [...ids, 'INV-odd.validation-error', 'INV-lost.stall-after'].map((orderId) =>
      JSON.stringify(aPayoutJob({ orderId })),
    );
    let url = '';
    run = await runLocal({
      jobs,
      resultsFile: join(directory, 'results.jsonl'),
      faults: 'none',
      onProgress: () => {},
      onConsole: (at) => (url = at),
      goesOn: true,
    });
    browser = await launchBrowser();
    page = await browser.newPage({ viewport: { width: 1200, height: 1500 } });
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    await page.goto(url);
  });

  afterAll(async () => {
    await browser?.close();
    await run?.close();
    await rm(directory, { recursive: true, force: true });
  });

  const textOf = async (selector: string) => (await page.textContent(selector)) ?? '';
  const until = async (selector: string, text: RegExp) => {
    await expect.poll(() => textOf(selector), { timeout: 30_000 }).toMatch(text);
  };

  it('shows the queues, and how many orders stand where', async () => {
    await until('#live', /^live at \d\d:\d\d:\d\d · \d+ requests at the gateway$/);
    // The job of the order in doubt is parked until that is known.
    await until('#queues', /jobs0/);
    await until('#legend', /accepted \d+/);
    await until('#legend', /declined 1/);
    await until('#legend', /in doubt 1/);
    // the terminal's own figures
    await until('#books', new RegExp(`: ${ordersSent} messages, ${ordersSent} orders, 0 dead letters`));
    expect(await textOf('#queues')).toContain('dead letters');
  });

  it('fits a phone: nothing is wider than the screen, and what is long scrolls by itself, by keyboard too', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    const overflow = Number(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth'));
    expect(overflow).toBeLessThanOrEqual(0);
    const regions = await page.locator('.scroll').evaluateAll((all) => all.map((it) => it.getAttribute('tabindex')));
    expect(regions).toEqual(['0']);
    if (screenshot !== undefined) await page.screenshot({ path: screenshot.replace('.png', '-phone.png') });
    await page.setViewportSize({ width: 1200, height: 1500 });
  });

  it("changes the gateway's mood, sends payouts and shows them flowing", async () => {
    // each of them is a switch
    const names = await page.locator('#faults input').evaluateAll((all) => all.map((it) => it.getAttribute('value')));
    expect(names).toEqual(Object.keys(faultSchedules));
    for (const name of ['outage', 'no-funds', 'duplicates-refused', 'late-status']) {
      await page.locator(`#faults input[value="${name}"]`).check();
      await until('#done', new RegExp(`is now: ${name}`));
    }
    await page.getByRole('radio', { name: /brownout/ }).check();
    await until('#done', /The simulated gateway is now: brownout/);
    await page.getByRole('radio', { name: /^none/ }).check();
    await until('#done', /The simulated gateway is now: none/);
    await page.getByLabel('New payouts').fill('3');
    await page.getByRole('button', { name: 'Send' }).click();
    await until('#done', /3 payouts are on the queue/);
    await until('#jobs', /acme-eu\/CON-[0-9a-f]{8}-1/);
    await expect.poll(() => page.locator('#chart rect').count(), { timeout: 30_000 }).toBeGreaterThan(0);
  });

  it('explains the signature part by part, by keyboard as well', async () => {
    expect((await textOf('#base-string')).startsWith('POST&https%3A%2F%2Fgate.example.com%2Fpaynet')).toBe(true);
    await page.locator('#base-string .uri').focus();
    await until('#part', /^https:\/\/gate\.example\.com\/paynet\/api\/v4\/payout\/39915$/);
    await page.locator('#base-string .value').nth(5).hover();
    await until('#part', /^Sent from the console$/);
    expect(await textOf('#signed')).toContain('OAuth oauth_consumer_key="acme-eu-login"');
  });

  it('has a label for every control, headings in order, and no fault in the browser', async () => {
    const unnamed = await page
      .locator('button, input')
      .evaluateAll((controls) =>
        controls
          .filter((it) => it.textContent === '' && !(it as unknown as { labels?: { length: number } }).labels?.length)
          .map((it) => it.id),
      );
    expect(unnamed).toEqual([]);
    expect(await page.locator('h1').count()).toBe(1);
    expect(await page.locator('h2').count()).toBe(5);
    if (screenshot !== undefined) {
      await page.getByRole('button', { name: 'Send' }).click();
      await page.waitForTimeout(6_000);
      await page.screenshot({ path: screenshot, fullPage: true });
    }
    expect(faults).toEqual([]);
  });
});
