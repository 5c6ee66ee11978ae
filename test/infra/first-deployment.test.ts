// First deployment, failure, removal, return: over the packaged template, by CloudFormation's documented rules. Whatever
// the first deployment fails at, the second finds no name taken; whatever is removed, the ledger comes back with its orders.
import { describe, expect, it } from 'vitest';
import { importPlan } from '../../infra/import-plan.ts';
import { Account, type DeployedTemplate, referencesOf } from './account.ts';
import { synthesized } from './synthesized.ts';

const prod = await synthesized(['--stage', 'prod']);

describe.skipIf(!prod)('a first deployment', () => {
  const whole: DeployedTemplate = prod?.template ?? { Resources: {} };
  /** As the parameter ledgerProtection says it of every table that is kept. */
  const withProtection = (DeletionProtectionEnabled: boolean): DeployedTemplate => ({
    Resources: Object.assign(
      {},
      ...['LedgerTable', 'BatchesTable', 'ControlsTable', 'WaitingTable'].map((it, index) => {
        const { Resources } = changed(it, { DeletionProtectionEnabled });
        return index === 0 ? Resources : { [it]: Resources[it] };
      }),
    ) as DeployedTemplate['Resources'],
  });
  function changed(logicalId: string, properties: object, policy?: string): DeployedTemplate {
    const it = whole.Resources[logicalId];
    if (!it) throw new Error(`no ${logicalId}`);
    const Properties = { ...it.Properties, ...properties };
    return {
      Resources: { ...whole.Resources, [logicalId]: { ...it, ...(policy && { DeletionPolicy: policy }), Properties } },
    };
  }
  const unprotected = prod ? withProtection(false) : whole;
  const made = Object.keys(whole.Resources);

  /** As `npm run deploy` does it: all of it, and then the ledger's protection. */
  function deployed(): Account {
    const account = new Account();
    for (const template of [unprotected, whole]) expect(account.deploy(template)).toEqual({ kind: 'complete' });
    return account;
  }

  it('goes in two steps, the ledger being protected by the second', () => {
    expect(deployed().thingOf('LedgerTable')?.protectedFromDeletion).toBe(true);
  });

  // A function waits for the place that it may be put into, the dashboard for what it shows; the secret, which another may be given for, is the last of all.
  const isPlace =
    /^(EgressNetwork|PrivateSubnet[AB]|FunctionsSecurityGroup|SigningPolicy|Canary(Failing|Silent)Alarm|WorkerSecret)$/;
  // Only its own policy and what a parameter may leave out, for which it can't wait, come after the secret.
  const isLater = (it: string) =>
    it === 'WorkerSecretPolicy' || ('Condition' in (unprotected.Resources[it] ?? {}) && !isPlace.test(it));
  it.each(made.filter((it) => !isLater(it)))('that fails at %s is simply tried again', (failsAt) => {
    const account = new Account();
    expect(account.deploy(unprotected, failsAt)).toMatchObject({ kind: 'rolled-back', at: failsAt });
    expect([...account.stack.keys()]).toEqual([]);
    expect(account.deploy(unprotected)).toEqual({ kind: 'complete' });
  });

  it.each(made.filter(isLater))('that fails at %s, after the secret, has to wait until its name is free', (failsAt) => {
    const account = new Account();
    account.deploy(unprotected, failsAt);
    expect([...account.things.values()].filter(({ going }) => going).map((it) => it.physicalId)).toEqual([
      'AWS::SecretsManager::Secret|payouts/prod/_worker',
    ]);
  });

  it.each([
    ['kept plainly', () => changed('JobsQueue', {}, 'Retain'), 'AWS::SQS::Queue|payouts-prod-jobs already exists'],
    ['protected at once', () => withProtection(true), 'AWS::DynamoDB::Table|payouts-prod-ledger already exists'],
  ])('whose data are %s could not be tried again', (_, template, reason) => {
    const account = new Account();
    account.deploy(template(), 'SweeperSilentAlarm');
    expect(account.deploy(template())).toMatchObject({ kind: 'rolled-back', reason });
  });

  it('keeps nothing plainly, and says of each kept thing what a replacement does', () => {
    const kept = Object.values(whole.Resources).filter((it) => it.DeletionPolicy?.startsWith('Retain'));
    expect(kept.filter((it) => it.Type !== 'AWS::Lambda::Version')).toHaveLength(22);
    for (const it of kept) {
      expect(it).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
    }
  });

  describe('of a stage that was removed', () => {
    const at = {
      region: 'eu-central-1',
      account: '111122223333',
      stage: 'prod',
      workerKey: 'w',
      approvalKey: 'a',
      waitingKey: 'b',
      secret: '',
    };

    function removed(): Account {
      const account = deployed();
      account.thingOf('LedgerTable')?.orders.add('acme-eu/INV-1');
      account.remove(whole);
      return account;
    }

    it('finds names taken and takes back nothing by itself: the ledger is never begun anew beside the old one', () => {
      const account = removed();
      expect(account.deploy(unprotected)).toMatchObject({ kind: 'rolled-back' });
      const tables = [...account.things.values()].filter(({ type }) => type === 'AWS::DynamoDB::Table');
      expect(tables.map(({ physicalId, orders }) => [physicalId.split('|')[1], ...orders])).toEqual([
        ['payouts-prod-ledger', 'acme-eu/INV-1'],
        ['payouts-prod-batches'],
        ['payouts-prod-controls'],
        ['payouts-prod-waiting'],
      ]);
    });

    it('comes back by the import, with every order that it knew', () => {
      const account = removed();
      const keys = [...account.things.keys()].filter((it) => it.startsWith('AWS::KMS::Key|'));
      const keyOf = (logicalId: string) => keys.find((it) => it.includes(`|${logicalId}-`))?.split('|')[1] ?? '';
      const [workerKey, approvalKey] = [keyOf('WorkerKey'), keyOf('ApprovalKey')];
      const waitingKey = keyOf('WaitingKey');
      const secret = 'arn:aws:secretsmanager:eu-central-1:111122223333:secret:payouts/prod/_worker';
      const plan = importPlan(whole, { ...at, workerKey, approvalKey, waitingKey, secret });
      account.import(plan);
      expect(account.deploy(whole)).toEqual({ kind: 'complete' });
      expect([...(account.thingOf('LedgerTable')?.orders ?? [])]).toEqual(['acme-eu/INV-1']);
      expect(account.thingOf('WorkerKey')?.physicalId).toContain(workerKey);
      expect(account.thingOf('ApprovalKey')?.physicalId).toContain(approvalKey);
      expect(account.thingOf('WaitingKey')?.physicalId).toContain(waitingKey);
    });

    it('imports a template that refers to nothing which is not there yet', () => {
      const { template, resources } = importPlan(whole, at);
      expect(resources).toHaveLength(22);
      const there = new Set(Object.keys({ ...template.Parameters, ...template.Resources }));
      const pseudo = /^(AWS|$)/;
      for (const [logicalId, it] of Object.entries(template.Resources)) {
        const missing = referencesOf(it).filter((name) => !there.has(name) && !pseudo.test(name));
        expect([logicalId, missing]).toEqual([logicalId, []]);
      }
    });
  });
});
