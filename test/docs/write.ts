// `npm run docs`: writes what is made from the code: the generated tables of the pages, and the contracts.
import { writeFileSync } from 'node:fs';
import { contractFiles } from '../../infra/contracts/contracts.ts';
import { documents, withTables } from './generated-tables.ts';

const root = new URL('../../', import.meta.url);
for (const page of documents) writeFileSync(new URL(page.file, root), withTables(page));
for (const [name, text] of contractFiles()) writeFileSync(new URL(`infra/contracts/${name}`, root), text);
