import { createMemoryRestoration } from '../support/memory-restoration.ts';
import { describeRestoration } from './restoration-contract.ts';

describeRestoration('memory', async () => {
  const table = createMemoryRestoration();
  return { table, reader: table };
});
