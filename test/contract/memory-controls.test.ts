import { createMemoryControls } from '../support/memory-controls.ts';
import { type AllControls, describeControls } from './controls-contract.ts';

/** One store is one process here. */
let only: AllControls | undefined;

describeControls('memory', (clock) => (only ??= createMemoryControls(clock.nowMs)));
