// `npm run deploy`: what a stage has written down, what a person is shown and asked, what stops it before anything ships, and
// whether what was asked for is live at the end.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { choicesOf, stackTags } from '../../infra/arguments.ts';
import { deploy, type Deployed, type Shipment, type Shipping, templateValues } from '../../infra/deploy.ts';
import { differenceOf } from '../../infra/deployment-difference.ts';

const known = {
  default: { submitConcurrency: 10, operatorEmail: '', secretPrefix: 'payouts/<stage>/' },
  dev: { submitConcurrency: 2 },
};

describe('what a stage has chosen', () => {
  const stageFile = { submitConcurrency: 3, operatorEmail: 'ops@example.com' };
  const chosen = (args: readonly string[], file: unknown) => choicesOf(args, known, () => file).values;

  it('is what every stage is given, then its own, then its file, then the command line', () => {
    expect(chosen(['--stage', 'prod'], undefined)).toEqual({
      submitConcurrency: '10',
      operatorEmail: '',
      secretPrefix: 'payouts/prod/',
    });
    expect(chosen([], undefined)).toMatchObject({ submitConcurrency: '2', secretPrefix: 'payouts/dev/' });
    expect(chosen([], stageFile)).toMatchObject({ submitConcurrency: '3', operatorEmail: 'ops@example.com' });
    expect(chosen(['--param', 'submitConcurrency=5', '--yes'], stageFile)).toMatchObject({ submitConcurrency: '5' });
  });

  it.each([
    ['a slip of the pen', { submitConcurency: 3 }, 'infra/stages/prod.yml: there is no parameter submitConcurency'],
    ['a list', { submitConcurrency: [3] }, 'submitConcurrency must be a text, a number or a boolean'],
    ['no parameters', 'prod', 'infra/stages/prod.yml is no list of name: value'],
  ])('is refused where the file is %s', (_, file, why) => {
    expect(() => chosen(['--stage', 'prod'], file)).toThrow(why);
  });

  it.each([
    ['nobody knows it', 'submitConcurency=3', 'there is no parameter submitConcurency'],
    ['it says no value', 'submitConcurrency', '--param submitConcurrency is no name=value'],
  ])('is refused on the command line where %s', (_, param, why) => {
    expect(() => chosen(['--param', param], undefined)).toThrow(why);
  });
});

describe('tags of a stack', () => {
  it('are pairs', () => {
    expect(stackTags('')).toEqual({});
    expect(stackTags('team=payments, cost-center=4711')).toEqual({ team: 'payments', 'cost-center': '4711' });
  });

  it.each(['payments', '=x', 'aws:team=x', 'team=a;b'])('are refused where one is none: %s', (said) => {
    expect(() => stackTags(said)).toThrow(`tags: "${said}" is no name=value that AWS takes`);
  });
});

/** A stack of these values and resources. */
function stackOf(
  Commit: string,
  values: Readonly<Record<string, string>>,
  resources: Readonly<Record<string, object>> = {},
): Deployed {
  const Resources = Object.fromEntries(
    Object.entries(resources).map(([id, Properties]) => [id, { Type: 'AWS::SQS::Queue', Properties }]),
  );
  return { template: { Metadata: { Payouts: { Commit } }, Resources }, values };
}

describe('what a deployment would change', () => {
  it('is told by name, and asked about where money could move otherwise', () => {
    const present = stackOf(
      'a1',
      { SubmitConcurrency: '10', LogRetentionDays: '400' },
      { Jobs: { Delay: 0 }, Old: {} },
    );
    const next = stackOf('b2', { SubmitConcurrency: '50', LogRetentionDays: '731' }, { Jobs: { Delay: 9 }, New: {} });
    expect(differenceOf(present, next)).toEqual({
      lines: [
        'commit a1 -> b2',
        'parameter SubmitConcurrency: "10" -> "50"',
        'parameter LogRetentionDays: "400" -> "731"',
        '~ Jobs: Delay',
        '- Old',
        '+ New',
      ],
      asks: ['parameter SubmitConcurrency: "10" -> "50"', '- Old'],
    });
  });

  it('is asked about where a parameter was given by hand last time and is forgotten now', () => {
    const { asks } = differenceOf(stackOf('a1', { SigningKeyArns: 'arn:1' }), stackOf('a1', { SigningKeyArns: '' }));
    expect(asks).toEqual(['parameter SigningKeyArns: "arn:1" -> none']);
  });

  it('is none where a number is written as a text deep in a resource, nor for another release', () => {
    const present = stackOf('a1', { Release: 'a1-1' }, { Jobs: { Of: [{ Delay: 0 }] } });
    const next = stackOf('a1', { Release: 'a1-2' }, { Jobs: { Of: [{ Delay: '0' }] } });
    expect(differenceOf(present, next)).toEqual({ lines: ['commit a1 -> a1'], asks: [] });
  });

  it('is nothing but the commit where only the build is another', () => {
    const functionAt = (S3Key: string, Commit: string): Deployed => ({
      template: {
        Metadata: { Payouts: { Commit } },
        Resources: {
          Submit: { Type: 'AWS::Lambda::Function', Properties: { Code: { S3Key }, Description: Commit } } as never,
          SubmitVersion: { Type: 'AWS::Lambda::Version', Properties: { Description: Commit } } as never,
        },
      },
      values: {},
    });
    expect(differenceOf(functionAt('1', 'a'), functionAt('2', 'b'))).toEqual({ lines: ['commit a -> b'], asks: [] });
  });
});

