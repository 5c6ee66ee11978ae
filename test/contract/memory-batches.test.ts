import { createMemoryBatches } from '../support/memory-batches.ts';
import { describeBatches } from './batches-contract.ts';

describeBatches('memory', createMemoryBatches);
