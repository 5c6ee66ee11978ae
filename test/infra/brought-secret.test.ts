// A stack that is given the worker's secret of another: it makes none, reads that one, and may use the key under which it lies.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { evaluated, type Made, type TemplateResource } from '../../lib/cli/doctor/evaluated.ts';
import { recordOf } from '../../lib/doctor/stack.ts';

const shipped = JSON.parse(
  readFileSync(new URL('../../lib/doctor/intended-stack.json', import.meta.url), 'utf8'),
) as Readonly<Record<'Resources', Record<string, TemplateResource>>> & {
  readonly Parameters: Readonly<Record<string, { readonly Type: string; readonly Default?: string }>>;
  readonly Conditions: Readonly<Record<string, unknown>>;
};
const broughtArn = 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:payouts/prod/_worker-AbCdEf';
const broughtKey = 'arn:aws:kms:eu-west-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab';

/** The stack as CloudFormation makes it by these parameters. */
function madeWith(parameters: Readonly<Record<string, string>>): Made {
  const values = Object.entries(shipped.Parameters).map(([name, { Type, Default = '' }]) => {
    const value = { Stage: 'prod', SecretPrefix: 'payouts/prod/', ...parameters }[name] ?? Default;
    return [name, Type === 'CommaDelimitedList' ? value.split(',') : value] as const;
  });
  return {
    stackName: 'payouts-prod',
    region: 'eu-west-1',
    account: '111122223333',
    partition: 'aws',
    parameters: new Map(values),
    conditions: shipped.Conditions,
    ids: new Map(Object.keys(shipped.Resources).map((id) => [id, id])),
    resources: shipped.Resources,
  };
}

const brought = madeWith({ WorkerSecretArn: broughtArn, SecretKeyArns: broughtKey });
const own = madeWith({});
const isMade = (id: string, made: Made): boolean => {
  const condition = shipped.Resources[id]?.Condition;
  return condition === undefined || evaluated({ 'Fn::If': [condition, true, false] }, made) === true;
};
const environmentOf = (made: Made) =>
  recordOf(evaluated(recordOf(shipped.Resources['SubmitLambdaFunction']?.Properties)['Environment'], made))[
    'Variables'
  ];
const policiesOf = (role: string, made: Made) =>
  JSON.stringify(evaluated(recordOf(shipped.Resources[role]?.Properties)['Policies'], made));

describe('a stack', () => {
  it('that is given a secret makes none, and its functions read that one', () => {
    for (const id of ['WorkerSecret', 'WorkerSecretPolicy']) expect([id, isMade(id, brought)]).toEqual([id, false]);
    expect(environmentOf(brought)).toMatchObject({ WORKER_SECRET_ID: broughtArn });
  });

  it("that is given none makes its own, under a name that merchants' prefix does not move", () => {
    for (const id of ['WorkerSecret', 'WorkerSecretPolicy']) expect([id, isMade(id, own)]).toEqual([id, true]);
    expect(environmentOf(own)).toMatchObject({ WORKER_SECRET_ID: 'payouts/prod/_worker' });
    expect(shipped.Resources['WorkerSecret']?.Properties).toMatchObject({
      Name: { 'Fn::Sub': 'payouts/${Stage}/_worker' },
    });
  });

  it('lets submit alone read it, and decrypt under the key that it lies under, through Secrets Manager', () => {
    expect(policiesOf('SubmitRole', brought)).toContain(broughtArn);
    expect(policiesOf('SubmitRole', brought)).toMatch(
      new RegExp(`"Action":"kms:Decrypt","Resource":\\["${broughtKey}"\\],"Condition".{0,60}secretsmanager.eu-west-1`),
    );
    // Under the merchants' prefix its name is one of the worker's own, which are refused.
    expect(policiesOf('InquireRole', brought)).toContain('secret:payouts/prod/_*');
    for (const role of ['InquireRole', 'SweepRole', 'CallbackRole'])
      expect(policiesOf(role, brought)).not.toContain(broughtArn);
    expect(policiesOf('SubmitRole', own)).not.toContain(broughtKey);
  });
});
