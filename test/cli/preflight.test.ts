// `payouts submit` before it asks: what can't be right is refused with its remedy, what is unlikely waits for a word, and
// scripts tell the two apart by the exit code.
import { beforeAll, describe, expect, it } from 'vitest';
import { runInTerminal } from './support/cli.ts';
import { longDescribe, longIt } from '../support/long-proof.ts';
import { putMerchant } from '../support/merchant-secrets.ts';
import { ibanOf } from './support/ibans.ts';
import { aSubmitter, row, same } from './support/submitting.ts';

const queue = aSubmitter();
const { files, fileOf, submit, listed, idsOf } = queue;

describe('what can not be right', () => {
  it('refuses its row, with field and remedy, and never shows the value', async () => {
    const iban = `${ibanOf('BAD-1').slice(0, -1)}`;
    const file = await fileOf(
      'bad',
      row('BAD-1', { iban }),
      row('BAD-2', { currency: 'EUX' }),
      row('BAD-3', { iban: '' }),
      row('GOOD'),
    );
    const refused = await submit(file, '--yes', '--skip-invalid');
    expect(refused).toMatchObject({ code: 0, stderr: expect.stringContaining('3 faults in 3 of 4 rows') });
    expect(await listed('bad.faults.csv')).toEqual([
      'row,column,fault',
      '2,IBAN,"has 21 characters, and an IBAN of DE has 22; take it from the payee again"',
      '3,currency,"is not a currency; write its ISO 4217 code, such as ""EUR"""',
      '4,IBAN,"is missing; payout needs account_number or credit_card_number"',
    ]);
    expect(await listed('bad.rejects.csv')).toHaveLength(4);
    expect(await idsOf()).toEqual(['GOOD']);
    expect(refused.stderr + refused.stdout).not.toContain(iban);
  });
});

describe('the same payment under another id', () => {
  it('in one file waits for a word, of whatever kind, and then goes', async () => {
    const iban = ibanOf('twice');
    const file = await fileOf(
      'twice',
      row('T-1', { iban }),
      row('T-2', { iban: iban.toLowerCase() }),
      row('T-3', { iban, amount: '10.43' }),
    );
    const waiting = await submit(file, '--yes');
    expect(waiting.code).toBe(3);
    expect(waiting.stderr).toContain(
      'payouts: nothing was sent: 1 warning needs your confirmation. Check it, then add --accept duplicate (or --accept all)\n',
    );
    expect(waiting.stderr).toContain('1 warning: duplicate 1\nAll of them: twice.warnings.csv\n');
    expect(await listed('twice.warnings.csv')).toEqual([
      'row,column,kind,warning',
      '3,IBAN,duplicate,"asks for the same payment as row 2, under another order id"',
    ]);
    const told = await submit(file, '--dry-run', '--json', '--accept', 'cap');
    expect(told.code).toBe(3);
    expect(JSON.parse(told.stdout)).toMatchObject({ outcome: 'dry-run', warnings: { duplicate: 1 } });
    const refused = await submit(file, '--yes', '--json');
    expect(JSON.parse(refused.stdout)).toMatchObject({ outcome: 'warnings', withoutWord: ['duplicate'] });
    expect(await idsOf()).toEqual([]);

    expect(await submit(file, '--yes', '--accept', 'duplicate,cap')).toMatchObject({ code: 0 });
    expect(await idsOf()).toEqual(['T-1', 'T-2', 'T-3']);
  });

  longIt('in a batch of the last days is told with its order; the same order sent again is not', async () => {
    const iban = ibanOf('earlier');
    expect(await submit(await fileOf('monday', row('M-1', { iban })), '--yes', '--batch', 'monday')).toMatchObject({
      code: 0,
    });
    const tuesday = await fileOf('tuesday', row('T-8'), row('T-9', { iban }));
    const waiting = await submit(tuesday, '--yes', '--batch', 'tuesday');
    expect(waiting.code).toBe(3);
    expect((await listed('tuesday.warnings.csv'))[1]).toMatch(
      /^3,,earlier,"asks for the same payment as order M-1 of batch monday, registered 20.*Z, which has not begun"$/,
    );
    expect(await submit(tuesday, '--yes', '--batch', 'tuesday', '--look-back', '0')).toMatchObject({ code: 0 });
    const again = await fileOf('again', row('M-1', { iban }), row('M-2'));
    // Of tuesday's T-9, which pays the same by now; of monday's M-1, which it is, nothing.
    await submit(again, '--dry-run');
    expect(await listed('again.warnings.csv')).toHaveLength(2);
    expect((await listed('again.warnings.csv'))[1]).toContain('as order T-9 of batch tuesday');
    await queue.takeJobs();
  });
});

