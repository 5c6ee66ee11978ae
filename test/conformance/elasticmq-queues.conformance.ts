// The queue contract on ElasticMQ.
import { describe, inject } from 'vitest';
import { describeQueues } from '../contract/queues-contract.ts';

const sqsUrl = inject('elasticMq');

describe.skipIf(sqsUrl === null)('ElasticMQ', () => {
  describeQueues('ElasticMQ', () => sqsUrl ?? '');
});
