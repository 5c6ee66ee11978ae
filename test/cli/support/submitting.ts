// Files of payouts as stories submit them for one merchant: what is written, what the queue holds afterwards, and what was listed.
import { readFile } from 'node:fs/promises';
import { anAws } from './aws.ts';
import { aDirectory } from './files.ts';
import { ibanOf } from './ibans.ts';

export const same = ['--merchant', 'acme-eu', '--operation', 'payout', '--endpoint', '39915'];

interface Row {
  readonly amount?: string;
  readonly currency?: string;
  readonly iban?: string;
}

/** A line of a file: a payout of 10.42 EUR to an account of its own. */
export const row = (id: string, { amount = '10.42', currency = 'EUR', iban = ibanOf(id) }: Row = {}) =>
  `${id},${amount},${currency},Invoice,${iban},Cool bank`;

/** AWS, a folder of files, and the command in it. */
export function aSubmitter() {
  const files = aDirectory();
  const queue = anAws({ cwd: files.path });
  return {
    ...queue,
    files,
    fileOf: (name: string, ...rows: string[]) =>
      files.file(`${name}.csv`, `${['order_id,amount,currency,description,IBAN,bank', ...rows].join('\n')}\n`),
    submit: (file: string, ...args: string[]) => queue.payouts('submit', file, ...same, ...args),
    /** The lines of a file that the command has left. */
    listed: async (name: string) => (await readFile(`${files.path()}/${name}`, 'utf8')).trimEnd().split('\n'),
    /** The order ids on the queue, which are taken off it. */
    idsOf: async () => (await queue.takeJobs()).map(({ orderId }) => orderId).toSorted(),
  };
}
