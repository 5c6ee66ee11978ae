import { createMemoryDrainRights, createMemoryWaiting } from '../support/memory-waiting.ts';
import { startMs } from '../support/time-and-chance.ts';
import { describeDrainRights, describeWaiting } from './waiting-contract.ts';

describeWaiting('memory', () => createMemoryWaiting());
describeDrainRights(
  'memory',
  () => createMemoryDrainRights(() => startMs + 999),
  () => startMs + 999,
);