it('a dry run warns of what it could not look at: the file may not be sent as it is', async () => {
  const file = await fileOf('blind', row('Z-1'));
  queue.aws().secrets.failNext(99, 'AccessDeniedException');
  const looked = await submit(file, '--dry-run', '--json');
  queue.aws().secrets.failNext(0, 500);
  expect({ ...looked, stdout: JSON.parse(looked.stdout) }).toMatchObject({
    code: 3,
    stdout: { outcome: 'dry-run', warnings: { 'not-checked': 2 } },
  });
  expect(await listed('blind.warnings.csv')).toEqual([
    'row,column,kind,warning',
    ',,not-checked,"the contract of acme-eu can\'t be read (Secrets Manager did not answer); its rows are not compared with it"',
    ',,not-checked,"the worker\'s fingerprint keys can\'t be read, so the batches of the last days were not looked through"',
  ]);

  // Nor is a ledger that gives no answer one that knows none of the rows.
  const blind = await queue.run(['submit', file, ...same, '--dry-run'], { LEDGER_TABLE_NAME: 'nowhere' });
  expect(blind).toMatchObject({ code: 1, stdout: '' });
});

describe('caps', () => {
  beforeAll(async () => {
    const secret = { login: 'capped-login', controlKey: 'fake-control-key', baseUrl: 'http://127.0.0.1:9' };
    putMerchant(queue.aws().secrets, 'capped', { ...secret, profile: { signatureMethod: { payout: 'HMAC-SHA1' } } });
    const caps = { EUR: { single: '30.00', perDay: '40.00' } };
    await queue.aws().safeguard('capped', { twoPersonRelease: false, caps });
  });

  it('are held against the rows and the whole file', async () => {
    const file = await fileOf('caps', row('C-1', { amount: '30.01' }), row('C-2', { amount: '30.00' }));
    const { code, stdout } = await submit(file, '--yes', '--json', '--merchant', 'capped');
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ warnings: { cap: 2 } });
    expect(await listed('caps.warnings.csv')).toEqual([
      'row,column,kind,warning',
      '2,amount,cap,"is above the cap of 30.00 EUR for one order; it would wait for a raised cap"',
      ',,cap,"capped: the file asks for 60.01 EUR, the cap of the day is 40.00 EUR, of which 0.00 EUR are counted already; what is above would wait for the next day"',
    ]);
  });
});

longDescribe('a person at a terminal', () => {
  it('is shown the warnings, asked with them in the question, and no word but yes sends', async () => {
    const file = await fileOf('asked', row('T-1'), row('T-2', { iban: ibanOf('T-1') }));
    const asking = (answer: string) =>
      runInTerminal(['submit', file, ...same], { cwd: files.path(), env: queue.env() }, answer);

    const refused = await asking('y');
    expect(refused.shown).toContain('asks for the same payment as row 2, under another order id');
    expect(refused.shown).toContain('1 warning: duplicate 1');
    expect(refused.shown).toMatch(/acme-eu +payout +2 +20\.84 +EUR/);
    expect(refused.shown).toContain('Send 20.84 EUR in 2 rows, with duplicate as warned? Type "yes" to go on: ');
    expect(refused).toMatchObject({ code: 1, shown: expect.stringContaining('nothing was sent') });
    expect(await idsOf()).toEqual([]);

    expect(await asking('yes')).toMatchObject({ code: 0, shown: expect.stringContaining('all 2 rows of asked.csv') });
    expect(await idsOf()).toEqual(['T-1', 'T-2']);
  });
});
