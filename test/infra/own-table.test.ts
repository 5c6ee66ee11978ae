// A restored table into the stack, by CloudFormation's documented rules: what an update may take away, what an import may change,
// what a stack policy refuses.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type DeployedTemplate, ownTablePlan } from '../../infra/own-table.ts';

const shipped = JSON.parse(
  readFileSync(new URL('../../lib/doctor/intended-stack.json', import.meta.url), 'utf8'),
) as DeployedTemplate & { readonly Conditions: object };
const restored = {
  name: 'payouts-prod-ledger-2',
  arn: 'arn:aws:dynamodb:eu-central-1:111122223333:table/payouts-prod-ledger-2',
};
const { without, whole, resources, parameters } = ownTablePlan(shipped, restored);

describe('the stack that lets go of its table', () => {
  it('has everything else as it was, and names the restored one wherever it named its own', () => {
    const { LedgerTable: _gone, ...others } = shipped.Resources;
    expect(Object.keys(without.Resources)).toEqual(Object.keys(others));
    expect(JSON.stringify(without.Resources)).not.toContain('"LedgerTable"');
    const untouched = Object.entries(others).filter(
      ([, it]) => !/"LedgerTable"|\$\{LedgerTable/.test(JSON.stringify(it)),
    );
    expect(untouched.length).toBeGreaterThan(30);
    for (const [id, it] of untouched) expect([id, without.Resources[id]]).toEqual([id, it]);
    expect(JSON.stringify(without.Resources['SubmitLambdaFunction'])).toContain(
      '"LEDGER_TABLE_NAME":{"Fn::If":["LedgerRestored",{"Ref":"RestoredLedger"},"payouts-prod-ledger-2"]}',
    );
    expect(JSON.stringify(without.Resources['SubmitRole'])).toContain(`"${restored.arn}"]}`);
  });

  it('has every parameter as it was: one that is left out would go back to its default', () => {
    expect(parameters.map(({ ParameterKey }) => ParameterKey)).toEqual(Object.keys(without.Parameters));
    expect(parameters.every(({ UsePreviousValue }) => UsePreviousValue)).toBe(true);
  });

  it('keeps the old one: only what is retained may be let go of', () => {
    expect(shipped.Resources['LedgerTable']?.DeletionPolicy).toMatch(/^Retain/);
    const table = { Type: 'AWS::DynamoDB::Table', DeletionPolicy: 'Delete' };
    const careless = { ...shipped, Resources: { ...shipped.Resources, LedgerTable: table } };
    expect(() => ownTablePlan(careless, restored)).toThrow('would be deleted with all orders in it');
  });
});

describe('the import', () => {
  it('brings in one resource, with a deletion policy as an import asks, and changes no other', () => {
    const { LedgerTable: imported, ...others } = whole.Resources;
    expect(others).toEqual(without.Resources);
    expect(imported).toMatchObject({ DeletionPolicy: 'Retain', Properties: { TableName: restored.name } });
    expect(resources).toEqual([
      {
        ResourceType: 'AWS::DynamoDB::Table',
        LogicalResourceId: 'LedgerTable',
        ResourceIdentifier: { TableName: restored.name },
      },
    ]);
  });

  it('describes the table as a restore and `payouts restore ready` leave it, key and index as ever', () => {
    const { TableName: _other, ...rest } = shipped.Resources['LedgerTable']?.Properties ?? {};
    expect(whole.Resources['LedgerTable']?.Properties).toEqual({ ...rest, TableName: restored.name });
  });

  it('is followed by the ordinary template, in which the table has that name by a parameter and not by chance', () => {
    expect(shipped.Resources['LedgerTable']?.Properties?.['TableName']).toEqual({
      'Fn::If': ['LedgerNamed', { Ref: 'LedgerName' }, { 'Fn::Sub': 'payouts-${Stage}-ledger' }],
    });
  });
});

it('a stack that has let go of it already is not asked to do it again', () => {
  expect(() => ownTablePlan(without, restored)).toThrow('an earlier try has let go of it');
});