describe('the release', () => {
  const template = { Metadata: { Payouts: { Commit: 'a1' } }, Parameters: { Network: {}, Stage: {} } };
  const releaseOf = (chosen: Readonly<Record<string, string>>, text = '{}') =>
    templateValues(template, chosen, text)['Release'];

  it('is the same for the same, begins with the commit, and fits the template', () => {
    const release = releaseOf({ network: 'none', stage: 'prod' });
    expect(releaseOf({ stage: 'prod', network: 'none' })).toBe(release);
    expect(release).toMatch(/^a1-[0-9a-f]{12}$/);
  });

  it('is another one for any other parameter, and for any other template of one commit', () => {
    const releases = [
      releaseOf({ network: 'none', stage: 'prod' }),
      releaseOf({ network: 'made', stage: 'prod' }),
      releaseOf({ network: 'none', stage: 'dev' }),
      releaseOf({ network: 'none', stage: 'prod' }, '{ }'),
    ];
    expect(new Set(releases).size).toBe(releases.length);
  });

  it('is not made of what the template does not know', () => {
    expect(() => releaseOf({ netwrok: 'made' })).toThrow('the template has no parameter Netwrok');
  });
});

describe('a deployment', () => {
  interface Given {
    readonly present?: Deployed;
    readonly commit?: string;
    readonly dangers?: readonly string[];
    readonly isAgreed?: boolean;
    /** What the alias names after shipping, by default what was asked for. */
    readonly live?: string;
    /** Somebody rolled back before: the alias stays until it is set. */
    readonly isRolledBack?: boolean;
  }

  /** A world that writes down what shipped and what was said. */
  async function world({ present, commit = 'b2', dangers = [], isAgreed = false, live, isRolledBack = false }: Given) {
    const directory = await mkdtemp(join(tmpdir(), 'payouts-deploy-test-'));
    const names = ['Stage', 'Release', 'CodeBucket', 'SubmitConcurrency', 'LedgerProtection', 'Rollout'];
    const template = {
      Metadata: { Payouts: { Commit: commit } },
      Parameters: Object.fromEntries(names.map((name) => [name, {}])),
      Resources: {},
    };
    await writeFile(join(directory, 'template.json'), JSON.stringify(template));
    const [shipped, said]: [Shipment[], string[]] = [[], []];
    let isSet = !isRolledBack;
    const shipping: Shipping = {
      package: async () => directory,
      ownBucket: async () => 'made-for-it',
      deployed: async () => present,
      dangers: async () => dangers,
      agrees: async () => isAgreed,
      ship: async (it) => void shipped.push(it),
      published: async () => {
        const asked = live ?? shipped.at(-1)?.values['Release'];
        const versions = [
          { number: 1, release: 'a1-0' },
          { number: 2, release: asked },
        ];
        return [{ functionName: 'submit', live: isSet ? 2 : 1, latest: asked, versions }];
      },
      setLive: async () => void (isSet = true),
      say: (line) => void said.push(line),
    };
    const choices = (submitConcurrency = '10') => ({
      stage: 'prod',
      region: 'eu-central-1',
      isAgreed,
      values: { submitConcurrency, ledgerProtection: 'true', tags: 'team=payments', cloudFormationRole: '' },
    });
    return { shipping, shipped, said, choices };
  }
  const present = (values: Readonly<Record<string, string>> = {}): Deployed =>
    stackOf(
      'a1',
      { Stage: 'prod', CodeBucket: 'made-for-it', LedgerProtection: 'true', ...values },
      {
        LedgerTable: {},
      },
    );
  const stands = present({ SubmitConcurrency: '10' });
  /** The ledger is in no template here, so that its loss would be asked about: it is told of as gone. */
  const there: Deployed = { ...stands, template: { ...stands.template, Resources: {} } };

  it('of a new stage goes in two steps, the second of which protects the ledger, and asks nobody', async () => {
    const { shipping, shipped, choices } = await world({});
    expect(await deploy(choices(), shipping)).toBe(0);
    expect(shipped.map(({ values }) => values['LedgerProtection'])).toEqual(['false', 'true']);
    expect(shipped[1]).toMatchObject({
      bucket: 'made-for-it',
      tags: { team: 'payments' },
      values: { Stage: 'prod', CodeBucket: 'made-for-it', SubmitConcurrency: '10' },
    });
  });

  it('ships what was examined, and ends well where it is live', async () => {
    const { shipping, said, choices } = await world({ present: there });
    expect(await deploy(choices(), shipping)).toBe(0);
    expect(said[0]).toBe('commit a1 -> b2');
    expect(said.at(-1)).toMatch(/^release b2-[0-9a-f]{12} is live in all of 1 functions$/);
  });

  it('lets the aliases name it, whoever rolled back before', async () => {
    const { shipping, said, choices } = await world({ present: there, isRolledBack: true });
    expect(await deploy(choices(), shipping)).toBe(0);
    expect(said).toContain('submit: version 1 -> 2');
  });

  it.each([
    ['somebody rolled back', { live: 1 }, 'submit: live is version 1 of a1-0, asked for was a1-1'],
    ['traffic shifts already', { live: 1, shiftsTo: 2 }, 'submit: a part of the calls goes to version 2'],
  ])('in parts is refused where %s: a failed one would go back to what is not live', async (_, stands, why) => {
    const { shipping, shipped, said, choices } = await world({ present: there });
    const versions = [
      { number: 1, release: 'a1-0' },
      { number: 2, release: 'a1-1' },
    ];
    const published = async () => [{ functionName: 'submit', latest: 'a1-1', versions, ...stands }];
    const { values, ...chosen } = choices();
    const inParts = { ...chosen, values: { ...values, rollout: 'Canary10Percent5Minutes' } };
    expect(await deploy(inParts, { ...shipping, published })).toBe(1);
    expect(said.at(-1)).toContain(why);
    expect(said.at(-1)).toContain('rollout=AllAtOnce');
    expect(shipped).toEqual([]);
  });

  it('fails where something else is live in the end, and names it', async () => {
    const { shipping, said, choices } = await world({ present: there, live: 'b2-another' });
    expect(await deploy(choices(), shipping)).toBe(1);
    expect(said.at(-1)).toMatch(/^not live: submit: live is version 2 of b2-another, asked for was b2-[0-9a-f]{12}$/);
  });

  it('that CloudFormation takes back fails with its reason, and moves no alias', async () => {
    const { shipping, said, choices } = await world({ present: there, isRolledBack: true });
    const why = 'payouts-prod was not updated: SubmitLiveAlias Rollback successful';
    const failing: Shipping = { ...shipping, ship: () => Promise.reject(new Error(why)) };
    await expect(deploy(choices(), failing)).rejects.toThrow(why);
    expect(said).toEqual(['commit a1 -> b2']);
  });

  it('is refused on the word of the doctor, whoever agrees', async () => {
    const dangers = ['JobsQueue keeps a minute'];
    const { shipping, shipped, said, choices } = await world({ present: there, dangers, isAgreed: true });
    expect(await deploy(choices('50'), shipping)).toBe(1);
    expect([shipped, said]).toEqual([[], ['refused by the doctor: JobsQueue keeps a minute']]);
  });

  it.each([
    [false, 1, 0],
    [true, 0, 1],
  ])('that changes money waits for a yes: %s', async (isAgreed, code, ships) => {
    const { shipping, shipped, choices } = await world({
      present: { ...present({ SubmitConcurrency: '10' }) },
      isAgreed,
    });
    expect(await deploy(choices('50'), shipping)).toBe(code);
    expect(shipped).toHaveLength(ships);
  });
});
