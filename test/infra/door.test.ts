// The one public door: strangers reach it, so it is open only where it has a reserve of its own.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

it('stays shut without a reserve, whatever else is said', () => {
  const { Conditions, extensions } = parse(readFileSync('infra/door.yml', 'utf8')) as {
    readonly Conditions: object;
    readonly extensions: Readonly<Record<string, object>>;
  };
  const on = { 'Fn::Equals': [{ Ref: 'Callbacks' }, 'ENABLED'] };
  expect(Conditions).toEqual({ CallbacksOn: { 'Fn::And': [on, { Condition: 'CallbackConcurrencyGiven' }] } });
  expect(Object.values(extensions)).toEqual(Array.from({ length: 3 }, () => ({ Condition: 'CallbacksOn' })));
  const functions = readFileSync('infra/functions.yml', 'utf8');
  expect(functions).toContain('Fn::If: [CallbackConcurrencyGiven, { Ref: CallbackConcurrency }');
});
