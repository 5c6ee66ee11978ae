// `npm run docs`: writes what is made from the code: the generated tables of README and runbook, and the contracts.
import { readFileSync, writeFileSync } from 'node:fs';
import { contractFiles } from '../../infra/contracts/contracts.ts';
import { documents } from './readme-tables.ts';

const root = new URL('../../', import.meta.url);
for (const { file, withTables } of documents) {
  const at = new URL(file, root);
  writeFileSync(at, withTables(readFileSync(at, 'utf8')));
}
for (const [name, text] of contractFiles()) writeFileSync(new URL(`infra/contracts/${name}`, root), text);
