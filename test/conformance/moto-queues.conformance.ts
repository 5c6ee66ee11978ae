// The queue contract on moto.
import { describe, inject } from 'vitest';
import { describeQueues } from '../contract/queues-contract.ts';

const sqsUrl = inject('moto');

describe.skipIf(sqsUrl === null)('moto', () => {
  describeQueues('moto', () => sqsUrl ?? '');
});
