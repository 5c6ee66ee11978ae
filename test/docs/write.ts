// `npm run docs`: writes what is made from the code: README.md's generated tables and the contracts.
import { readFileSync, writeFileSync } from 'node:fs';
import { contractFiles } from '../../infra/contracts/contracts.ts';
import { withTables } from './readme-tables.ts';

const root = new URL('../../', import.meta.url);
const readme = new URL('README.md', root);
writeFileSync(readme, withTables(readFileSync(readme, 'utf8')));
for (const [name, text] of contractFiles()) writeFileSync(new URL(`infra/contracts/${name}`, root), text);
