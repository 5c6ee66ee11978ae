import { createMemoryLedger } from '../support/memory-ledger.ts';
import { describeLedger } from './ledger-contract.ts';
import { describeOpenWork } from './open-work-contract.ts';

describeLedger('the memory ledger', () => createMemoryLedger());
describeOpenWork('the memory ledger', async () => createMemoryLedger());
