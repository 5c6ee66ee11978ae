// A deployed stack on this machine: the emulated services of AWS, and CloudFormation's answer about the stack's outputs in
// front of them. A tool that looks up the stage finds it as it would in an account.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { type EmbeddedAws, startEmbeddedAws } from '../../lib/local/embedded-aws.ts';
import { workerEnvironment } from '../../lib/local/local-environment.ts';
import { localWorkerLimits } from '../../lib/local/local-limits.ts';

/** The stack. */
export interface EmulatedStack {
  readonly aws: EmbeddedAws;
  /** The environment of a person's shell: credentials, endpoints and limits, and no setting of the stack. */
  readonly shell: Readonly<Record<string, string>>;
  /** All settings, for a worker beside it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The number of CloudFormation's calls. */
  asked(): number;
  close(): Promise<void>;
}

const isOutput = (name: string) =>
  /_(QUEUE_URL|TABLE_NAME)$|^(SECRET_PREFIX|APPROVAL_KEY_ID|WAITING_KEY_ID|WORKER_SECRET_ID)$/.test(name);
const outputName = (name: string) =>
  name.toLowerCase().replaceAll(/(^|_)([a-z])/g, (_all, _mark, letter: string) => letter.toUpperCase());

/** Starts it under the name `payouts-<stage>`. */
export async function startEmulatedStack(stage: string, given?: EmbeddedAws): Promise<EmulatedStack> {
  const aws = given ?? (await startEmbeddedAws());
  const environment = workerEnvironment(aws, localWorkerLimits.environment);
  const outputs = Object.entries(environment).filter(([name]) => isOutput(name));
  let count = 0;
  const server = createServer((request, response) => {
    // These credentials may not see alarms.
    if (String(request.headers['x-amz-target']).endsWith('.DescribeAlarms')) {
      const refusal = JSON.stringify({ __type: 'AccessDenied', message: 'not authorized to perform cloudwatch' });
      response.writeHead(403, { 'content-type': 'application/x-amz-json-1.0' }).end(refusal);
      return;
    }
    void text(request).then((body) => {
      const asked = new URLSearchParams(body);
      if (asked.get('Action') !== 'DescribeStacks') return response.writeHead(400).end();
      count += 1;
      if (asked.get('StackName') !== `payouts-${stage}`) {
        const error = `<Code>ValidationError</Code><Message>Stack with id ${asked.get('StackName')} does not exist</Message>`;
        return response.writeHead(400).end(`<ErrorResponse><Error><Type>Sender</Type>${error}</Error></ErrorResponse>`);
      }
      const members = outputs.map(
        ([name, value]) =>
          `<member><OutputKey>${outputName(name)}</OutputKey><OutputValue>${value}</OutputValue></member>`,
      );
      return response
        .writeHead(200, { 'content-type': 'text/xml' })
        .end(
          `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DescribeStacksResult><Stacks><member><StackName>payouts-${stage}</StackName><StackStatus>UPDATE_COMPLETE</StackStatus><CreationTime>2026-11-01T00:00:00Z</CreationTime><Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
        );
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const shell = Object.fromEntries(Object.entries(environment).filter(([name]) => !isOutput(name)));
  return {
    aws,
    shell: { ...shell, AWS_ENDPOINT_URL_CLOUDFORMATION: url, AWS_ENDPOINT_URL_CLOUDWATCH: url },
    environment,
    asked: () => count,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (!given) await aws.close();
    },
  };
}
