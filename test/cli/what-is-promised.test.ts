// What the tool and its pages promise is there, or is told with the command that makes it: as a new user meets it, in an
// environment that lacks something.
import { describe, expect, it } from 'vitest';
import { longIt } from '../support/long-proof.ts';
import { anAws } from './support/aws.ts';
import { aDirectory } from './support/files.ts';

const directory = aDirectory();
const world = anAws({ gateway: true, merchants: false });
const { run } = world;

const elsewhere = () => ({
  ...world.env(),
  ...Object.fromEntries(
    Object.entries(world.env()).flatMap(([name, value]) =>
      name.endsWith('QUEUE_URL') ? [[name, `${value}-two`]] : [],
    ),
  ),
  LEDGER_TABLE_NAME: 'ledger-two',
  CARD_KEYS_TABLE_NAME: 'card-keys-two',
  BATCHES_TABLE_NAME: 'batches-two',
  CONTROLS_TABLE_NAME: 'controls-two',
  WAITING_TABLE_NAME: 'waiting-two',
  SECRET_PREFIX: 'two/',
});

describe('what is missing', () => {
  longIt('of a merchant is its secret: named with the command that makes it, by everyone who needs it', async () => {
    const making =
      'for it in contract keys; do aws secretsmanager create-secret --name payouts/$it/nobody --secret-string file://$it.json; done';
    const header = 'order id,amount,currency,description,iban,bank';
    const file = await directory.file('rows.csv', `${header}\nR-1,1.00,EUR,x,DE89370400440532013000,Bank\n`);
    const same = ['--merchant', 'nobody', '--operation', 'payout', '--endpoint', '1'];
    const lists = ['--output', directory.path(), '--yes'];
    const submitted = await run(['submit', file, ...same, ...lists]);
    expect(submitted.code).toBe(2);
    expect(submitted.stderr.split('\n').map((line) => line.trim())).toContain(making);
    const probed = await run(['probe', 'nobody', '--endpoint', '1', '--wait', '5']);
    expect(probed.stderr).toContain(`\`${making}\``);
  });

  longIt(
    'is named by its setting, with the command that makes it; that command makes it; then the worker runs',
    async () => {
      const before = await run(['worker', '--once'], elsewhere());
      expect(before.code).toBe(1);
      const lines = before.stderr.trim().split('\n');
      expect(lines).toContain(
        'payouts worker: there is no queue payouts-jobs-two (JOBS_QUEUE_URL); `npm run deploy` makes it with the stack, `node . setup` without one',
      );
      expect(lines.map((line) => /no (\w+ \S+)/.exec(line)?.[1])).toEqual([
        'queue payouts-jobs-dead-letter-two',
        'queue payouts-results-two',
        'queue payouts-checks-two',
        'queue payouts-references-two',
        'queue payouts-jobs-two',
        'queue payouts-batch-jobs-two',
        'table ledger-two',
        'table card-keys-two',
        'table batches-two',
        'table controls-two',
        'table waiting-two',
        'secret two/_worker',
      ]);
      const asked = await run(['setup'], elsewhere());
      expect(asked).toMatchObject({ code: 2, stdout: '' });
      expect(asked.stderr).toContain('add --yes to make what is missing');
      // An approver who makes all tables begins the ledger.
      const made = await run(['setup', '--yes'], { ...elsewhere(), ...world.aws().secondOperator });
      expect(made).toMatchObject({ code: 0 });
      expect(made.stdout).toContain('everything is there. Each merchant needs its contract and its keys yet');
      expect(await run(['worker', '--once'], elsewhere())).toMatchObject({
        code: 0,
        stderr: '',
      });
      const again = await run(['setup', '--json'], elsewhere());
      expect(JSON.parse(again.stdout)).toMatchObject({ made: [] });
    },
  );

  it('is named by any command that meets it', async () => {
    const gone = await run(['dlq', 'list'], { DEAD_LETTER_QUEUE_URL: `${world.aws().queueUrls.jobs}-gone` });
    expect(gone.code).toBe(1);
    expect(gone.stderr).toContain('there is no queue payouts-jobs-gone (DEAD_LETTER_QUEUE_URL)');
    const table = await run(['order', 'acme-eu/INV-1'], { LEDGER_TABLE_NAME: 'nowhere' });
    expect(table.code).toBe(1);
    expect(table.stderr).toContain('there is no table nowhere: nothing is sent; infra/docs/disasters');
  });
});

it('an empty dead-letter queue is called empty', async () => {
  expect(await run(['dlq', 'list'])).toMatchObject({ code: 0, stdout: 'the dead-letter queue is empty\n' });
});
