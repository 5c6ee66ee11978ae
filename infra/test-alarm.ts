// `node infra/test-alarm.ts --stage prod`: is there somebody who hears the alarms? Looks for a confirmed subscriber and
// rings one alarm, which CloudWatch sets back by itself within a minute. By the AWS command line, as the runbook.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { optionOf, stageOf } from './arguments.ts';

/** Runs `aws` and resolves with what it prints. */
export type Aws = (args: readonly string[]) => Promise<string>;

interface Subscriptions {
  readonly Subscriptions?: readonly { readonly SubscriptionArn: string; readonly Protocol: string }[];
}

/** What was found and done, one sentence, and whether somebody hears. */
export interface Rung {
  readonly heard: boolean;
  readonly says: string;
}

/** Rings the alarm `held` of the stage, where there is somebody to hear it. */
export async function testAlarm(stage: string, aws: Aws): Promise<Rung> {
  const topic = await aws([
    'cloudformation',
    'describe-stack-resource',
    '--stack-name',
    `payouts-${stage}`,
    '--logical-resource-id',
    'OperatorTopic',
    '--query',
    'StackResourceDetail.PhysicalResourceId',
    '--output',
    'text',
  ]);
  const subscribed = await aws(['sns', 'list-subscriptions-by-topic', '--topic-arn', topic.trim(), '--output', 'json']);
  const { Subscriptions = [] } = JSON.parse(subscribed) as Subscriptions;
  const confirmed = Subscriptions.filter(({ SubscriptionArn }) => SubscriptionArn.startsWith('arn:'));
  if (confirmed.length === 0) {
    const pending = Subscriptions.length;
    const why =
      pending === 0 ? 'it has no subscriber' : `${pending} never confirmed: follow the link in the mail of AWS`;
    return { heard: false, says: `nobody hears the alarms of stage ${stage}: ${why}` };
  }
  await aws([
    'cloudwatch',
    'set-alarm-state',
    '--alarm-name',
    `payouts-${stage}-held`,
    '--state-value',
    'ALARM',
    '--state-reason',
    'A test: is this heard? Nothing has happened.',
  ]);
  const by = confirmed.map(({ Protocol }) => Protocol).join(', ');
  return { heard: true, says: `rang payouts-${stage}-held; ${confirmed.length} confirmed (${by}): ask them now` };
}

async function main(args: readonly string[]): Promise<number> {
  const region = optionOf(args, 'region');
  const aws: Aws = async (command) => {
    const where = region === undefined ? [] : ['--region', region];
    return (await promisify(execFile)('aws', [...command, ...where], { timeout: 60_000 })).stdout;
  };
  const { heard, says } = await testAlarm(stageOf(args), aws);
  process.stdout.write(`${says}\n`);
  return heard ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
