import { createMemoryLanes } from '../support/memory-lanes.ts';
import { startMs } from '../support/time-and-chance.ts';
import { describeLanes } from './lanes-contract.ts';

const items = new Map<string, string>();

describeLanes(
  'memory',
  () => createMemoryLanes(() => startMs + 999, items),
  () => startMs + 999,
);
