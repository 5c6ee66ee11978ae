// Every page of the runbook, as somebody follows it at night: its commands word for word in a plain shell, `aws` being AWS's own
// command line and `payouts` the tool, against a stack in moto that `npm run deploy` has made. What moto does not know is
// still understood by the command line, and stands in a list with the reason.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { createDynamoDbBatches } from '../../lib/batches/dynamodb-batches.ts';
import { newBatch } from '../../lib/batches/batch.ts';
import { totalsOf } from '../../lib/batches/tally.ts';
import { createDynamoDbOrders } from '../../lib/aws/dynamodb-orders.ts';
import { sampleSecrets } from '../../lib/local/sample-merchants.ts';
import { aRow } from '../cli/support/ledger-with-batch.ts';
import { alarmPages, pageOf } from '../docs/pages.ts';
import { synthesized } from '../infra/synthesized.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { anOrder } from '../support/orders.ts';
import { deployToMoto, makeSecrets, type MotoStack, onlyMoto, queuesOfMoto } from './moto-stack.ts';
import { commandsOf, follow, type PageEnd, prepareWalk, type Walked } from './pages/walk.ts';
import { fakeCredentials } from './table.ts';

const [url, awsCli] = [inject('moto'), inject('awsCli')];
const packaged = url === null || awsCli === null ? undefined : await synthesized(['--stage', 'prod']);
const [, shellSetUp = ''] = commandsOf(pageOf('infra/docs/runbook/README.md').text, 'blocks');

/** How a command may end otherwise than well here, and why. */
const endsOtherwise: readonly { readonly words: RegExp; readonly code: number; readonly why: RegExp }[] = [
  // moto has none of these; that the command line sends them at all shows that it knows the command and its options, of which it
  // complains with 252.
  {
    words:
      /^aws (lambda get-(function-recursion-config|account-settings)|cloudtrail lookup-events|deploy stop-deployment|sqs start-message-move-task) /,
    code: 255,
    why: /An error occurred \((404|500)\) when calling the \w+ operation/,
  },
  // Policies of queues, alarms and loops that are allowed are not made by moto.
  { words: /^npx --no payouts doctor --stack /, code: 1, why: /^$/ },
  // Something needs a person.
  { words: /^npx --no payouts todo$/, code: 1, why: /^$/ },
  // Nobody sends canary orders here.
  {
    words: /^npx --no payouts order canary\//,
    code: 1,
    why: /^(the ledger has no order canary\/[^\n]*\n)?$/,
  },
  // Reads a request, and nobody has typed one.
  { words: /^npx --no payouts sign$/, code: 2, why: /standard input/ },
  // Its rows are open: nothing sends them here.
  { words: /^npx --no payouts batch /, code: 1, why: /^$/ },
  // Asks somebody, and here is nobody.
  { words: /^npx --no payouts dlq redrive --all$/, code: 2, why: /--yes/ },
  // What was said on another page stands; first it says whose money it touches.
  { words: /^npx --no payouts release /, code: 1, why: /^( {2}stage prod · acme-eu: live\n)?$/ },
  // Nobody has written any here.
  { words: /^npx --no payouts safeguards show /, code: 1, why: /^$/ },
  { words: /^npx --no payouts lanes (probe|resume) /, code: 1, why: /^  stage prod · acme-eu: live\n$/ },
];

