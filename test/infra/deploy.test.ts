// `npm run deploy`: what a stage has written down, what a person is shown and asked, and what stops it before anything ships.
import { describe, expect, it } from 'vitest';
import { remembered, stackTags } from '../../infra/arguments.ts';
import { deploy, type Shipping } from '../../infra/deploy.ts';
import { differenceOf, withOwnLedger } from '../../infra/deployment-difference.ts';

const known = { default: { submitConcurrency: 10, operatorEmail: '' } };

describe('what a stage has written down', () => {
  const stageFile = { submitConcurrency: 3, operatorEmail: 'ops@example.com' };

  it('is said to every deployment, and the command line goes before it', () => {
    expect(remembered(['--stage', 'prod', '--param', 'submitConcurrency=5'], stageFile, known)).toEqual([
      '--stage',
      'prod',
      '--param',
      'submitConcurrency=5',
      '--param',
      'operatorEmail=ops@example.com',
    ]);
  });

  it.each([
    ['a slip of the pen', { submitConcurency: 3 }, 'infra/stages/prod.yml: there is no parameter submitConcurency'],
    ['a list', { submitConcurrency: [3] }, 'submitConcurrency must be a text, a number or a boolean'],
    ['no parameters', 'prod', 'infra/stages/prod.yml is no list of name: value'],
  ])('is refused where it is %s', (_, file, why) => {
    expect(() => remembered(['--stage', 'prod'], file, known)).toThrow(why);
  });
});

describe('tags of a stack', () => {
  it('are pairs', () => {
    expect(stackTags('')).toEqual({});
    expect(stackTags('team=payments, cost-center=4711')).toEqual({ team: 'payments', 'cost-center': '4711' });
  });

  it.each(['payments', '=x', 'aws:team=x', 'team=a;b'])('are refused where one is none: %s', (said) => {
    expect(stackTags(said)).toBe(`tags: "${said}" is no name=value that AWS takes`);
  });
});

/** A template with these parameters and resources. */
function template(Commit: string, Parameters: object, resources: Readonly<Record<string, object>> = {}) {
  const Resources = Object.fromEntries(
    Object.entries(resources).map(([id, Properties]) => [id, { Type: 'AWS::SQS::Queue', Properties }]),
  );
  return { Metadata: { Payouts: { Commit, Parameters: { ...Parameters } } }, Resources };
}

describe('what a deployment would change', () => {
  it('is told by name, and asked about where money could move otherwise', () => {
    const present = template('a1', { submitConcurrency: 10, tracing: 'PassThrough' }, { Jobs: { Delay: 0 }, Old: {} });
    const next = template('b2', { submitConcurrency: 50, tracing: 'Active' }, { Jobs: { Delay: 9 }, New: {} });
    expect(differenceOf(present, next)).toEqual({
      lines: [
        'commit a1 -> b2',
        'parameter submitConcurrency: 10 -> 50',
        'parameter tracing: "PassThrough" -> "Active"',
        '~ Jobs: Delay',
        '- Old',
        '+ New',
      ],
      asks: ['parameter submitConcurrency: 10 -> 50', '- Old'],
    });
  });

  it('is asked about where a parameter was given by hand last time and is forgotten now', () => {
    const { asks } = differenceOf(template('a1', { signingKeyArns: 'arn:1' }), template('a1', { signingKeyArns: '' }));
    expect(asks).toEqual(['parameter signingKeyArns: "arn:1" -> none']);
  });

  it('is none where a number is written as a text, in a parameter or deep in a resource', () => {
    const present = template('a1', { submitConcurrency: 10, ledgerProtection: true }, { Jobs: { Of: [{ Delay: 0 }] } });
    const next = template(
      'a1',
      { submitConcurrency: '10', ledgerProtection: 'true' },
      { Jobs: { Of: [{ Delay: '0' }] } },
    );
    expect(differenceOf(present, next)).toEqual({ lines: ['commit a1 -> a1'], asks: [] });
    expect(differenceOf(present, template('a1', { submitConcurrency: '100', ledgerProtection: true })).asks).toEqual([
      'parameter submitConcurrency: 10 -> "100"',
      '- Jobs',
    ]);
  });

  it('is nothing but the commit where only the build is another', () => {
    const functionAt = (S3Key: string, Description: string) => ({
      Metadata: { Payouts: { Commit: Description, Parameters: {} } },
      Resources: {
        Submit: { Type: 'AWS::Lambda::Function', Properties: { Code: { S3Bucket: 'b', S3Key }, Description } },
        [`SubmitVersion${S3Key}`]: { Type: 'AWS::Lambda::Version' },
      },
    });
    expect(differenceOf(functionAt('1', 'a'), functionAt('2', 'b'))).toEqual({ lines: ['commit a -> b'], asks: [] });
  });
});

