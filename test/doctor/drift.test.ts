// CloudFormation's answers about drift, in the XML of its API reference: no emulator has drift detection.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { driftQuestions } from '../../lib/doctor/drift.ts';
import type { DeployedStack } from '../../lib/doctor/stack.ts';
import { newCloudFormationClient } from '../../lib/doctor/watching-clients.ts';
import { patientAwsCalls } from '../../lib/payout/limits.ts';

const answers = new Map<string, string[]>();
let server: Server;
let stack: DeployedStack;

beforeAll(async () => {
  server = createServer((request, response) => {
    void text(request).then((body) => {
      const action = new URLSearchParams(body).get('Action') ?? '';
      const next = answers.get(action) ?? [];
      const result = next.length > 1 ? next.shift() : next[0];
      response
        .writeHead(200, { 'content-type': 'text/xml' })
        .end(`<${action}Response><${action}Result>${result ?? ''}</${action}Result></${action}Response>`);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'fake');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'fake');
  const cloudFormation = newCloudFormationClient({ limits: patientAwsCalls });
  stack = { name: 'payouts-trial', isProtected: true, cloudFormation } as DeployedStack;
});

afterAll(() => {
  vi.unstubAllEnvs();
  server.close();
  server.closeAllConnections();
});

const status = (is: string, reason = '') =>
  `<StackDriftDetectionId>1</StackDriftDetectionId><DetectionStatus>${is}</DetectionStatus>${reason && `<DetectionStatusReason>${reason}</DetectionStatusReason>`}`;

beforeEach(() => {
  answers.clear();
  answers.set('DetectStackDrift', ['<StackDriftDetectionId>1</StackDriftDetectionId>']);
  answers.set('DescribeStackDriftDetectionStatus', [status('DETECTION_COMPLETE')]);
  answers.set('DescribeStackResourceDrifts', ['<StackResourceDrifts/>']);
  answers.set('GetStackPolicy', ['<StackPolicyBody>{"Statement":[{"Effect":"Deny"}]}</StackPolicyBody>']);
});

const drifts = () => driftQuestions['each resource is as deployed'](stack, 1);

describe('drift', () => {
  it('is none where CloudFormation finds none, however long it looks', async () => {
    answers.set('DescribeStackDriftDetectionStatus', [
      status('DETECTION_IN_PROGRESS'),
      status('DETECTION_IN_PROGRESS'),
      status('DETECTION_COMPLETE'),
    ]);
    expect(await drifts()).toEqual([]);
  });

  it('is told property by property, over all pages', async () => {
    answers.set('DescribeStackResourceDrifts', [
      `<StackResourceDrifts><member><LogicalResourceId>JobsQueue</LogicalResourceId>
        <StackResourceDriftStatus>MODIFIED</StackResourceDriftStatus><PropertyDifferences><member>
        <PropertyPath>/VisibilityTimeout</PropertyPath><ExpectedValue>180</ExpectedValue><ActualValue>30</ActualValue>
        <DifferenceType>NOT_EQUAL</DifferenceType></member></PropertyDifferences></member></StackResourceDrifts><NextToken>2</NextToken>`,
      `<StackResourceDrifts><member><LogicalResourceId>ResultsQueue</LogicalResourceId>
        <StackResourceDriftStatus>DELETED</StackResourceDriftStatus></member></StackResourceDrifts>`,
    ]);
    expect(await drifts()).toEqual(['JobsQueue/VisibilityTimeout is 30, deployed was 180', 'ResultsQueue was deleted']);
  });

  it.each([
    ['DETECTION_FAILED', 'no right to read a table'],
    ['DETECTION_IN_PROGRESS', 'still at it'],
  ])('is not said to be none after %s', async (is, reason) => {
    answers.set('DescribeStackDriftDetectionStatus', [status(is, reason)]);
    expect(await drifts()).toEqual([`not all was compared: ${reason}`]);
  });
});

describe('protection', () => {
  const protection = (isProtected: boolean) =>
    driftQuestions['the stack cannot be deleted or replaced by mistake']({ ...stack, isProtected });

  it('is well with termination protection and a stack policy', async () => {
    expect(await protection(true)).toEqual([]);
  });

  it('misses either', async () => {
    answers.set('GetStackPolicy', ['']);
    expect(await protection(false)).toHaveLength(2);
  });
});
