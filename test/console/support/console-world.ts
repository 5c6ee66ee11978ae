// Where a console is tried: real commands, a real worker and a real browser, over an emulated stack or over a local run.
import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, vi } from 'vitest';
import { startWorkerProcess } from '../../../lib/local/worker-process.ts';
import { launchBrowser } from '../../support/browser.ts';
import { startEmulatedStack } from '../../support/emulated-stack.ts';
import { aPayoutJob } from '../../support/jobs.ts';
import { type CliEnd, type RunningCli, runCli, startCli } from '../../cli/support/cli.ts';
import type { aDirectory } from '../../cli/support/files.ts';
import { startSampleGateway } from '../../cli/support/sample-world.ts';
import { putMerchant } from '../../support/merchant-secrets.ts';

type Directory = ReturnType<typeof aDirectory>;
type Environment = Readonly<Record<string, string>>;

/** A place where payouts are made: its commands, its queue of jobs, and its consoles. */
export interface ConsoleWorld {
  readonly stage: string;
  /** What is told before money of acme-eu is touched. */
  readonly notice: RegExp;
  /** All settings, for what a story lays into the tables itself. */
  readonly environment: Environment;
  payouts(...args: string[]): Promise<CliEnd>;
  /** Sends a message to the queue of jobs. */
  send(body: object): Promise<void>;
  console(...args: string[]): RunningCli;
  /** The same as the second operator, who alone may approve; over a stack. */
  consoleOfSecond(...args: string[]): RunningCli;
  stop(): Promise<void>;
}

async function sendTo(environment: Environment, body: object): Promise<void> {
  const sqs = new SQSClient({
    endpoint: environment['AWS_ENDPOINT_URL_SQS'] ?? '',
    region: environment['AWS_REGION'] ?? '',
    credentials: { accessKeyId: 'fake', secretAccessKey: 'fake' },
  });
  const QueueUrl = environment['JOBS_QUEUE_URL'] ?? '';
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(body) }));
  sqs.destroy();
}

/** A deployed stack on this machine; its merchants' money is live. `secrets` are beside those of the sample. */
export async function stackWorld(
  directory: Directory,
  secrets: Readonly<Record<string, object>> = {},
): Promise<ConsoleWorld & { readonly aws: Awaited<ReturnType<typeof startEmulatedStack>>['aws'] }> {
  const stack = await startEmulatedStack('prod');
  const gateway = await startSampleGateway(stack.aws);
  for (const [name, secret] of Object.entries(secrets)) putMerchant(stack.aws.secrets, name, secret);
  const logFile = join(directory.path(), 'worker.log');
  const worker = startWorkerProcess(stack.environment, { logFile, args: ['--sweep-seconds', '5'] });
  const env = { ...stack.shell, XDG_CACHE_HOME: await mkdtemp(join(directory.path(), 'cache-')) };
  const cwd = directory.path();
  const console = (more: Environment, args: readonly string[]) =>
    startCli(['console', ...args, '--stage', 'prod'], { env: { ...env, ...more }, cwd });
  return {
    stage: 'stage prod',
    notice: /^stage prod · acme-eu: live/,
    aws: stack.aws,
    environment: stack.environment,
    payouts: (...args) => runCli([...args, '--stage', 'prod'], { env, cwd }),
    send: (body) => sendTo(stack.environment, body),
    console: (...args) => console({}, args),
    consoleOfSecond: (...args) => console(stack.aws.secondOperator, args),
    async stop() {
      await worker.stop();
      await gateway.simulator.close();
      await stack.close();
    },
  };
}

/** `payouts local --keep`, after one job. */
export async function localWorld(directory: Directory): Promise<ConsoleWorld> {
  const jobs = await directory.file('first.jsonl', JSON.stringify(aPayoutJob({ orderId: 'FIRST' })));
  const kept = startCli(['local', jobs, '--keep', '--json', '--results', join(directory.path(), 'kept', 'r.jsonl')]);
  await vi.waitFor(() => expect(kept.stdout()).toContain('\n'), { timeout: 60_000 });
  const { environment: env } = JSON.parse(kept.stdout()) as { readonly environment: Record<string, string> };
  const cwd = directory.path();
  const console = (args: readonly string[]) => startCli(['console', ...args], { env, cwd });
  return {
    stage: 'local run',
    notice: /^local run/,
    environment: env,
    payouts: (...args) => runCli(args, { env, cwd }),
    send: (body) => sendTo(env, body),
    console: (...args) => console(args),
    consoleOfSecond: (...args) => console(args),
    async stop() {
      kept.child.kill('SIGINT');
      await kept.ended;
    },
  };
}

/** A page of a console, and its command. */
export interface OpenConsole {
  readonly run: RunningCli;
  readonly page: Page;
  readonly address: string;
}

const axe = readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Pictures to look at: PAYOUTS_SCREENSHOTS=folder. */
const pictures = process.env['PAYOUTS_SCREENSHOTS'];

/** The browser of a file of stories; `faults` are what its pages have complained of. */
export function aBrowser() {
  let browser: Browser;
  const faults: string[] = [];
  beforeAll(async () => void (browser = await launchBrowser()));
  afterAll(() => browser?.close());
  return {
    faults,
    /** Opens the address that the command prints. */
    async open(run: RunningCli, options: Parameters<Browser['newPage']>[0] = {}): Promise<OpenConsole> {
      await vi.waitFor(() => expect(run.stdout()).toMatch(/\/\?token=\S+/), { timeout: 60_000 });
      const address = /http:\/\/127\.0\.0\.1:\d+\/\S+\/\?token=\S+/.exec(run.stdout())?.[0] ?? '';
      const page = await browser.newPage({
        viewport: { width: 1280, height: 900 },
        reducedMotion: 'reduce',
        ...options,
      });
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
      await page.goto(address);
      return { run, page, address };
    },
    async close({ run, page }: Pick<OpenConsole, 'run' | 'page'>): Promise<void> {
      await page.close();
      run.child.kill('SIGINT');
      // A letter that was thrown away is told in the log of the command.
      const { code, stderr } = await run.ended;
      expect([code, stderr.replaceAll(/^.*"dead-letter-discarded".*\n/gm, '')]).toEqual([0, '']);
    },
    /** Waits until a part of the page says this. */
    async until(page: Page, selector: string, text: RegExp): Promise<void> {
      await expect.poll(async () => (await page.textContent(selector)) ?? '', { timeout: 60_000 }).toMatch(text);
    },
    /** What axe finds wrong, by the rules of WCAG AA and its best practice. */
    async axeFinds(page: Page): Promise<readonly string[]> {
      await page.evaluate(await axe);
      const rules = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'];
      const found = await page.evaluate<{ violations: readonly { id: string; nodes: readonly { html: string }[] }[] }>(
        `axe.run(document, { runOnly: ${JSON.stringify(rules)} })`,
      );
      return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    },
    /** In the light and in the dark, as wide as a phone and as a desk. */
    async picture(page: Page, name: string): Promise<void> {
      if (pictures === undefined) return;
      const size = page.viewportSize();
      for (const width of [390, 1280])
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.setViewportSize({ width, height: 900 });
          await page.emulateMedia({ colorScheme });
          await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`), fullPage: true });
        }
      await page.emulateMedia({ colorScheme: 'light' });
      if (size) await page.setViewportSize(size);
    },
  };
}