describe('a restored ledger', () => {
  const arn = 'arn:aws:dynamodb:eu-central-1:111122223333:table/payouts-prod-ledger-2';
  const restored = (ledgerTable: string) =>
    JSON.stringify(template('a1', { ledgerTable, ledgerTableArn: arn }, { Submit: { Table: ledgerTable, Of: [arn] } }));

  it('is examined as the stack’s own, or no restored one could be taken into service', () => {
    const { Resources } = JSON.parse(withOwnLedger(restored('payouts-prod-ledger-2'))) as {
      readonly Resources: object;
    };
    expect(Resources).toMatchObject({
      Submit: { Properties: { Table: { Ref: 'LedgerTable' }, Of: [{ 'Fn::GetAtt': ['LedgerTable', 'Arn'] }] } },
    });
  });

  it('is left foreign where its name and its ARN are of two tables', () => {
    expect(withOwnLedger(restored('payouts-prod-ledger-3'))).toBe(restored('payouts-prod-ledger-3'));
  });
});

describe('a deployment', () => {
  interface Given {
    readonly present?: object;
    readonly next?: object;
    readonly dangers?: readonly string[];
    readonly isAgreed?: boolean;
  }

  /** A world that writes down what shipped and what was said. */
  function world({ present, next = template('b2', {}), dangers = [], isAgreed = false }: Given) {
    const shipped: string[] = [];
    const said: string[] = [];
    const shipping: Shipping = {
      package: async (args, name) => ({ directory: name, template: JSON.stringify({ ...next, args }) }),
      ship: async (args, directory) => {
        shipped.push(`${directory}: ${args.join(' ')}`);
        return 0;
      },
      ledgerStands: async () => present !== undefined,
      deployed: async () => present && JSON.stringify(present),
      dangers: () => dangers,
      agrees: async () => isAgreed,
      goForward: async (commit) => [`live is ${commit}`],
      say: (line) => void said.push(line),
    };
    return { shipping, shipped, said };
  }
  const changed = {
    present: template('a1', { submitConcurrency: 10 }),
    next: template('b2', { submitConcurrency: 50 }),
  };

  it('of a new stage goes in two steps, and asks nobody', async () => {
    const { shipping, shipped } = world({});
    expect(await deploy(['--stage', 'prod'], shipping)).toBe(0);
    expect(shipped).toEqual(['1: --stage prod --param ledgerProtection=false', '2: --stage prod']);
  });

  it('ships what was examined, and lets the aliases name it, whoever rolled back before', async () => {
    const { shipping, shipped, said } = world({ present: template('a1', {}) });
    expect(await deploy(['--stage', 'prod'], shipping)).toBe(0);
    expect(shipped).toEqual(['1: --stage prod']);
    expect(said).toEqual(['commit a1 -> b2', 'live is b2']);
  });

  it('is refused on the word of the doctor, whoever agrees', async () => {
    const { shipping, shipped, said } = world({ ...changed, dangers: ['JobsQueue keeps a minute'], isAgreed: true });
    expect(await deploy(['--stage', 'prod'], shipping)).toBe(1);
    expect([shipped, said]).toEqual([[], ['refused by the doctor: JobsQueue keeps a minute']]);
  });

  it.each([
    [false, 1, []],
    [true, 0, ['1: --stage prod']],
  ])('that changes money waits for a yes: %s', async (isAgreed, code, ships) => {
    const { shipping, shipped } = world({ ...changed, isAgreed });
    expect(await deploy(['--stage', 'prod'], shipping)).toBe(code);
    expect(shipped).toEqual(ships);
  });
});
