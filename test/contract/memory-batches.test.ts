import { createMemoryBatches } from '../../lib/adapters/memory-batches.ts';
import { describeBatches } from './batches-contract.ts';

describeBatches('memory', createMemoryBatches);