describe.skipIf(!packaged)('the runbook', () => {
  let stack: MotoStack;
  let directory: string;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    stack = await deployToMoto({ url: url ?? '' }, 'prod');
    if (packaged) await makeSecrets(url ?? '', packaged.template);
    await stack.pauseMappings();
    directory = await mkdtemp(join(tmpdir(), 'payouts-runbook-'));
    env = {
      ...onlyMoto(url ?? ''),
      ...(await prepareWalk(directory, awsCli ?? '')),
      AWS_EC2_METADATA_DISABLED: 'true',
      XDG_CACHE_HOME: join(directory, '.cache'),
    };
    await somethingIsThere(await stack.environmentOf('payouts-prod-submit'));
  }, 500_000);

  /** What the pages speak of: a merchant, a held order, a batch, a dead letter. */
  async function somethingIsThere(settings: Readonly<Record<string, string>>): Promise<void> {
    const options = { region: 'eu-central-1', endpoint: url ?? '', credentials: fakeCredentials };
    const [client, sqs, secrets] = [
      new DynamoDBClient(options),
      new SQSClient(options),
      new SecretsManagerClient(options),
    ];
    const { 'acme-eu': secret } = await sampleSecrets({
      gatewayUrl: 'http://127.0.0.1:9',
      closedUrl: 'http://127.0.0.1:9',
    });
    await secrets.send(new CreateSecretCommand({ Name: 'payouts/prod/acme-eu', SecretString: JSON.stringify(secret) }));
    const nowMs = Date.now();
    const tables = {
      client,
      tableName: 'payouts-prod-ledger',
      itemLifeDays: 400,
      nowMs: () => nowMs,
      sleep: async () => {},
    };
    const orders = createDynamoDbOrders(tables);
    const doubt = { lapsed: { code: 'NO_ANSWER', message: 'reset' }, overdue: true } as const;
    for (const orderId of ['INV-1', 'INV-2026-000123'])
      await orders.put(anOrder({ orderId, attempt: { leaseUntilMs: nowMs, ...doubt } }));
    const batches = createDynamoDbBatches({ ...tables, tableName: 'payouts-prod-batches' });
    const rows = [aRow('INV-2026-000123')];
    const content = {
      batchId: '2026-11-payroll',
      fileHash: 'ab'.repeat(32),
      contentHash: '12',
      rows: 1,
      totals: totalsOf(rows),
    };
    await batches.register(newBatch({ ...content, merchant: 'acme-eu', by: 'ada', nowMs }));
    await batches.putPart('2026-11-payroll', 0, rows);
    await batches.finishUpload('2026-11-payroll', nowMs);
    const MessageBody = JSON.stringify(aPayoutJob({ orderId: 'DEAD-1' }));
    const QueueUrl = settings['DEAD_LETTER_QUEUE_URL'];
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: 'acme-eu' }));
    for (const it of [client, sqs, secrets]) it.destroy();
  }

  /** As `sh` gets it: the set-up of the shell first, with who one is on this machine in the place of a profile. */
  const setUp = () =>
    shellSetUp.replace('AWS_PROFILE=payouts-operator ', '').replace(/\nnpx --no payouts hold list$/, '');
  const followed = (script: string): Promise<PageEnd> =>
    follow(
      `${setUp()}\nnpx --no payouts settings --stage $STAGE > .settings\n${script}`.replaceAll(settingsLine, inMoto),
      {
        directory,
        env,
      },
    );

  /** The outputs name the queues of AWS: for the shell and for the tool they are moved to moto. */
  const settingsLine = /^ *(eval "\$\()?npx --no payouts settings .*$/gm;
  const inMoto = (line: string) =>
    `${line}\nsed -i 's#https://sqs[^/]*#${url}#g' .cache/payouts/*.json\n${/eval/.test(line) ? queuesOfMoto(url ?? '') : ''}`;

  const isMeant = ({ words, code, stderr }: Walked) =>
    code === 0 || endsOtherwise.some((it) => it.words.test(words) && it.code === code && it.why.test(stderr));

  it('sets the shell up by the outputs of the stack', async () => {
    const { code, stderr, stdout } = await followed(
      '\nnpx --no payouts hold list\neval "$(npx --no payouts settings --stage $STAGE)"\necho "$LEDGER_TABLE_NAME $SECRET_PREFIX $STAGE"',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('acme-eu/INV-2026-000123');
    expect(stdout).toContain('payouts-prod-ledger payouts/prod/ prod');
  });

  const pages = [...alarmPages].flatMap(([name, { text }]) => {
    const commands = commandsOf(text);
    return commands.length === 0 ? [] : [[name, commands] as const];
  });

  it('has commands on nearly every page', () => {
    expect(pages.length).toBeGreaterThan(25);
  });

  it.each(pages)('%s holds as it is written', { timeout: 180_000 }, async (_, commands) => {
    const end = await followed(`\n${commands.join('\n')}\n`);
    expect(end.commands.filter((it) => !isMeant(it))).toEqual([]);
    expect(end.stderr).not.toMatch(
      /parameter not set|unbound variable|command not found|[Uu]sage:|Unknown options|Invalid choice/,
    );
    expect(end.commands.length).toBeGreaterThanOrEqual(commands.length);
  });
});
