// Other people's tables by their own names: a layout that was saved.
import { expect, it } from 'vitest';
import { runCli } from '../support/cli.ts';
import { aDirectory } from '../support/files.ts';

const files = aDirectory();
it('a layout is kept by the command once the header was understood by it, and not before', async () => {
  await files.file('erp.csv', `Beleg,amount,currency,iban\nPAY-1,1.00,EUR,DE89370400440532013000\n`);
  const same = ['--merchant', 'acme-eu', '--operation', 'payout', '--endpoint', '39915', '--dry-run'];
  const submit = (...more: string[]) => runCli(['submit', 'erp.csv', ...same, ...more], { cwd: files.path() });
  expect(await submit('--map', 'Belegnummer=orderId', '--save-layout', 'erp')).toMatchObject({ code: 2 });
  expect((await submit('--layout', 'erp')).stderr).toContain('there is no layout erp');
  await files.file('wrong.layout.json', '{"maps": {}}');
  expect((await submit('--layout', 'wrong')).stderr).toContain('is no layout; write {"map"');
  const saved = await submit('--map', 'Beleg=orderId', '--save-layout', 'erp');
  expect({ code: saved.code, said: saved.stderr.split('\n')[1] }).toEqual({
    code: 0,
    said: 'the layout of erp.csv is kept as erp.layout.json',
  });
  expect(await submit('--layout', 'erp')).toMatchObject({ code: 0 });
});
