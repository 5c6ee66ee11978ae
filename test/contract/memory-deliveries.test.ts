// Notes of deliveries, in memory.
import { createMemoryDeliveries } from '../support/fake-queues.ts';
import { describeDeliveries } from './deliveries-contract.ts';

describeDeliveries('memory', async () => createMemoryDeliveries());
