// What infra/docs/security.md claims has a test: each threat, asset and actor of its tables names what would break.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packaged } from '../infra/packaged.ts';
import { recordOf } from '../support/stack.ts';
import { pageOf } from './pages.ts';

const { text } = pageOf('infra/docs/security.md');

/** Rows of the table below a heading, without its head. */
const rowsBelow = (heading: string) =>
  (text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1);

it.each([
  ['Who could do harm, and what stops them', 25],
  ['By asset', 8],
  ['By actor', 9],
])('below "%s" each row names its test', (heading, least) => {
  const rows = rowsBelow(heading);
  expect(rows.length).toBeGreaterThanOrEqual(least);
  const without = rows.filter(
    (row) => !/`test\/[^`]+`|`node . doctor`|`npm run (?:test:attacks|bench)/.test(row.split(' | ').at(-1) ?? ''),
  );
  expect(without).toEqual([]);
});

it('and those tests are there', () => {
  const named = [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter((path) => !existsSync(path))).toEqual([]);
});

it('signing, the fold, evidence and HTTP are our own code: a package reads what lies in secrets and items, and does nothing else', () => {
  const parts = ['lib/oauth1', 'lib/gateway', 'lib/payout/order'];
  const files = parts.flatMap((part) => readdirSync(part).map((name) => join(part, name)));
  expect(files.length).toBeGreaterThan(30);
  const packagesOf = (file: string) =>
    [...readFileSync(file, 'utf8').matchAll(/from '((?!\.|node:)[^']+)'/g)].map(([, name]) => `${file}: ${name}`);
  expect(files.flatMap(packagesOf)).toEqual([
    'lib/gateway/profile-limits.ts: valibot',
    'lib/gateway/profile.ts: valibot',
    'lib/payout/order/fact-schemas.ts: valibot',
  ]);
});

describe('what is kept where', () => {
  const placesOf: Readonly<Record<string, readonly string[]>> = {
    'queues of jobs and of rows of batches': ['JobsQueue', 'BatchJobsQueue'],
    'dead-letter queue': ['DeadLetterQueue'],
    'results queue and its dead letters': ['ResultsQueue', 'ResultsDeadLetterQueue'],
    'checks queue': ['ChecksQueue'],
    'queue of references': ['ReferencesQueue'],
    'dead letters of the checks queue': ['ChecksDeadLetterQueue'],
    'events of paid orders that became no job': ['OrderPaidDeadLetterQueue'],
    ledger: ['LedgerTable'],
    'table of batches': ['BatchesTable'],
    'table of controls': ['ControlsTable'],
    'table of what waits': ['WaitingTable'],
    'table of card keys': ['CardKeysTable'],
  };
  const resources = packaged('example').template.Resources;
  const propertiesOf = (id: string) => recordOf(resources[id]?.Properties);
  const rows = rowsBelow('What is kept where, and for how long').map((row) => row.split(' | '));
  const rowOf = (place: string) => rows.find(([name = '']) => name.replace('| ', '') === place) ?? [];

  it('is said of every queue and every table of the stack', () => {
    const there = Object.keys(resources).filter((id) =>
      /^AWS::(?:SQS::Queue|DynamoDB::Table)$/.test(resources[id]?.Type ?? ''),
    );
    expect(Object.values(placesOf).flat().toSorted()).toEqual(there.toSorted());
  });

  it.each(Object.entries(placesOf))('%s: for as long as the template says, under its own key', (place, ids) => {
    const [, , , kept = '', key = ''] = rowOf(place);
    const days = ids.map((id) => {
      const { MessageRetentionPeriod: seconds, PointInTimeRecoverySpecification: recovery } = propertiesOf(id);
      const { PointInTimeRecoveryEnabled: isOn, RecoveryPeriodInDays: period = 35 } = recordOf(recovery);
      if (seconds !== undefined)
        return Number(seconds) < 86_400 ? `${Number(seconds) / 60} minutes` : `${Number(seconds) / 86_400}`;
      return isOn === true ? `recoverable for ${String(period)} days` : 'no backup, no stream';
    });
    for (const it of days) expect(kept).toContain(it);
    for (const id of ids) {
      const { KmsMasterKeyId, SSESpecification } = propertiesOf(id);
      const { KMSMasterKeyId = KmsMasterKeyId } = recordOf(SSESpecification);
      expect(KMSMasterKeyId).toEqual({ 'Fn::GetAtt': ['WorkerKey', 'Arn'] });
      expect(propertiesOf(id)['StreamSpecification']).toBeUndefined();
    }
    expect(key).toMatch(/^your KMS key/);
  });
});
