// `payouts callbacks`: whose callbacks the public door lets in, and that nothing of their secrets but the control key goes
// there.
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { expect, it } from 'vitest';
import { clientConfigOf } from '../../lib/local/local-environment.ts';
import { longIt } from '../support/long-proof.ts';
import { anAws } from './support/aws.ts';
import { putMerchant } from '../support/merchant-secrets.ts';

const queue = anAws();
const { payouts } = queue;

async function doorSecret(): Promise<unknown> {
  const client = new SecretsManagerClient(clientConfigOf(queue.aws(), 'SECRETS_MANAGER'));
  const { SecretString = '' } = await client.send(new GetSecretValueCommand({ SecretId: 'payouts/_callback' }));
  client.destroy();
  return JSON.parse(SecretString);
}

longIt('a merchant is let in by its control key alone, again after that has changed, and let out again', async () => {
  const secret = { login: 'LOGIN', baseUrl: 'http://127.0.0.1:9' };
  putMerchant(queue.aws().secrets, 'one', { ...secret, controlKey: 'FAKE-KEY-1' });
  putMerchant(queue.aws().secrets, 'two', { ...secret, controlKey: 'FAKE-KEY-2' });

  expect(await payouts('callbacks', 'list')).toMatchObject({
    code: 0,
    stdout: 'none: every callback is answered 503\n',
  });
  expect(await payouts('callbacks', 'allow', 'one')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^callbacks of one/),
  });
  expect(await payouts('callbacks', 'allow', 'two', '--json')).toMatchObject({
    code: 0,
    stdout: '{"merchant":"two","outcome":"allowed"}\n',
  });
  expect(await doorSecret()).toEqual({ one: ['FAKE-KEY-1'], two: ['FAKE-KEY-2'] });

  const before = { login: 'BEFORE', baseUrl: 'http://127.0.0.1:9', controlKey: 'FAKE-KEY-1' };
  putMerchant(queue.aws().secrets, 'one', { ...secret, controlKey: 'FAKE-KEY-3', earlierAccounts: [before] });
  await payouts('callbacks', 'allow', 'one');
  expect(await doorSecret()).toEqual({ one: ['FAKE-KEY-3', 'FAKE-KEY-1'], two: ['FAKE-KEY-2'] });

  expect(await payouts('callbacks', 'forbid', 'one')).toMatchObject({ code: 0 });
  expect(await payouts('callbacks', 'forbid', 'one')).toMatchObject({
    code: 1,
    stderr: 'payouts: callbacks of one are not accepted\n',
  });
  const list = await payouts('callbacks', 'list', '--json');
  expect(list.stdout).toBe('{"merchants":["two"]}\n');
  expect(list.stdout + list.stderr).not.toContain('FAKE-KEY');
});

it('no merchant is let in that has no secret, or no control key', async () => {
  putMerchant(queue.aws().secrets, 'keyless', { login: 'L', baseUrl: 'http://127.0.0.1:9', kmsKeyId: 'alias/key' });
  expect(await payouts('callbacks', 'allow', 'nobody')).toMatchObject({
    code: 1,
    stderr: 'payouts: there is no secret of nobody\n',
  });
  expect(await payouts('callbacks', 'allow', 'keyless')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('holds no control key'),
  });
});

it('a secret that cannot be read is a fault of the stage, and not of the command line', async () => {
  queue.aws().secrets.put('payouts/_callback', { one: 1 });
  const { code, stdout, stderr } = await payouts('callbacks', 'list');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^payouts: the secret of control keys: .*\n$/);
});
