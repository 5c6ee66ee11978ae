// The network of a deployed function: what somebody changed by hand is seen, and nothing else.
import { expect, it } from 'vitest';
import { networkPlaceOf, presentPlace } from '../../lib/cli/doctor/deployed-place.ts';

const written = { 'Fn::If': ['NetworkMade', {}, {}] };
const made = new Map([
  ['PrivateSubnetA', 'subnet-a'],
  ['PrivateSubnetB', 'subnet-b'],
  ['FunctionsSecurityGroup', 'sg-own'],
]);
const nowhere = { SubnetIds: [], SecurityGroupIds: [] };
const inA = { SubnetIds: ['subnet-b', 'subnet-a'], SecurityGroupIds: ['sg-own'] };

it('of a stack without a network is none', () => {
  const wanted = networkPlaceOf([], new Map());
  expect(presentPlace(nowhere, written, wanted)).toBe(written);
  expect(presentPlace(inA, written, wanted)).toEqual(inA);
});

it('that the stack made is the one of its subnets and group', () => {
  const wanted = networkPlaceOf([{ ParameterKey: 'Network', ParameterValue: 'made' }], made);
  expect(presentPlace(inA, written, wanted)).toBe(written);
  expect(presentPlace(nowhere, written, wanted)).toBeUndefined();
  const opened = { ...inA, SecurityGroupIds: ['sg-open'] };
  expect(presentPlace(opened, written, wanted)).toEqual(opened);
  // A function that speaks to no gateway has no place in it.
  expect(presentPlace(inA, undefined, wanted)).toEqual(inA);
  expect(presentPlace(nowhere, undefined, wanted)).toBeUndefined();
});

it('that was given is the one that the parameters name', () => {
  const said = [
    ['Network', 'given'],
    ['SubnetIds', 'subnet-x,subnet-y'],
    ['SecurityGroupIds', 'sg-x'],
  ] as const;
  const wanted = networkPlaceOf(
    said.map(([ParameterKey, ParameterValue]) => ({ ParameterKey, ParameterValue })),
    new Map(),
  );
  expect(presentPlace({ SubnetIds: ['subnet-y', 'subnet-x'], SecurityGroupIds: ['sg-x'] }, written, wanted)).toBe(
    written,
  );
  expect(presentPlace(inA, written, wanted)).toEqual(inA);
});
