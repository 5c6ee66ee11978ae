import { createMemoryLanes } from '../support/memory-lanes.ts';
import { describeLanes } from './lanes-contract.ts';

const items = new Map<string, string>();

describeLanes('memory', () => createMemoryLanes(items));
