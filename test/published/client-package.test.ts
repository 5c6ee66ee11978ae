// The package as a stranger has it: packed, installed without a network, compiled against, and its pages' examples
// run against the embedded queues, with the worker as it ships between them.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ReceiveMessageCommand, SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildClientPackage } from '../../infra/client-package.ts';
import { contracts } from '../../infra/contracts/contracts.ts';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import type { GatewaySimulator } from '../../lib/local/gateway/simulator.ts';
import { clientConfigOf, workerEnvironment } from '../../lib/local/local-environment.ts';
import { startLocalGateway } from '../../lib/local/local-gateway.ts';
import { localWorkerLimits } from '../../lib/local/local-limits.ts';
import { queueDepth } from '../../lib/aws/sqs-event-source.ts';
import { takeMessages } from '../../lib/local/queue-reader.ts';
import { putMerchants, sampleSecrets, workerSecret } from '../../lib/local/sample-merchants.ts';
import { runCli } from '../cli/support/cli.ts';
import { blocksOf } from '../docs/pages.ts';

const repository = join(import.meta.dirname, '../..');
const run = promisify(execFile);
let project: string;
let packed: string;
let tarball: string;

/** The TypeScript examples of the pages: that of card data. */
const examples = blocksOf('ts').map(({ block }) => block);

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'payouts-consumer-'));
  ({ directory: packed } = await buildClientPackage(join(project, 'packed')));
  const { stdout } = await run('npm', ['pack', '--pack-destination', project], { cwd: packed });
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'stranger', private: true, type: 'module' }));
  tarball = join(project, stdout.trim());
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--no-save', tarball], { cwd: project });
  // What the stranger has of their own.
  for (const name of ['@aws-sdk/client-sqs', '@aws-sdk/client-dynamodb', '@types/node']) {
    await mkdir(join(project, 'node_modules', name, '..'), { recursive: true });
    await symlink(join(repository, 'node_modules', name), join(project, 'node_modules', name));
  }
});

afterAll(() => rm(project, { recursive: true, force: true }));

/** What the compiler says of these files, strictly. */
async function compiled(files: Readonly<Record<string, string>>, options: object = {}): Promise<string> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(project, name), text);
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2024',
    strict: true,
    noEmit: true,
    types: ['node'],
    ...options,
  };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(files) }));
  return run(join(repository, 'node_modules/.bin/tsc'), ['-p', project]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}

describe('the package', () => {
  it('depends on nothing, and can not be published by mistake: only under a name that somebody gives', async () => {
    const manifest = JSON.parse(await readFile(join(packed, 'package.json'), 'utf8'));
    expect(manifest).toMatchObject({ name: 'payouts-client', private: true });
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('bin');
  });

  it('is published under a name that is given, from where its source is', async () => {
    const repository = 'git+https://git.example.com/acme/payouts.git';
    const { directory } = await buildClientPackage(join(project, 'acme'), { name: '@acme/payouts-client', repository });
    const manifest = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
    expect(manifest).not.toHaveProperty('private');
    expect(manifest).toMatchObject({
      name: '@acme/payouts-client',
      license: 'MIT',
      repository: { type: 'git', url: repository },
      publishConfig: { access: 'restricted', provenance: true },
    });
    expect(await readFile(join(directory, 'README.md'), 'utf8')).toContain("from '@acme/payouts-client/producer'");
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json'], { cwd: directory });
    const [{ files }] = JSON.parse(stdout) as [{ files: readonly { path: string }[] }];
    const names = files.map(({ path }) => path).filter((path) => !path.startsWith('types/'));
    expect(names).toEqual([
      'LICENCES.txt',
      'LICENSE',
      'README.md',
      'card-keys.js',
      'consumer.js',
      'contracts/batch-result.schema.json',
      'contracts/job.schema.json',
      'contracts/merchant-contract.schema.json',
      'contracts/merchant-keys.schema.json',
      'contracts/result.schema.json',
      'contracts/worker-secret.schema.json',
      'package.json',
      'producer.js',
    ]);
  });

  it('is found to be in order by publint and by arethetypeswrong', async () => {
    const tool = (name: string, ...args: string[]) =>
      run(process.execPath, [join(repository, 'node_modules', name), ...args], { cwd: packed }).then(
        () => 'in order',
        ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
      );
    expect(await tool('publint/src/cli.js', '--strict', packed)).toBe('in order');
    expect(await tool('@arethetypeswrong/cli/dist/index.js', tarball, '--profile', 'esm-only')).toBe('in order');
  });

  it('brings the licences of what is compiled into it', async () => {
    const licences = await readFile(join(packed, 'LICENCES.txt'), 'utf8');
    expect([...licences.matchAll(/^(\S+) \d+\.\d+\.\d+$/gm)].map(([, name]) => name)).toEqual([
      'ibantools',
      'jose',
      'valibot',
    ]);
    expect(licences.match(/^Permission is hereby granted/gm)).toHaveLength(3);
  });

  it('holds the contracts', async () => {
    const script = `const job = await import('payouts-client/contracts/job.schema.json', { with: { type: 'json' } });
      console.log(job.default.title)`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: project });
    expect(stdout).toBe('Job\n');
  });

  it('has types of its own alone: a reader of results needs neither the SDK nor Node for them', async () => {
    const reader = `import { parseResult, placeOf, type Result, type FailureCode } from 'payouts-client/consumer';
      const read = parseResult('{}');
      export const status: Result['status'] | undefined = read.kind === 'result' ? read.result.status : undefined;
      export const place: { subject: string; revision: number } = placeOf({ resultId: 'a/b/1', revision: 1 });
      export const code: FailureCode = 'NO_ANSWER';`;
    expect(await compiled({ 'reader.ts': reader }, { types: [], skipLibCheck: false })).toBe('');
  });

  it.each([
    ['a misspelt param', "params: { amount: '1', currency: 'EUR', acount_number: 'x' }", 'acount_number'],
    ['an amount that is a number', "params: { amount: 1, currency: 'EUR' }", "'number' is not assignable"],
    ['no currency', "params: { amount: '1' }", "'currency' is missing"],
    ["another operation's field", "params: { amount: '1', currency: 'EUR', cvv2: '737' }", 'cvv2'],
  ])('lets the compiler find %s', async (_what, params, told) => {
    const wrong = `import type { JobOf } from 'payouts-client/producer';
      export const job: JobOf<'payout'> = { version: 1, operation: 'payout', merchant: 'm', endpointId: '1', orderId: '1',
        ${params} };`;
    expect(await compiled({ 'wrong.ts': wrong }, { skipLibCheck: true })).toContain(told);
  });
});

