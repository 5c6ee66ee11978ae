// How long orders take, in memory.
import { createMemoryEndTimes } from '../support/memory-end-times.ts';
import { describeEndTimes } from './end-times-contract.ts';

describeEndTimes('memory', async () => ({ endTimes: createMemoryEndTimes(), later: () => {} }));
