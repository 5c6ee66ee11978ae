// The contracts of queues on ElasticMQ.
import { describe, inject } from 'vitest';
import { describeDeadLetters } from '../contract/dead-letters-contract.ts';
import { describeQueues } from '../contract/queues-contract.ts';

const sqsUrl = inject('elasticMq');

describe.skipIf(sqsUrl === null)('ElasticMQ', () => {
  describeQueues('ElasticMQ', () => sqsUrl ?? '');
  describeDeadLetters('ElasticMQ', () => sqsUrl ?? '');
});
