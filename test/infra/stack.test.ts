// The stack of every stage file, held to rules; and a list of wrong edits, each of which a rule refuses.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readStage } from '../../infra/stage.ts';
import { readWorkerSecret } from '../../lib/aws/secret-schemas.ts';
import {
  batchesTableDefinition,
  ledgerTableDefinition,
  plainTableDefinition,
  waitingTableDefinition,
} from '../../lib/local/ledger-table.ts';
import { longDescribe } from '../support/long-proof.ts';
import { recordOf } from '../support/stack.ts';
import { packaged, packagedIn, serviceCopy, stageNames } from './packaged.ts';
import { faultsOf } from './rules.ts';
import { type Edited, wrongEdits } from './wrong-edits.ts';

it.each(stageNames)('the stack of %s keeps every rule', (stage) => {
  expect(faultsOf(stage, packaged(stage))).toEqual([]);
});

it.each(wrongEdits)('a rule refuses it if $story', ({ rule, stage, edit }) => {
  const edited = structuredClone(packaged(stage)) as Edited;
  edit(edited);
  expect(faultsOf(stage, edited, rule)).not.toEqual([]);
});

describe('a stage file', () => {
  const values = parse(readFileSync('infra/stages/prod.yml', 'utf8').replaceAll('!Sub ', '')) as object;

  it('is taken as it is written', () => {
    expect(readStage('prod', values)).toMatchObject({ region: 'eu-central-1', protectTables: true });
  });

  it.each<[what: string, change: object, says: string]>([
    ['a misspelt name', { newtork: 'network' }, 'there is no newtork'],
    ['an option that has no file', { network: 'given' }, 'network:'],
    ['the account as an approver', { approvers: ['arn:aws:iam::111122223333:root'] }, 'approvers.0:'],
    ['every role as an approver', { approvers: ['arn:aws:iam::111122223333:role/*'] }, 'approvers.0:'],
    ['a pattern of signing keys', { signingKeyArns: ['arn:aws:kms:eu-central-1:1:key/*'] }, 'signingKeyArns.0:'],
    ['a public address without a reserve', { callbacks: { url: true, reservedConcurrency: null } }, 'needs a reserve'],
    [
      'one invocation at once, which Lambda refuses',
      { concurrency: { submit: 1, batch: 2, waiting: 2, inquire: 2 } },
      'concurrency.submit:',
    ],
    ['a period that CloudWatch does not know', { logRetentionDays: 100 }, 'logRetentionDays:'],
    ['a value left out', { pageEmail: undefined }, 'pageEmail: is missing: prod.yml explains it'],
    ['a limit of doubt for one currency alone', { doubtAlarm: 'EUR=5000' }, 'doubtAlarm: must be as'],
    [
      'fewer shards read than written',
      { openWorkShards: { written: 4, read: 2 } },
      'openWorkShards: must read at least as many',
    ],
    [
      'a boundary that is no policy',
      { permissionsBoundary: 'edge' },
      'permissionsBoundary: must be the ARN of a policy',
    ],
    ['a deployer that is no role', { deploymentRole: 'x' }, 'deploymentRole: must be the ARN of a role'],
    ['signing keys without a key', { signingKeys: 'signing-keys' }, 'signingKeys needs signingKeyArns'],
    [
      'paid orders without a source',
      { orderPaid: 'order-paid', orderPaidBus: 'x' },
      'needs orderPaidBus and orderPaidSource',
    ],
    ['results for a bus without a name', { resultsBus: 'results-bus' }, 'resultsBus needs resultsBusName'],
    ['the ledger of another stage', { ledgerTable: 'payouts-trial-ledger-2' }, 'ledgerTable: must begin with'],
    ['the worker as an approver', { approvers: ['arn:aws:iam::1:role/payouts-prod-*'] }, 'name them more exactly'],
    [
      'the operator as an approver',
      { approvers: ['arn:aws:iam::1:role/payouts-prod-operator'] },
      'name them more exactly',
    ],
    ['a Region that is a place', { region: 'frankfurt' }, 'region: must be a Region'],
  ])('is refused with %s', (_what, change, says) => {
    expect(() => readStage('prod', { ...values, ...change })).toThrow(says);
  });

  it('has no hyphen in its name: the rights of prod would include those of prod-eu', () => {
    expect(() => readStage('prod-eu', values)).toThrow('a stage is lower-case letters and digits');
  });
});

describe('tables and secret', () => {
  const { Resources } = packaged('prod').template;
  it.each([
    ['LedgerTable', ledgerTableDefinition],
    ['BatchesTable', batchesTableDefinition],
    ['ControlsTable', plainTableDefinition],
    ['WaitingTable', waitingTableDefinition],
    ['CardKeysTable', plainTableDefinition],
  ])('%s is the table on which every test runs', (name, definition) => {
    expect(Resources[name]?.Properties).toMatchObject(definition);
  });

  it('the worker reads the secret that the stack makes', () => {
    const { SecretStringTemplate, GenerateStringKey } = recordOf(
      Resources['WorkerSecret']?.Properties['GenerateSecretString'],
    );
    const made = { ...JSON.parse(String(SecretStringTemplate)), [String(GenerateStringKey)]: 'ab'.repeat(32) };
    expect(readWorkerSecret(JSON.stringify(made))).toMatchObject({ current: 'generated' });
  });
});

longDescribe('packaging', () => {
  it('gives the same bytes in another directory, time zone and year', { timeout: 120_000 }, () => {
    const service = serviceCopy();
    for (const name of ['submit', 'inquire', 'sweep', 'door', 'callback'])
      writeFileSync(join(service, 'dist', `${name}.mjs`), 'export {};\n');
    const zipsOf = (stage: string, env: NodeJS.ProcessEnv) => {
      const directory = packagedIn(service, stage, env);
      return ['submit', 'inquire', 'sweep', 'door', 'callback'].map((name) =>
        readFileSync(join(directory, `${name}.zip`)).toString('base64'),
      );
    };
    const first = zipsOf('prod', { TZ: 'UTC' });
    expect(zipsOf('trial', { TZ: 'Pacific/Kiritimati' })).toEqual(first);
  });

  it('refuses a stage without a file', { timeout: 60_000 }, () => {
    expect(() => packagedIn(serviceCopy(), 'nowhere')).toThrow('"custom.stage": Value not found');
  });
});
