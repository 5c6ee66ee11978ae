// infra/docs/deploy-role.json as a thief of that role reads it: past CloudFormation and the stack's own bucket, it may only look.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import role from '../../infra/docs/deploy-role.json' with { type: 'json' };
import { isLike } from '../rights/policy-evaluator.ts';

interface Statement {
  readonly Action: readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | undefined>> | undefined>>;
}
type Context = Readonly<Record<string, string>>;

const statements: readonly (Statement & { readonly Sid: string })[] = role.Statement;
/** What the preview's role leaves out (infra/docs/deploying.md). */
const ofDeploymentAlone = new Set(['Deploy', 'TheRoleThatMakesIt', 'TheCode']);

/** All of its statements allow. A condition whose key the call does not bear does not hold, unless it says IfExists. */
const may = (action: string, resource: string, context: Context = {}, of = statements): boolean =>
  of.some(
    ({ Action, Resource, Condition = {} }) =>
      Action.includes(action) &&
      [Resource].flat().some((pattern) => isLike(resource, pattern)) &&
      Object.entries(Condition).every(([operator, keys = {}]) =>
        Object.entries(keys).every(
          ([key, pattern = '']) =>
            (operator.endsWith('IfExists') && !(key in context)) || isLike(context[key] ?? '', pattern),
        ),
      ),
  );

const stack = 'arn:aws:cloudformation:eu-central-1:123456789012:stack/payouts-prod/1';
const code = 'arn:aws:s3:::payouts-prod-serverlessdeploymentbucket-1a2b3c/serverless/payouts/prod/1/submit.zip';
const ours = { 'aws:ResourceAccount': '123456789012' };
const makes = 'arn:aws:iam::123456789012:role/payouts-cloudformation';

describe('who deploys', () => {
  it.each<[action: string, resource: string, context?: Context]>([
    ['cloudformation:CreateChangeSet', stack, { 'cloudformation:RoleArn': makes }],
    ['cloudformation:ExecuteChangeSet', stack],
    ['cloudformation:GetTemplate', stack],
    ['s3:PutObject', code, ours],
    ['iam:PassRole', makes, { 'iam:PassedToService': 'cloudformation.amazonaws.com' }],
    ['lambda:GetFunctionConfiguration', 'arn:aws:lambda:eu-central-1:123456789012:function:payouts-prod-submit'],
  ])('may %s', (action, resource, context) => {
    expect(may(action, resource, context)).toBe(true);
  });

  it.each<[what: string, action: string, resource: string, context?: Context]>([
    ['into a stranger’s bucket of that name', 's3:PutObject', code, { 'aws:ResourceAccount': '999999999999' }],
    ['into another bucket', 's3:PutObject', 'arn:aws:s3:::shop/x', ours],
    ['another stack', 'cloudformation:ExecuteChangeSet', stack.replace('prod', 'shop')],
    [
      'with a stronger role',
      'cloudformation:CreateChangeSet',
      stack,
      { 'cloudformation:RoleArn': makes.replace('payouts-cloudformation', 'admin') },
    ],
    [
      'a stronger role',
      'iam:PassRole',
      makes.replace('payouts-cloudformation', 'admin'),
      { 'iam:PassedToService': 'cloudformation.amazonaws.com' },
    ],
    ['its role to a function', 'iam:PassRole', makes, { 'iam:PassedToService': 'lambda.amazonaws.com' }],
    ...['UpdateFunctionCode', 'UpdateFunctionConfiguration', 'InvokeFunction'].map((it): [string, string, string] => [
      it,
      `lambda:${it}`,
      'arn:aws:lambda:eu-central-1:123456789012:function:payouts-prod-submit',
    ]),
    ['the stack away', 'cloudformation:DeleteStack', stack],
    ['a table', 'dynamodb:DeleteTable', 'arn:aws:dynamodb:eu-central-1:123456789012:table/payouts-prod-ledger'],
    [
      'a secret',
      'secretsmanager:GetSecretValue',
      'arn:aws:secretsmanager:eu-central-1:123456789012:secret:payouts/prod/acme',
    ],
  ])('may not take or change %s', (_what, action, resource, context) => {
    expect(may(action, resource, context)).toBe(false);
  });

  it('has no pattern of actions', () => {
    expect(statements.flatMap(({ Action }) => Action).filter((it) => it.includes('*'))).toEqual([]);
  });
});

describe('who previews', () => {
  const previews = statements.filter(({ Sid }) => !ofDeploymentAlone.has(Sid));
  const template = code.replace(/serverless\/.*/, 'preview/template.json');

  it('puts its template, makes a change set and looks', () => {
    expect(may('s3:PutObject', template, ours, previews)).toBe(true);
    expect(may('s3:GetObject', template, ours, previews)).toBe(true);
    expect(may('cloudformation:CreateChangeSet', stack, {}, previews)).toBe(true);
    expect(may('cloudformation:GetTemplate', stack, {}, previews)).toBe(true);
  });

  it('puts no code in the place of another, executes nothing and hands on no role', () => {
    expect(may('s3:PutObject', code, ours, previews)).toBe(false);
    expect(may('s3:DeleteObject', code, ours, previews)).toBe(false);
    expect(may('s3:PutObject', template, { 'aws:ResourceAccount': '999999999999' }, previews)).toBe(false);
    expect(may('cloudformation:ExecuteChangeSet', stack, {}, previews)).toBe(false);
    expect(may('iam:PassRole', makes, { 'iam:PassedToService': 'cloudformation.amazonaws.com' }, previews)).toBe(false);
  });
});

describe('the example workflow', () => {
  const text = readFileSync('infra/docs/deploy-workflow.yml', 'utf8');
  const [, build = '', preview = '', deploy = ''] = text.split(/^ {2}(?:build|preview|deploy):$/m);

  it('pins each action by its digest', () => {
    const used = [...text.matchAll(/uses: (\S+)/g)].map(([, action = '']) => action);
    expect(used.length).toBeGreaterThan(8);
    expect(used.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
  });

  it('builds without a token of AWS, and runs no script of a package beside one', () => {
    expect(build).not.toContain('id-token');
    for (const job of [preview, deploy]) {
      expect(job).toContain('id-token: write');
      expect(job).toContain('npm ci --ignore-scripts');
    }
  });

  it('lets no output of the build be a command beside a token, and stops at a preview that fails', () => {
    expect([...text.matchAll(/run: .*\$\{\{/g)]).toEqual([]);
    // Without a name of a shell, GitHub runs bash without pipefail, and `tee` would hide the failure.
    expect(text).toContain('defaults: { run: { shell: bash } }');
  });

  it('previews before the approval, and then deploys exactly that package', () => {
    expect(preview).not.toContain('environment:');
    expect(deploy).toMatch(/needs: \[build, preview\]/);
    expect(deploy).toContain('environment: prod');
    for (const job of [preview, deploy]) {
      expect(job).toContain('echo "$DIGEST  package.tar" | sha256sum --check && tar -xf package.tar .serverless');
      expect(job).toContain("DIGEST: '${{ needs.build.outputs.digest }}'");
    }
    expect(deploy).not.toMatch(/npm run (build|package|deploy)/);
  });
});
