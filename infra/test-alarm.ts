// `node infra/test-alarm.ts --stage prod`: does somebody receive the alarms? Looks for a confirmed subscriber and
// rings one alarm, which CloudWatch sets back by itself within a minute. By the AWS command line, as the runbook.
import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';

/** Runs `aws` and resolves with its output. */
export type Aws = (args: readonly string[]) => Promise<string>;

interface Subscriptions {
  readonly Subscriptions?: readonly { readonly SubscriptionArn: string; readonly Protocol: string }[];
}

/** The finding in one sentence, and whether a subscriber receives alarms. */
export interface Rung {
  readonly heard: boolean;
  readonly says: string;
}

/** An alarm per topic that may ring without harm; CloudWatch sets it back by itself within a minute. */
const rings = { PageTopic: 'function-errors', TicketTopic: 'held' } as const;

/** Rings an alarm of each topic of the stage, where somebody receives it. */
export async function testAlarm(stage: string, aws: Aws): Promise<Rung> {
  const said: Rung[] = [];
  for (const [topic, alarm] of Object.entries(rings)) said.push(await ring(stage, topic, alarm, aws));
  return { heard: said.every(({ heard }) => heard), says: said.map(({ says }) => says).join('\n') };
}

async function ring(stage: string, logicalId: string, alarm: string, aws: Aws): Promise<Rung> {
  const stack = ['--stack-name', `payouts-${stage}`, '--logical-resource-id', logicalId];
  const question = ['cloudformation', 'describe-stack-resource', ...stack];
  const topic = await aws([...question, '--query', 'StackResourceDetail.PhysicalResourceId', '--output', 'text']);
  const subscribed = await aws(['sns', 'list-subscriptions-by-topic', '--topic-arn', topic.trim(), '--output', 'json']);
  const { Subscriptions = [] } = JSON.parse(subscribed) as Subscriptions;
  const confirmed = Subscriptions.filter(({ SubscriptionArn }) => SubscriptionArn.startsWith('arn:'));
  if (confirmed.length === 0) {
    const pending = Subscriptions.length;
    const why =
      pending === 0 ? 'it has no subscriber' : `${pending} never confirmed: follow the link in the mail of AWS`;
    return { heard: false, says: `nobody hears ${logicalId} of stage ${stage}: ${why}` };
  }
  const state = ['--state-value', 'ALARM', '--state-reason', 'A test: is this heard? Nothing has happened.'];
  await aws(['cloudwatch', 'set-alarm-state', '--alarm-name', `payouts-${stage}-${alarm}`, ...state]);
  const by = confirmed.map(({ Protocol }) => Protocol).join(', ');
  return { heard: true, says: `rang payouts-${stage}-${alarm}; ${confirmed.length} confirmed (${by}): ask them now` };
}

async function main(args: readonly string[]): Promise<number> {
  const options = { stage: { type: 'string', default: 'dev' }, region: { type: 'string' } } as const;
  const { stage, region } = parseArgs({ args: [...args], options }).values;
  const aws: Aws = async (command) => {
    const where = region === undefined ? [] : ['--region', region];
    return (await promisify(execFile)('aws', [...command, ...where], { timeout: 60_000 })).stdout;
  };
  const { heard, says } = await testAlarm(stage, aws);
  process.stdout.write(`${says}\n`);
  return heard ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
