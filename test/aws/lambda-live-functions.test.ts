// The sweeper beside Lambda: is what runs what was deployed last? Lambda is a table of settings here, by name and version.
import type {
  FunctionConfiguration,
  GetAliasCommand,
  GetFunctionConfigurationCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import { describe, expect, it } from 'vitest';
import { functionsBeside, liveFunctionsRound } from '../../lib/aws/lambda-live-functions.ts';

const deployed: FunctionConfiguration = {
  CodeSha256: 'b0c4',
  Description: 'Jobs queue to gateway (commit aaaaaaaaaaaa, release aaaaaaaaaaaa-0123456789ab)',
  Environment: { Variables: { OPEN_WORK_SHARDS: '4', LEASE_MS: '300000' } },
  Handler: 'index.handler',
  MemorySize: 512,
  Role: 'arn:aws:iam::111122223333:role/submit',
  Runtime: 'nodejs24.x',
  Timeout: 120,
  VpcConfig: { SubnetIds: ['subnet-a', 'subnet-b'], SecurityGroupIds: ['sg-a'] },
};

/** What a round says, where the function's two versions are so. */
async function saidOf(
  latest: FunctionConfiguration | Error,
  live: FunctionConfiguration,
  /** The version to which a part of the calls goes, and how it is. */
  next?: FunctionConfiguration & { readonly Version: string },
) {
  const logged: string[] = [];
  const asked: string[] = [];
  const lambda = {
    async send({ input }: GetFunctionConfigurationCommand | GetAliasCommand) {
      if ('Name' in input)
        return next ? { RoutingConfig: { AdditionalVersionWeights: { [next.Version]: 0.1 } } } : { RoutingConfig: {} };
      asked.push([input.FunctionName, input.Qualifier].filter(Boolean).join(':'));
      if (input.Qualifier === 'live') return live;
      if (next && input.Qualifier === next.Version) return next;
      if (latest instanceof Error) throw latest;
      return latest;
    },
  } as Pick<LambdaClient, 'send'>;
  const log = { write: (_: string, event: string) => void logged.push(event) };
  const values = await liveFunctionsRound(['payouts-prod-submit'], { lambda, log }).run(Infinity);
  return { values, logged, asked };
}

describe('the round', () => {
  it('is silent where the alias names what was deployed last, in whatever order Lambda lists it', async () => {
    const live: FunctionConfiguration = {
      ...deployed,
      Version: '7',
      State: 'Inactive',
      RevisionId: 'another',
      Environment: { Variables: { LEASE_MS: '300000', OPEN_WORK_SHARDS: '4' } },
      VpcConfig: { SubnetIds: ['subnet-b', 'subnet-a'], SecurityGroupIds: ['sg-a'] },
    };
    expect(await saidOf({ ...deployed, Version: '$LATEST' }, live)).toEqual({
      values: {},
      logged: [],
      asked: ['payouts-prod-submit', 'payouts-prod-submit:live'],
    });
  });

  it.each<readonly [string, FunctionConfiguration]>([
    ['the release', { Description: 'Jobs queue to gateway (commit aaaaaaaaaaaa, release aaaaaaaaaaaa-ba9876543210)' }],
    ['the code', { CodeSha256: 'ffff' }],
    ['a setting', { Environment: { Variables: { OPEN_WORK_SHARDS: '8', LEASE_MS: '300000' } } }],
    ['the role', { Role: 'arn:aws:iam::111122223333:role/other' }],
    ['the time-out', { Timeout: 3 }],
    ['the memory', { MemorySize: 128 }],
    ['the network', { VpcConfig: { SubnetIds: ['subnet-c'], SecurityGroupIds: ['sg-a'] } }],
    ['a layer', { Layers: [{ Arn: 'arn:aws:lambda:eu-central-1:111122223333:layer:extra:1' }] }],
  ])('counts a function whose live version differs by %s', async (_, change) => {
    expect((await saidOf({ ...deployed, ...change }, deployed)).values).toEqual({ liveDiffers: 1 });
  });

  const released = { ...deployed, CodeSha256: 'ffff' };

  it('counts one whose traffic shifts to what was deployed last apart: it is no difference', async () => {
    const { values } = await saidOf(released, deployed, { ...released, Version: '8' });
    expect(values).toEqual({ trafficShifts: 1 });
  });

  it.each([
    ['something else', released, deployed],
    ['an older version, where the alias names what was deployed last', deployed, deployed],
  ])('counts one of which a part goes to %s', async (_, latest, live) => {
    const { values } = await saidOf(latest, live, { ...deployed, CodeSha256: 'eeee', Version: '3' });
    expect(values).toEqual({ liveDiffers: 1 });
  });

  it('counts one that it may not read, says why, and lets the sweep go on', async () => {
    const denied = Object.assign(new Error('not authorized'), { name: 'AccessDeniedException' });
    expect(await saidOf(denied, deployed)).toMatchObject({ values: { liveDiffers: 1 }, logged: ['live-unread'] });
  });
});

it('the functions of a stack are told by the name of its sweeper', () => {
  expect(functionsBeside('payouts-prod-sweep')).toEqual([
    'payouts-prod-submit',
    'payouts-prod-inquire',
    'payouts-prod-sweep',
    'payouts-prod-callback',
  ]);
  expect([functionsBeside(undefined), functionsBeside('sweep')]).toEqual([[], []]);
});
