import { createMemoryLedger } from '../../lib/adapters/memory-ledger.ts';
import { describeLedger } from './ledger-contract.ts';

describeLedger('the memory ledger', () => createMemoryLedger());