describe('the examples of the pages', () => {
  let aws: EmbeddedAws;
  let gateway: GatewaySimulator;
  let sqs: SQSClient;
  let env: Record<string, string>;

  beforeAll(async () => {
    aws = await startEmbeddedAws({ visibilityTimeoutSeconds: 60 });
    const local = await startLocalGateway('none', (url) => sampleSecrets({ gatewayUrl: url, closedUrl: url }));
    gateway = local.simulator;
    putMerchants(aws.secrets, local.secrets);
    aws.secrets.put('payouts/_worker', workerSecret());
    await aws.registered();
    sqs = new SQSClient(clientConfigOf(aws, 'SQS'));
    env = workerEnvironment(aws, localWorkerLimits.environment);
  });

  afterAll(async () => {
    sqs.destroy();
    await gateway.close();
    await aws.close();
  });

  it("are three with those of the package's own README, and compile", async () => {
    const readme = await readFile(join(packed, 'README.md'), 'utf8');
    const own = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, it]) => it);
    const [card = '', producer = '', consumer = '', ...others] = [...examples, ...own];
    expect(others).toEqual([]);
    const files = { 'producer.ts': producer, 'consumer.ts': consumer, 'card.ts': card };
    expect(await compiled(files, { skipLibCheck: false })).toBe('');
  });

  it('seal a card and have it charged, the CVV included; what lay on the queue shows nothing of it', async () => {
    // given the keys that senders are given
    expect(await runCli(['card-keys', 'new'], { env })).toMatchObject({ code: 0 });
    const { stdout: jwks } = await runCli(['card-keys', 'jwks'], { env });
    await writeFile(join(project, 'card-keys.json'), jwks);

    // when
    const example = await run(process.execPath, ['card.ts'], { cwd: project, env: { ...env, PATH: '' } });
    expect(example.stdout).toBe('1 sealed and sent\n');
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: aws.queueUrls.jobs, VisibilityTimeout: 0 }),
    );
    expect(Messages[0]?.Body).not.toMatch(/4111111111111111|cvv2|JANE DOE/);

    // then
    expect(await runCli(['worker', '--once'], { env })).toMatchObject({ code: 0 });
    const paid = gateway.orders().map(({ clientOrderId, accepted }) => [clientOrderId, accepted]);
    expect(paid).toContainEqual(['TRF-2026-000042', true]);
    const results = await takeMessages(sqs, aws.queueUrls.results, 1);
    expect(results.map(({ Body = '' }) => JSON.parse(Body))).toMatchObject([{ status: 'accepted' }]);
  });

  it('send a job, have it paid, and read what became of it, each thing once', async () => {
    const example = (name: string) => run(process.execPath, [join(project, name)], { env: { ...env, PATH: '' } });
    expect((await example('producer.ts')).stdout).toBe('1 sent\n');

    expect(await runCli(['worker', '--once'], { env })).toMatchObject({ code: 0 });
    const paid = gateway.orders().map(({ clientOrderId, accepted }) => [clientOrderId, accepted]);
    expect(paid).toContainEqual(['INV-2026-000123', true]);

    // The second revision is there; now the third, the first once more, and what is no result.
    const [accepted, approved] = contracts.result.examples;
    const bodies = [JSON.stringify(approved), JSON.stringify(accepted), JSON.stringify(approved), 'paid!'];
    const Entries = bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody }));
    await sqs.send(new SendMessageBatchCommand({ QueueUrl: aws.queueUrls.results, Entries }));
    expect((await example('consumer.ts')).stdout).toBe('acme-eu/INV-2026-000123 approved\n');
    expect(await queueDepth(sqs, aws.queueUrls.results)).toBe(1);
  });
});
