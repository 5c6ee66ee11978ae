// The ready-made queries: each word of them is a field that a line can bear, or a word of the query language.
import { expect, it } from 'vitest';
import { figures, moneyMetrics } from '../../lib/payout/metrics.ts';
import { failureCodes } from '../../lib/payout/message/failures.ts';
import type { JobEnd } from '../../lib/payout/submit/end.ts';
import { logEvents, logFields } from '../../lib/payout/log-fields.ts';
import { ofType } from './packaged.ts';

const queries = ofType('AWS::Logs::QueryDefinition').map(
  ([logicalId, { Name, QueryString, LogGroupNames }]) =>
    [logicalId, { name: String(Name), text: String(QueryString), groups: LogGroupNames as { Ref: string }[] }] as const,
);

const written = [
  'time',
  'level',
  'event',
  'currency',
  '@timestamp',
  '@message',
  '@log',
  ...Object.keys(logFields),
  ...Object.keys(figures),
  ...Object.keys(moneyMetrics),
];
const commands = [
  'fields',
  'filter',
  'stats',
  'sort',
  'limit',
  'by',
  'as',
  'asc',
  'desc',
  'in',
  'and',
  'or',
  'like',
  'not',
];
const functions = ['count', 'count_distinct', 'sum', 'max', 'pct', 'latest', 'earliest', 'bin', 'ispresent'];

/** Words outside texts and patterns, numbers and durations aside. */
function wordsOf(text: string): string[] {
  const bare = text.replaceAll(/"[^"]*"/g, ' ').replaceAll(/\/[^/\n]*\//g, ' ');
  return (bare.match(/@?[A-Za-z_]\w*/g) ?? []).filter((word) => !/^\d/.test(word));
}

it.each(queries)('%s names only what is written', (_, { text }) => {
  const aliases = [...text.matchAll(/ as (\w+)/g)].map(([, alias = '']) => alias);
  const known = new Set([...written, ...commands, ...functions, ...aliases, 'm']);
  expect(wordsOf(text).filter((word) => !known.has(word))).toEqual([]);
  // A name of its own for what is made, or a later line of the query would mean the field.
  expect(aliases.filter((alias) => written.includes(alias))).toEqual([]);
});

it('the reader of queries has not gone blind', () => {
  expect(wordsOf('filter nonsense = "x" | stats count(*) by bin(5m)')).toEqual([
    'filter',
    'nonsense',
    'stats',
    'count',
    'by',
    'bin',
    'm',
  ]);
  expect(queries.length).toBeGreaterThan(10);
});

it('the events, codes and states that they ask for exist', () => {
  const texts = queries.map(([, { text }]) => text).join('\n');
  const asked = (field: string) =>
    [...texts.matchAll(new RegExp(`\\b${field} (?:= |in \\[)((?:"[^"]+"(?:, )?)+)`, 'g'))].flatMap(([, list = '']) =>
      [...list.matchAll(/"([^"]+)"/g)].map(([, value = '']) => value),
    );
  expect(asked('event').length).toBeGreaterThan(2);
  expect(asked('event').filter((it) => !(it in logEvents))).toEqual([]);
  const ends: readonly JobEnd['kind'][] = ['done', 'wait', 'dead'];
  expect(asked('disposition').length).toBeGreaterThan(0);
  expect(asked('disposition').filter((it) => !ends.some((end) => end === it))).toEqual([]);
  expect(asked('failureCode').length).toBeGreaterThan(2);
  expect(asked('failureCode').filter((it) => !(it in failureCodes))).toEqual([]);
});

it.each(queries)('%s asks log groups of the functions, under a name of its stage', (_, { name, groups }) => {
  expect(name).toMatch(/^payouts-prod\/[a-z]/);
  const known = new Set(['SubmitLogGroup', 'InquireLogGroup', 'SweepLogGroup', 'DoorLogGroup', 'CallbackLogGroup']);
  expect(groups.map(({ Ref }) => Ref).filter((it) => !known.has(it))).toEqual([]);
  expect(groups.length).toBeGreaterThan(0);
});
