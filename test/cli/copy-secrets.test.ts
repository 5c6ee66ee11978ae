// Secrets that move: every one arrives as it was, none is shown, and none that stands at the new place is overwritten. And the
// worker's own comes along, or the new worker recognises no order.
import { beforeAll, describe, expect, it } from 'vitest';
import { createSecretsManagerCredentials, newSecretsManagerClient } from '../../lib/aws/secrets-manager-credentials.ts';
import { silentLog } from '../../lib/aws/cloudwatch-lines.ts';
import { clientConfigOf } from '../../lib/local/local-environment.ts';
import { patientAwsCalls } from '../../lib/payout/limits.ts';
import { createManualClock } from '../support/time-and-chance.ts';
import { anAws } from './support/aws.ts';

const keyOfOldOrders = '7e'.repeat(32);
const merchant = { login: 'acme-login', controlKey: 'FAKE-control-key', baseUrl: 'https://gateway.test' };
const world = anAws({ merchants: false });
beforeAll(() => {
  const { secrets } = world.aws();
  secrets.put('payouts/_worker', { fingerprintKeyId: 'k1', fingerprintKeys: { k1: keyOfOldOrders } });
  for (const name of ['acme-eu', 'acme-us']) secrets.put(`payouts/${name}`, merchant);
});

/** As a worker of another stage reads it, that has been told where the old one's own secret is. */
function secretsOf(prefix: string, workerSecretId?: string) {
  const where = clientConfigOf(world.aws(), 'SECRETS_MANAGER');
  const client = newSecretsManagerClient({ limits: patientAwsCalls }, where);
  const options = { client, prefix, ttlMs: 1000, clock: createManualClock(), log: silentLog };
  return createSecretsManagerCredentials({ ...options, ...(workerSecretId !== undefined && { workerSecretId }) });
}
const exported = async (keys: ReturnType<ReturnType<typeof secretsOf>['keys']>) =>
  [...(await keys).keys].map(([id, key]) => [id, key.export().toString('hex')]);

describe('secrets that are copied', () => {
  it("arrive as they were, the worker's own among them, and nothing of them is shown", async () => {
    const { code, stdout, stderr } = await world.run(['secrets', 'copy', '--worker', 'acme-eu', '--to', 'new/']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^payouts\/_worker -> new\/_worker: copied .*\npayouts\/acme-eu -> new\/acme-eu: copied/);
    for (const it of [keyOfOldOrders, merchant.controlKey]) expect(stdout).not.toContain(it);
    expect(await secretsOf('new/').of('acme-eu')).toMatchObject({ kind: 'credentials' });
    expect(await exported(secretsOf('new/').keys())).toEqual([['k1', keyOfOldOrders]]);
  });

  it('stand there the second time, and one that is another is never overwritten', async () => {
    world.aws().secrets.put('new/acme-us', { ...merchant, login: 'somebody-else' });
    const { code, stdout } = await world.run(['secrets', 'copy', 'acme-eu', 'acme-us', 'nobody', '--to', 'new/']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/acme-eu: stood there already, with the same text/);
    expect(stdout).toMatch(/acme-us: NOT copied: another text is there already/);
    expect(stdout).toMatch(/nobody: NOT copied: there is no such secret/);
    expect(await secretsOf('new/').of('acme-us')).toMatchObject({ credentials: { login: 'somebody-else' } });
  });
});

describe('a worker with merchants under another prefix', () => {
  it('recognises the orders of the old one by the secret that it is given', async () => {
    expect(await exported(secretsOf('new/', 'payouts/_worker').keys())).toEqual([['k1', keyOfOldOrders]]);
  });

  it('recognises none by a secret that a new stack has made', async () => {
    world.aws().secrets.put('fresh/_worker', {
      fingerprintKeyId: 'generated',
      fingerprintKeys: {},
      generated: '00'.repeat(32),
    });
    expect((await secretsOf('fresh/').keys()).keys.has('k1')).toBe(false);
  });
});
