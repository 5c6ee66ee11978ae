import { createMemoryOrders } from '../support/memory-orders.ts';
import { describeOpenWork } from './open-work-contract.ts';
import { describeOrders } from './orders-contract.ts';

describeOrders('the memory store', () => createMemoryOrders());
describeOpenWork('the memory store', async () => createMemoryOrders());
